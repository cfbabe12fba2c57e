"""The percentages of a call: one or several numbers from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from velostream.errors import InvalidPlan
from velostream.windows.accumulators.base import Call


def percentages(call: Call, given: object) -> list[float]:
    """The percentages as floats; anything that is not from 0 to 1 is refused."""
    several: Sequence[Any] = given if isinstance(given, list | tuple) else [given]
    for one in several:
        if isinstance(one, bool) or not isinstance(one, int | float | Decimal) or not 0 <= one <= 1:
            message = f"{call.name.upper()} cannot be asked for {one!r}"
            raise InvalidPlan(
                message, hint="a percentage is a number from 0 to 1, such as 0.95", code="wrong-arguments"
            )
    return [float(one) for one in several]
