"""What makes a call impossible: too many columns or constants, clauses that it does not take, wrong types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.errors import InvalidPlan

if TYPE_CHECKING:
    from velostream.windows.accumulators.base import Accumulator


def check(one: Accumulator) -> None:
    """Refuse the call that an accumulator was made for, if it cannot answer it."""
    call, name = one.call, one.call.name.upper()
    least, most = one.constants
    columns, types, constants = len(call.arguments), len(call.types), len(call.parameters)
    if columns != types or not one.takes(columns):
        raise _refused(f"{name} cannot take {columns} columns of {types} types", f"it takes {one.arity}")
    if not least <= constants <= most:
        raise _refused(f"{name} cannot take {constants} constants", f"it takes {least} to {most}")
    if call.distinct and not one.distinct.taken:
        raise _refused(f"{name} does not take DISTINCT", "leave out repeated values before")
    if call.ignore_nulls and not one.skips:
        raise _refused(f"{name} does not take IGNORE NULLS", "leave it out: NULLs do not count")
    if call.order and not one.sorts:
        raise _refused(f"{name} does not take ORDER BY", "leave it out: the order does not matter")
    if one.sorts_itself and any(sort.column != call.arguments[0] for sort in call.order):
        raise _refused(f"{name} cannot be sorted by another column", f"write ORDER BY {call.arguments[0]}")
    wanted = one.casts(call.types)
    if wanted != call.types:
        hint = f"cast to {', '.join(map(str, wanted))} before"
        raise _refused(f"{name} does not take {', '.join(map(str, call.types))}", hint, code="type-mismatch")


def _refused(message: str, hint: str, code: str = "wrong-arguments") -> InvalidPlan:
    return InvalidPlan(message, hint=hint, code=code)
