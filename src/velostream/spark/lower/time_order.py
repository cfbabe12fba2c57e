"""Whether an order is that of event time, under whatever name a column has it."""

from __future__ import annotations

from velostream.plan.expression import Expression
from velostream.plan.nodes import Aggregate, JoinStreams, Node, Order, Project, Scan
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


def moves_in_time(node: Aggregate) -> bool:
    """True where a correction of a row below may have another time than the row, and so belong to another window."""
    time = node.window.time if node.window is not None else None
    if time is not None and not time.is_field:
        return True
    return not _stays(node.input, time.name if time is not None else node.input.time)


def _stays(node: Node, name: str) -> bool:
    """True where no correction of a row of `node` changes this field."""
    if isinstance(node, Scan) or not node.revises:
        return True
    if isinstance(node, Aggregate):
        keys = {key.name for key in node.keys}
        bounds = {WINDOW_START, WINDOW_END, EVENT_TIME}
        return name in keys or (node.window is not None and not node.window.assigner.moves and name in bounds)
    if isinstance(node, Project):
        source = next((each.expression for each in node.columns if each.name == name), None)
        return source is not None and source.is_field and _stays(node.input, source.name)
    if isinstance(node, JoinStreams):
        return all(_stays(child, child.time) for child in node.children)
    return all(_stays(child, name) for child in node.children if name in child.fields)
