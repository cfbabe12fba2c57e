"""Whether an order is that of event time, under whatever name a column has it."""

from __future__ import annotations

from velostream.plan.expression import Expression
from velostream.plan.nodes import Aggregate, Node, Order, Project, Scan
from velostream.plan.nodes.base import EVENT_TIME, WINDOW_END, WINDOW_START

_STEADY = ("TUMBLING", "SLIDING")
"""Windows that end in the order in which they begin."""


def by_time(node: Node, order: tuple[Order, ...]) -> bool:
    """True where rows of `node` in this order are in the order of their event time, oldest first."""
    return bool(order) and not order[0].descending and is_time(node, order[0].expression)


def is_time(node: Node, expression: Expression) -> bool:
    """True where an expression over the fields of `node` grows with their event time."""
    if not expression.is_field:
        return False
    name = expression.name
    if name == node.time:
        return True
    if isinstance(node, Scan):
        return node.event_time.semantics == "event" and name == f"{node.alias}.{node.event_time.column}"
    if isinstance(node, Aggregate):
        steady = node.window is not None and node.window.name in _STEADY
        return node.windowed and name in (WINDOW_END, EVENT_TIME, *((WINDOW_START,) if steady else ()))
    if isinstance(node, Project):
        if node.sets_time:
            return False
        source = next((each.expression for each in node.columns if each.name == name), None)
        return source is not None and is_time(node.input, source)
    if len(node.children) == 1 and name in node.children[0].fields:
        return is_time(node.children[0], expression)
    return False
