"""A query of any kind as a plan: a SELECT, or a UNION of queries."""

from __future__ import annotations

from velostream.plan.build.context import Building, value_of
from velostream.plan.build.correlation import Correlation
from velostream.plan.build.outcome import Keyed, scope_of
from velostream.plan.build.select import SelectPlanner
from velostream.plan.build.trees import bare
from velostream.plan.expression import reads
from velostream.plan.fields import Fields
from velostream.plan.nodes import Distinct, Node, Order, OrderLimit, Union
from velostream.validation.bound import BoundOrder, BoundQuery, BoundSelect, BoundUnion


def plan_query(query: BoundQuery, building: Building, correlation: Correlation) -> Node:
    """The rows of a query."""
    return plan_keyed(query, building, correlation).node


def plan_keyed(query: BoundQuery, building: Building, correlation: Correlation | None = None) -> Keyed:
    """The rows of a query, and what their key is."""
    if isinstance(query, BoundSelect):
        return SelectPlanner(query, building, plan_query, correlation or Correlation(Fields())).plan()
    sides = [plan_keyed(side, building, Correlation(Fields())) for side in _sides(query)]
    keys = {side.key for side in sides}
    node: Node = Union(tuple(side.node for side in sides))
    if query.distinct:
        ttl = None if node.windowed else value_of(building.settings, "state.ttl")
        node = Distinct(node, per_window=node.windowed, ttl=ttl)
    if query.order or query.limit is not None:
        order = tuple(_term(term, query, node) for term in query.order)
        node = OrderLimit(node, order, query.limit, scope_of(node, ordered=bool(order)))
    key = keys.pop() if len(keys) == 1 else ()
    return Keyed(node, key if all(name in node.fields for name in key) else ())


def _sides(query: BoundUnion) -> list[BoundQuery]:
    """The sides of a UNION; those of a UNION inside one of the same kind are sides of it all."""
    found: list[BoundQuery] = []
    for side in (query.left, query.right):
        nested = isinstance(side, BoundUnion) and side.distinct == query.distinct
        if isinstance(side, BoundUnion) and nested and not side.order and side.limit is None:
            found += _sides(side)
        else:
            found.append(side)
    return found


def _term(term: BoundOrder, query: BoundUnion, node: Node) -> Order:
    """A term of ORDER BY over a UNION: it names an output column, by its name or by what the first SELECT computes."""
    first = _sides(query)[0]
    items = first.items if isinstance(first, BoundSelect) else ()
    same = (item.name for item in items if bare(item.expression.tree) == bare(term.expression.tree))
    plain = term.expression.tree.name.split(".")[-1]
    name = next(same, plain)
    return Order(reads(name, node.fields.of(name).type), term.descending, term.nulls_first)
