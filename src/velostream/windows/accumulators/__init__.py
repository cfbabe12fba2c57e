"""Aggregates that merge, on whole frames of groups. A new one is one file, and one line here."""

from __future__ import annotations

from velostream.errors import InvalidPlan
from velostream.registry import by_name, did_you_mean
from velostream.types import Type
from velostream.windows.accumulators.base import Accumulator, Call
from velostream.windows.accumulators.count import Count, CountDistinct, CountIf
from velostream.windows.accumulators.sum import Avg, Sum

ACCUMULATORS: dict[str, type[Accumulator]] = by_name(
    (
        Count,
        CountDistinct,
        CountIf,
        Sum,
        Avg,
    )
)
"""Every accumulator by the name that the function registry uses."""


def accumulator(call: Call) -> Accumulator:
    """The accumulator of a call; one that cannot run is refused."""
    return _named(call.name)(call)


def casts(name: str, given: tuple[Type, ...]) -> tuple[Type, ...]:
    """The types that a call's arguments must be cast to before they are aggregated, as Spark does by itself."""
    return _named(name).casts(given)


def _named(name: str) -> type[Accumulator]:
    if name not in ACCUMULATORS:
        message = f"there is no accumulator '{name}'"
        raise InvalidPlan(message, hint=did_you_mean(name, ACCUMULATORS, "accumulators"), code="unknown-function")
    return ACCUMULATORS[name]
