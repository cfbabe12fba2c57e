"""Binding of queries: one SELECT with all its clauses, and set operations of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.sql.nodes import TimeWindow
from velostream.sql.spans import span_of
from velostream.validation import items
from velostream.validation.aliases import Aliases
from velostream.validation.bound import (
    BoundExpression,
    BoundInput,
    BoundJoin,
    BoundOrder,
    BoundQuery,
    BoundSelect,
    BoundSource,
    BoundSubquery,
    BoundUnnest,
    BoundWindow,
)
from velostream.validation.columns import GROUPED, WINDOW
from velostream.validation.emission import bind_emission
from velostream.validation.expressions import ExpressionBinder
from velostream.validation.grouping import bind_grouping, has_aggregate, has_buffer, has_over
from velostream.validation.inputs import bind_input, is_static, scope_input
from velostream.validation.join_binding import bind_join, helped_by_where
from velostream.validation.named_windows import inline_named_windows
from velostream.validation.outer_aggregates import mark
from velostream.validation.scope import Scope
from velostream.validation.windows import bind_window

if TYPE_CHECKING:
    from velostream.validation.context import Context

REFUSED = {
    "qualify": "QUALIFY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "sort": "SORT BY",
    "connect": "CONNECT BY",
    "match": "MATCH_RECOGNIZE",
    "prewhere": "PREWHERE",
    "locks": "FOR UPDATE",
    "sample": "TABLESAMPLE",
    "hint": "a hint",
    "offset": "OFFSET",
    "pivots": "PIVOT",
    "kind": "SELECT AS",
    "into": "INTO before FROM",
}


def bind_query(node: exp.Expr, context: Context, outer: Scope | None = None) -> tuple[BoundQuery, Scope] | None:
    """A query of any kind, with the scope of its (first) SELECT; None, with findings, where it cannot be bound."""
    if isinstance(node, exp.Subquery):
        return bind_query(node.this, context, outer)
    _bind_ctes(node, context, outer)
    if isinstance(node, exp.SetOperation):
        from velostream.validation.unions import bind_union

        return bind_union(node, context, outer)
    if isinstance(node, exp.Select):
        return SelectBinder(context, outer).bind(node)
    context.findings.error("unsupported", "this is not a query", span_of(node), hint="write SELECT … FROM …")
    return None


def _bind_ctes(node: exp.Expr, context: Context, outer: Scope | None) -> None:
    clause = node.args.get("with_")
    if clause is None:
        return
    if clause.args.get("recursive"):
        context.findings.error(
            "unsupported", "recursive queries do not end on a stream", span_of(clause), hint="remove RECURSIVE"
        )
    names: set[str] = set()
    for member in clause.expressions:
        if member.alias.casefold() in names:
            message = f"two CTEs are named '{member.alias}'"
            context.findings.error("duplicate-name", message, span_of(member.args["alias"]), hint="rename one")
        names.add(member.alias.casefold())
        answer = bind_query(member.this, context, outer)
        if answer is not None:
            context.ctes[member.alias.casefold()] = _renamed(answer[0], member, context)


def _renamed(query: BoundQuery, member: exp.Expr, context: Context) -> BoundQuery:
    names = member.args["alias"].args.get("columns") or []
    if names:
        context.findings.error(
            "unsupported",
            "a CTE takes its column names from its query",
            span_of(names[0]),
            hint="use AS in its select list",
        )
    return query


class SelectBinder:
    """Binds one SELECT. `rows` binds expressions over records, before any grouping."""

    def __init__(self, context: Context, outer: Scope | None = None) -> None:
        self.context = context
        self.scope = Scope(outer=outer)
        self.rows = self._binder()
        self.members: list[BoundInput] = []
        self._numbers = 0

    def _binder(self) -> ExpressionBinder:
        context = self.context
        return ExpressionBinder(
            self.scope, context.findings, context.library, lambda node, scope: bind_query(node, context, scope)
        )

    def refuse(self, code: str, message: str, node: exp.Expr, hint: str = "") -> None:
        """An error at a node."""
        self.context.findings.error(code, message, span_of(node), hint=hint)

    def next_number(self) -> int:
        """A number for what has no name."""
        self._numbers += 1
        return self._numbers

    def nested(self, node: exp.Expr) -> BoundQuery | None:
        """A query in FROM."""
        answer = bind_query(node, self.context, self.scope.outer)
        return answer[0] if answer is not None else None

    def bind(self, node: exp.Select) -> tuple[BoundQuery, Scope] | None:
        """The bound SELECT and its scope; None, with findings, where an input cannot be read."""
        for key, words in REFUSED.items():
            if node.args.get(key):
                place = node.args[key]
                self.refuse(
                    "unsupported",
                    f"{words} is not supported on a stream",
                    place[0] if isinstance(place, list) else place,
                    "leave it out",
                )
        source, joins, fine = self._inputs(node)
        if not fine:
            return None
        inline_named_windows(node, self.refuse)
        if self.scope.outer is not None:
            mark(node, self.scope, self.context.library)
        where = node.args.get("where")
        condition = self.rows.condition(where.this, "WHERE") if where is not None else None
        if condition is not None:
            joins = tuple(helped_by_where(self, join, condition) for join in joins)
        window = self._window(node)
        return self._rest(node, source, joins, condition, window), self.scope

    def _inputs(self, node: exp.Select) -> tuple[BoundInput | None, tuple[BoundJoin, ...], bool]:
        clause = node.args.get("from_")
        if clause is None:
            return None, (), True
        source = bind_input(self, clause.this)
        fine = source is not None
        if source is not None:
            self._add(source, clause.this)
        joins: list[BoundJoin] = []
        nested_joins = list(clause.this.args.get("joins") or [])
        for join in [*nested_joins, *(node.args.get("joins") or [])]:
            bound = bind_join(self, join, source, joins)
            if bound is None:
                fine = False
            else:
                joins.append(bound)
        for lateral in [*(clause.this.args.get("laterals") or []), *(node.args.get("laterals") or [])]:
            member = bind_input(self, lateral)
            if isinstance(member, BoundUnnest):
                self._add(member, lateral)
                joins.append(BoundJoin("LEFT" if member.outer else "CROSS", member, "unnest", member.span))
            else:
                fine = False
        return source, tuple(joins), fine

    def _add(self, member: BoundInput, node: exp.Expr) -> None:
        if self.scope.input_named(member.alias) is not None:
            hint = f"give one of them another alias: … AS {member.alias}_2"
            self.refuse("duplicate-name", f"two inputs are named '{member.alias}'", node, hint)
        self.scope.inputs.append(scope_input(member))
        self.members.append(member)

    add_input = _add

    def _window(self, node: exp.Select) -> BoundWindow | None:
        clause = node.args.get("time_window")
        if not isinstance(clause, TimeWindow):
            return None
        return bind_window(clause, self.rows, self.context)

    def _rest(
        self,
        node: exp.Select,
        source: BoundInput | None,
        joins: tuple[BoundJoin, ...],
        where: BoundExpression | None,
        window: BoundWindow | None,
    ) -> BoundSelect:
        windowed = node.args.get("time_window") is not None
        aliases = Aliases.of(node)
        group_node, having_node = node.args.get("group"), node.args.get("having")
        parts = [*node.expressions, *([having_node.this] if having_node is not None else [])]
        aggregated = (
            windowed or group_node is not None or any(has_aggregate(part, self.context.library) for part in parts)
        )
        grouping = bind_grouping(self, node, aliases)
        if aggregated:
            self._enter_groups(windowed=windowed, window=window)
        bound_items = items.bind_items(self, node, aliases)
        if aggregated and group_node is None:
            grouping = items.implicit_grouping(self, bound_items, windowed=windowed)
        having = self._having(having_node, aliases, grouping)
        order = self.order_by(node.args.get("order"), aliases)
        emission = bind_emission(
            list(node.args.get("emits") or []), self.rows, self.context, windowed=windowed, grouped=aggregated
        )
        primary = self.scope.primary
        return BoundSelect(
            source=source,
            items=bound_items,
            schema=items.schema_of(bound_items, self.scope, aggregated=aggregated),
            span=span_of(node),
            joins=joins,
            where=where,
            grouping=grouping,
            window=window,
            having=having,
            order=order,
            limit=self.limit(node.args.get("limit")),
            emission=emission,
            distinct=self._distinct(node),
            aggregated=aggregated,
            windowed=windowed,
            row_windows=any(has_over(part) for part in parts),
            buffers=all(has_buffer(part) for part in parts),
            bounded=all(
                _is_bounded(member) for member in [source, *(join.right for join in joins)] if member is not None
            ),
            partition_by=tuple(self.rows.bind(part) for part in node.args.get("partition_by") or []),
            primary=primary.alias if primary is not None else "",
        )

    def _enter_groups(self, *, windowed: bool, window: BoundWindow | None) -> None:
        """From here on names speak of the rows of groups and windows."""
        self.scope.windowed = True
        columns: tuple[str, ...] = WINDOW if windowed else GROUPED
        if window is not None:
            columns += ("closed_by",) if window.assigner.name == "SESSION" else ()
            columns += ("_filled",) if self.context.settings.text("fill") != "none" else ()
            lengths = [getattr(window.assigner, p.name) for p in window.assigner.parameters if p.builds and p.required]
            self.scope.window_durations = (tuple(lengths), (*lengths, getattr(window.assigner, "offset", 0)))
        self.scope.window_columns = columns

    def _having(
        self, node: exp.Expr | None, aliases: Aliases, grouping: tuple[BoundExpression, ...]
    ) -> BoundExpression | None:
        if node is None:
            return None
        return self.rows.condition(aliases.substituted(node.this, self.scope, grouping), "HAVING")

    def order_by(self, node: exp.Expr | None, aliases: Aliases) -> tuple[BoundOrder, ...]:
        """The terms of ORDER BY."""
        if node is None:
            return ()
        terms = []
        for term in node.expressions:
            aliases.refuse_ordinal(term.this, "ORDER BY", self.refuse)
            tree = aliases.at_ordinal(term.this) or aliases.substituted(term.this, self.scope, (), first=True)
            descending = bool(term.args.get("desc"))
            bound = self.rows.bind(tree)
            if bound.type.name == "MAP":
                self.refuse("type-mismatch", "ORDER BY cannot compare a MAP", term, "order by one of its values")
            terms.append(BoundOrder(bound, descending, bool(term.args.get("nulls_first"))))
        return tuple(terms)

    def limit(self, node: exp.Expr | None) -> int | None:
        """The number of LIMIT."""
        if node is None:
            return None
        value = node.args.get("expression") or node.args.get("count")
        if isinstance(value, exp.Literal) and not value.is_string and value.name.isdecimal():
            return int(value.name)
        self.refuse("type-mismatch", "LIMIT takes a whole number", node, "LIMIT 10")
        return None

    def _distinct(self, node: exp.Select) -> bool:
        clause = node.args.get("distinct")
        if clause is not None and clause.args.get("on") is not None:
            self.refuse(
                "unsupported", "DISTINCT ON is not supported", clause, "use ROW_NUMBER() OVER (PARTITION BY …) = 1"
            )
        return clause is not None


def _is_bounded(member: BoundInput) -> bool:
    if isinstance(member, BoundSource):
        return member.relation.bounded or is_static(member)
    return member.query.bounded if isinstance(member, BoundSubquery) else True
