"""One SELECT as a plan: inputs, condition, groups, row windows, select list, order and limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlglot import exp

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.correlation import Correlation
from velostream.plan.build.grouping import Groups
from velostream.plan.build.joins import plan_join, plan_unnest
from velostream.plan.build.outcome import Item, Keyed, Outcome
from velostream.plan.build.row_windows import Overs
from velostream.plan.build.settings import emission_of, lateness_of
from velostream.plan.build.sources import plan_source, renamed
from velostream.plan.build.subqueries import PlanQuery, Subqueries
from velostream.plan.build.trees import bare, replaced
from velostream.plan.build.typing import planned
from velostream.plan.expression import Expression, all_of, parts_of, reads
from velostream.plan.fields import Fields
from velostream.plan.header_calls import HEADERS, reading
from velostream.plan.nodes import Aggregate, AggregateCall, Filter, Node, Order, Values, Window
from velostream.plan.nodes.aggregate import window_time
from velostream.plan.nodes.filter import HAVING
from velostream.plan.nodes.headers import EDITED
from velostream.types import TIMESTAMP
from velostream.validation.bound import (
    BoundExpression,
    BoundInput,
    BoundSelect,
    BoundSource,
    BoundSubquery,
    BoundUnnest,
)


class SelectPlanner:
    """Builds the plan of a SELECT from below; `node` is what has been reached."""

    def __init__(self, select: BoundSelect, building: Building, plan: PlanQuery, correlation: Correlation) -> None:
        self.select = select
        self.building = building
        self.plan_query = plan
        self.correlation = correlation
        self.items = [
            Item(item.name, planned(item.expression), item.visible, item.key, item.sets_event_time)
            for item in select.items
        ]
        self.having = None if select.having is None else planned(select.having)
        self.order = [Order(planned(term.expression), term.descending, term.nulls_first) for term in select.order]
        self.partition_by = [planned(each) for each in select.partition_by]
        self.keys: tuple[Expression, ...] = ()
        self.node: Node = Values((), ((),))
        self._headers_field = ""

    def plan(self) -> Keyed:
        """The plan, and the key of its rows."""
        self._inputs()
        elsewhere = [self.select.where, *(term.expression for term in self.select.order)]
        self.correlation.require_own(
            [each for each in expressions_of(self.select) if not any(each is other for other in elsewhere)],
            self.node.fields,
            self.select,
        )
        self._read_headers()
        correlated = self._where()
        if self.select.aggregated:
            self._groups(correlated)
        elif correlated:
            self.correlation.take_rows(correlated, self.node.fields)
        self._subqueries()
        if self.having is not None:
            self.node = Filter(self.node, self.having, origin=HAVING)
        self._row_windows()
        if self.correlation.conditions:
            self.correlation.take_order(self.order if self.correlation.limit is not None else [], self.node.fields)
            self.order = []
        carried = tuple(self.correlation.carried)
        outcome = Outcome(
            self.select, self.building, self.node, self.items, self.order, self.keys, self.partition_by, carried
        )
        return outcome.plan()

    def _inputs(self) -> None:
        read = tuple(dict.fromkeys(name for bound in expressions_of(self.select) for name in bound.fields))
        if self.select.source is None:
            return
        self.node = self._input(self.select.source, read)
        for join in self.select.joins:
            if isinstance(join.right, BoundUnnest):
                self.node = plan_unnest(self.node, join.right, outer=join.kind == "LEFT")
            else:
                self.node = plan_join(self.node, self._input(join.right, read), join, self.building)

    def _input(self, member: BoundInput, read: tuple[str, ...]) -> Node:
        if isinstance(member, BoundSource):
            return plan_source(member, self.building, read)
        if isinstance(member, BoundSubquery):
            inner = self.plan_query(member.query, self.building, Correlation(Fields()))
            return renamed(inner, member.alias)
        return plan_unnest(Values((), ((),)), member, outer=False)

    def _read_headers(self) -> None:
        """HEADER and its kin read the headers of the primary input, as it has edited them; it may have none."""
        known = (f"{self.select.primary}.{name}" for name in (EDITED, HEADERS))
        present = next((name for name in known if name in self.node.fields), "")
        self._headers_field = present
        self._rewrite(
            lambda expression: Expression(reading(expression.tree, present), expression.type, expression.span)
        )

    def _planned(self, bound: BoundExpression) -> Expression:
        """A bound expression over records."""
        return Expression(reading(bound.tree, self._headers_field), bound.type, bound.span)

    def _where(self) -> list[Expression]:
        """Adds the condition; answers with those parts of it that read the row around a subquery."""
        if self.select.where is None:
            return []
        parts = parts_of(self._planned(self.select.where))
        own, correlated = self.correlation.split(parts, self.node.fields)
        for part in correlated:
            self.correlation.require(part, self.node.fields, self.select)
        if correlated and (self.select.limit is not None or self.select.distinct):
            self.select = self.correlation.take_limit(self.select)
        if own:
            subqueries = Subqueries(self.node, self.building, self.plan_query)
            conditions = [subqueries.holding(part) for part in own]
            self.node = Filter(subqueries.node, all_of(conditions))
        return correlated

    def _groups(self, correlated: list[Expression]) -> None:
        select, building = self.select, self.building
        keys, condition = self._below_groups()
        keys += self.correlation.take_groups(correlated, select, self.node.fields, building)
        groups = Groups.of(tuple(keys), self.node.fields, building.library)
        self._rewrite(groups.above)
        calls = list(groups.calls.values())
        if self._headers_field:
            last = {self._headers_field: HEADERS}
            self._rewrite(lambda expression: expression.over(last))
            calls.append(_last_headers(self._headers_field))
        self.keys = tuple(reads(key.name, key.expression.type) for key in groups.keys)
        lateness = lateness_of(select, building)
        fill = "none" if select.window is None else str(value_of(building.settings, "fill", "none"))
        lasts = select.window is None or fill != "none" or lateness.strategy == "update_previous"
        self.node = Aggregate(
            self.node,
            keys=groups.keys,
            calls=tuple(calls),
            window=self._window(),
            emission=emission_of(select.emission, condition, windowed=select.window is not None),
            lateness=lateness,
            state_ttl=value_of(building.settings, "state.ttl") if lasts else None,
            fill=fill,
            implicit=self._is_implicit(),
        )

    def _below_groups(self) -> tuple[list[Expression], Expression | None]:
        """The keys, and the condition that fires; what they and aggregates ask of tables is asked for every record."""
        asking = Subqueries(self.node, self.building, self.plan_query)
        written = [self._planned(key) for key in self.select.grouping]
        keys = [asking.above(key) for key in written]
        known = {bare(old.tree): new.tree for old, new in zip(written, keys, strict=True) if old is not new}
        if known:
            self._rewrite(lambda each: replace(each, tree=replaced(each.tree, lambda node: _known(known, node))))
        self._rewrite(asking.inside_calls)
        if self.select.window is not None and self.select.window.key is not None:
            keys.append(self._planned(self.select.window.key))
        emission = self.select.emission
        fires = None if emission is None or emission.condition is None else self._planned(emission.condition)
        fires = None if fires is None else asking.above(fires)
        self.node = asking.node
        return keys, fires

    def _window(self) -> Window | None:
        window = self.select.window
        if window is None:
            return None
        time = reads(self.node.time, TIMESTAMP) if window.time is None else window_time(self._planned(window.time))
        return Window(window.assigner, time, window.retention)

    def _is_implicit(self) -> bool:
        """The binder takes an item itself as grouping where GROUP BY was not written."""
        own = [item.expression for item in self.select.items]
        return any(key is expression for key in self.select.grouping for expression in own)

    def _subqueries(self) -> None:
        subqueries = Subqueries(self.node, self.building, self.plan_query)
        self._rewrite(subqueries.above)
        self.node = subqueries.node

    def _row_windows(self) -> None:
        overs = Overs(self.node.fields, self.building, self.select.window is not None)
        self._rewrite(overs.above)
        self.node = overs.nodes(self.node)

    def _rewrite(self, above: Callable[[Expression], Expression]) -> None:
        for item in self.items:
            item.expression = above(item.expression)
        if self.having is not None:
            self.having = above(self.having)
        self.order = [Order(above(term.expression), term.descending, term.nulls_first) for term in self.order]
        self.partition_by = [above(each) for each in self.partition_by]


def _known(trees: dict[exp.Expr, exp.Expr], node: exp.Expr) -> exp.Expr | None:
    found = trees.get(bare(node))
    return None if found is None else found.copy()


def _last_headers(field: str) -> AggregateCall:
    """A group has the headers of its last event."""
    kind = SYSTEM_COLUMNS[HEADERS].type
    return AggregateCall(HEADERS, "LAST", "last", kind, (reads(field, kind),), system=True)


def expressions_of(select: BoundSelect) -> Iterator[BoundExpression]:
    """All expressions of a SELECT."""
    yield from (item.expression for item in select.items)
    yield from (each for each in (select.where, select.having) if each is not None)
    yield from (*select.grouping, *select.partition_by)
    yield from (term.expression for term in select.order)
    if select.window is not None:
        yield from (each for each in (select.window.time, select.window.key) if each is not None)
    if select.emission is not None and select.emission.condition is not None:
        yield select.emission.condition
    for join in select.joins:
        if join.condition is not None:
            yield join.condition
        if isinstance(join.right, BoundUnnest):
            yield from join.right.arguments
        if isinstance(join.right, BoundSource) and join.right.as_of is not None:
            yield join.right.as_of
