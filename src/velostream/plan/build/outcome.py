"""The top of a SELECT: the select list, what travels with its rows, headers, DISTINCT, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.plan.build import headers
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.trees import bare
from velostream.plan.expression import Expression, reads
from velostream.plan.header_calls import HEADERS
from velostream.plan.nodes import Column, Distinct, Headers, Node, Order, OrderLimit, Project
from velostream.plan.nodes.base import EVENT_TIME, window_bounds
from velostream.plan.nodes.headers import EDITED
from velostream.plan.nodes.order_limit import BOUNDED, CONSOLE, PER_WINDOW, STOPS
from velostream.types import STRING, TIMESTAMP
from velostream.validation.bound import BoundSelect

NULL_KEY = "\\N"


@dataclass(slots=True)
class Item:
    """An item of the select list on its way up: its expression is over the fields of the node reached so far."""

    name: str
    expression: Expression
    visible: bool = True
    key: bool = False
    sets_event_time: bool = False


@dataclass(frozen=True, slots=True)
class Keyed:
    """A plan whose rows have a message key: the fields that it is made of, none where there is none."""

    node: Node
    key: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
    """All that a SELECT has come to below its select list: expressions are over the fields of `node`."""

    select: BoundSelect
    building: Building
    node: Node
    items: list[Item]
    order: list[Order]
    grouping: tuple[Expression, ...]
    partition_by: list[Expression]
    carried: tuple[str, ...] = ()

    def plan(self) -> Keyed:
        """The plan of the whole SELECT."""
        self._headers()
        shown = {item.name: Column(item.name, item.expression) for item in self.items if item.visible}
        key = self._key(shown)
        hidden = self._hidden(shown, key)
        columns = (*shown.values(), *hidden)
        time = EVENT_TIME if any(column.name == EVENT_TIME for column in columns) else ""
        node: Node = Project(self.node, columns, time, self._is_star)
        if self.select.distinct:
            ttl = None if node.windowed else value_of(self.building.settings, "state.ttl")
            node = Distinct(node, per_window=node.windowed, ttl=ttl)
        names = tuple(column.name for column in key)
        return Keyed(self._ordered(node, shown), names)

    @property
    def _is_star(self) -> bool:
        """`SELECT *` over columns that are known only when it runs."""
        return self.select.schema.is_open

    def _headers(self) -> None:
        primary = self.select.primary
        known = (HEADERS, f"{primary}.{EDITED}", f"{primary}.{HEADERS}")
        base = next((name for name in known if name in self.node.fields), "")
        edits = headers.edits_of([i.expression for i in self.items], self.node.fields, self.building.library)
        for item in self.items:
            item.expression = headers.without_edits(item.expression, base)
        if edits:
            self.node = Headers(self.node, edits, base)

    def _key(self, shown: dict[str, Column]) -> list[Column]:
        """The key's columns: items marked PRIMARY KEY, else PARTITION BY, else the grouping (SPEC A8)."""
        marked = [item for item in self.items if item.key]
        wanted = [item.expression for item in marked] or self.partition_by or list(self.grouping)
        found = []
        for expression in wanted:
            same = (each for each in shown.values() if bare(each.expression.tree) == bare(expression.tree))
            found.append(next(same, Column(self._hidden_name(expression, shown), expression, system=True)))
        return found

    def _hidden_name(self, expression: Expression, shown: dict[str, Column]) -> str:
        """The name under which something that was not selected travels: a column's own where it is free."""
        plain = expression.name.split(".")[-1] if expression.is_field else expression.name
        taken = {name.casefold() for name in shown}
        return expression.name if plain.casefold() in taken or plain in SYSTEM_COLUMNS else plain

    def _hidden(self, shown: dict[str, Column], key: list[Column]) -> list[Column]:
        """What travels with the rows beside the columns: each once, and none that a column has already."""
        hidden: dict[str, Column] = {}
        system = list(self._system(key, edited=EDITED if HEADERS in shown else HEADERS))
        outputs = {each.expression.name for each in (*shown.values(), *system, *key) if each.is_renamed}
        identity = [name for name in self.node.identity if name not in outputs]
        for each in (
            *system,
            *(Column(name, self._reads(name), system=True) for name in (*identity, *self.carried)),
            *(each for each in key if each.system),
            *(Column(term.expression.name, term.expression, system=True) for term in self._sorts(shown)),
        ):
            if each.name not in shown:
                hidden.setdefault(each.name, each)
        return list(hidden.values())

    def _sorts(self, shown: dict[str, Column]) -> Iterator[Order]:
        """Terms of ORDER BY that are no columns."""
        trees = [bare(each.expression.tree) for each in shown.values()]
        yield from (term for term in self.order if bare(term.expression.tree) not in trees)

    def _system(self, key: list[Column], edited: str) -> Iterator[Column]:
        """The system columns of the rows; the headers to write are called `edited`, where they are others."""
        times = [item.expression for item in self.items if item.sets_event_time]
        time = times[0] if times else self._event_time
        if time is not None:
            yield Column(EVENT_TIME, time, system=True)
        prefix = f"{self.select.primary}."
        own = next((name for name in (EDITED, prefix + EDITED) if name in self.node.fields), "")
        if own:
            yield Column(edited, self._reads(own), system=True)
        if self.select.aggregated:
            yield from (
                Column(f.name, self._reads(f.name), system=True)
                for f in self.node.fields
                if f.system and f.name != EDITED
            )
            now = Expression(exp.CurrentTimestamp(), TIMESTAMP)
            yield from (Column(name, now, system=True) for name in ("_timestamp", "_processing_time"))
            if key:
                yield Column("_key", key_text(key), system=True)
            return
        for member in self.node.fields:
            name = member.name.removeprefix(prefix)
            if member.system and name not in (member.name, EDITED) and "." not in name:
                yield Column(name, self._reads(member.name), system=True)

    @property
    def _event_time(self) -> Expression | None:
        """The event time of a row: that of the primary input; where an outer join may lack it, the other side's."""
        if self.select.aggregated:
            return self._reads(EVENT_TIME)
        names = [f"{self.select.primary}.{EVENT_TIME}"]
        for join in self.select.joins:
            if join.classification == "stream-stream" and join.kind in ("RIGHT", "FULL"):
                names.append(f"{join.right.alias}.{EVENT_TIME}")
        found = [self._reads(name) for name in names if name in self.node.fields]
        if len(found) < 2:
            return found[0] if found else None
        trees = [each.tree for each in found]
        return Expression(exp.Anonymous(this="COALESCE", expressions=trees), TIMESTAMP)

    def _reads(self, name: str) -> Expression:
        return reads(name, self.node.fields.of(name).type)

    def _ordered(self, node: Node, shown: dict[str, Column]) -> Node:
        if not self.order and self.select.limit is None:
            return node
        terms = []
        for term in self.order:
            same = (e for e in shown.values() if bare(e.expression.tree) == bare(term.expression.tree))
            name = next((each.name for each in same), term.expression.name)
            terms.append(replace(term, expression=reads(name, term.expression.type)))
        return OrderLimit(node, tuple(terms), self.select.limit, scope_of(node, ordered=bool(terms)))


def scope_of(node: Node, *, ordered: bool) -> str:
    """Over which rows an order or a limit holds."""
    if node.windowed and window_bounds(node):
        return PER_WINDOW
    if node.bounded and (ordered or node.revises or node.static):
        return BOUNDED
    return CONSOLE if ordered else STOPS


def key_text(key: list[Column]) -> Expression:
    """The message key as text: one value as it is; several joined with `|`, escaped, NULL as `\\N` (SPEC A8)."""
    texts = [exp.Cast(this=each.expression.tree.copy(), to=exp.DataType.build("string")) for each in key]
    if len(texts) == 1:
        return Expression(texts[0], STRING)
    parts: list[exp.Expr] = []
    for text in texts:
        escaped = _call("REPLACE", _call("REPLACE", text, _text("\\"), _text("\\\\")), _text("|"), _text("\\|"))
        parts += [_text("|"), _call("COALESCE", escaped, _text(NULL_KEY))]
    return Expression(_call("CONCAT", *parts[1:]), STRING)


def _call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _text(value: str) -> exp.Literal:
    return exp.Literal.string(value)
