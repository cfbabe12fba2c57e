"""How far the event times lie apart that a row of joined streams has."""

from __future__ import annotations

from velostream.plan.nodes import JoinStreams, Node

FOREVER = 1 << 60
"""The bound of a join of inputs that end, where no other is given: longer than time itself, in microseconds."""
TOGETHER = (0, 0)


def reach(join: JoinStreams) -> tuple[int, int]:
    """The least and the most that right − left may be."""
    if join.bounds is not None:
        return join.bounds.lower, join.bounds.upper
    held = FOREVER if join.ttl is None else join.ttl
    return -held, held


def distance(node: Node, time: str) -> tuple[int, int]:
    """The least and the most that a time of a row may be from the event time of the row.

    A row that stays alone has the one time of its side for all.
    """
    if time == node.time or (isinstance(node, JoinStreams) and time == node.left_time):
        return TOGETHER
    if not isinstance(node, JoinStreams):
        below = next((child for child in node.children if not child.static and time in child.fields), None)
        return TOGETHER if below is None else distance(below, time)
    if time in node.left.fields:
        least, most = distance(node.left, node.left_time)
        low, high = distance(node.left, time)
        low, high = low - most, high - least
    else:
        least, most = reach(node)
        low, high = distance(node.right, time)
        low, high = low + least, high + most
    return min(low, 0), max(high, 0)
