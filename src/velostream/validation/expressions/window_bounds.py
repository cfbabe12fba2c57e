"""TUMBLE_START(), HOP_END(), SESSION_START() …: the bounds of the window that a row belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.types import TIMESTAMP, UNKNOWN, Type
from velostream.validation.expressions.access import field_node
from velostream.validation.expressions.literals import interval_micros
from velostream.validation.scope import Found

if TYPE_CHECKING:
    from velostream.validation.expressions.binder import ExpressionBinder

FUNCTIONS = {
    f"{kind}_{bound}": (kind, f"_window_{bound.casefold()}")
    for kind in ("TUMBLE", "HOP", "SESSION", "CUMULATE")
    for bound in ("START", "END")
}


def bind(binder: ExpressionBinder, node: exp.Expr, name: str) -> Type:
    """The system column that the call reads; outside of a window the record time, with a warning."""
    _, column = FUNCTIONS[name]
    if not binder.scope.windowed:
        message = f"{name}() outside of a window gives the record time"
        binder.warn("window-function-outside", message, node, "add WINDOW TUMBLING(1m)")
        column = "_timestamp"
    _check_arguments(binder, node, name)
    found = binder.scope.resolve(column)
    if not isinstance(found, Found):
        binder.refuse(found.code, found.message, node, found.hint)
        return UNKNOWN
    new = field_node(found)
    new.meta["system_time"] = True
    binder.replace(node, new)
    return TIMESTAMP


def _check_arguments(binder: ExpressionBinder, node: exp.Expr, name: str) -> None:
    """The older form repeats the window's arguments; they must be those of the window."""
    lengths = {id(argument): interval_micros(argument) for argument in node.expressions}
    written = sorted(length for length in lengths.values() if length is not None)
    for argument in node.expressions:
        if lengths[id(argument)] is None:
            binder.visit(argument)
    if written and binder.scope.window_durations and written not in map(sorted, binder.scope.window_durations):
        message = f"{name} repeats another window than the one of this query"
        binder.refuse("invalid-window", message, node, f"write {name}() without arguments")
