"""Which rows that may be corrected a join of streams can take: those of windows, whose time stays what it was.

What a row said is taken back as long as it is held, and it is held by its time. A row whose time moves on would be
forgotten before its correction comes.
"""

from __future__ import annotations

from collections.abc import Iterator

from velostream.errors import VeloError
from velostream.plan.nodes import Aggregate, Filter, JoinStreams, JoinTable, Node, Project, SubqueryCheck

_PASSING = (Filter, Project, JoinTable, SubqueryCheck)
_IN_TIME = ("dead_letter", "drop")
_HINT = "join before the window or group, or set 'allowed.lateness' to 0 with EMIT FINAL in a window below the join"


def unjoinable(node: JoinStreams, *, keeps_previous: bool = False) -> Iterator[VeloError]:
    """All that keeps a join of streams from taking corrections; `keeps_previous` says that a node above asks what its
    rows said before."""
    for side in (node.left, node.right):
        why = _moving(side) if side.revises else ""
        if why:
            message = f"a join of streams cannot take corrections of rows {why}"
            yield VeloError(message, hint=_HINT, code="unsupported")
    if node.revises and node.uncertain:
        odd = node.uncertain[0]
        message = f"'{odd}' cannot be asked in a join of streams whose rows may be corrected"
        hint = "compare columns of one type: comparisons, AND, OR, NOT, IN, BETWEEN, IS NULL; DOUBLE for sums"
        yield VeloError(message, hint=hint, span=odd.span, code="join-unsupported")
    if node.revises and not node.identity:
        message = "rows of this join would not be known again when they are corrected"
        yield VeloError(message, hint="keep the keys and the window of each side in its SELECT", code="unsupported")
    if keeps_previous and (not node.revises or node.kind in ("RIGHT", "FULL")):
        message = f"what a {node.kind} JOIN of streams said before cannot be asked by what is above it"
        yield VeloError(message, hint="put the condition into ON, or use INNER or LEFT", code="unsupported")


def _moving(node: Node) -> str:
    """Of which rows corrections come that the join cannot take; empty where there are none."""
    if isinstance(node, Aggregate):
        if node.window is None:
            return "of groups without a window, whose time moves on"
        if node.emission.accumulation == "discarding":
            return "that forget what they said ('discarding')"
        return (
            ""
            if node.lateness.strategy in _IN_TIME
            else f"that come later than lateness allows ('{node.lateness.strategy}')"
        )
    if isinstance(node, JoinStreams):
        return ""
    if isinstance(node, Project) and node.event_time and node.outputs.get(node.input.time) != node.event_time:
        return "whose event time is computed"
    if isinstance(node, _PASSING):
        return _moving(node.children[0])
    return "of a ranking, OVER, UNION or stream of changes"
