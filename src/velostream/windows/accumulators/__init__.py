"""Aggregates that merge, on whole frames of groups. A new one is one file, and one line here."""

from __future__ import annotations

from velostream.errors import InvalidPlan
from velostream.registry import by_name, did_you_mean
from velostream.types import Type
from velostream.windows.accumulators.approx_count_distinct import ApproxCountDistinct
from velostream.windows.accumulators.approx_percentile import ApproxPercentile
from velostream.windows.accumulators.base import Accumulates, Accumulator, Call, Distinct
from velostream.windows.accumulators.bits import BitAnd, BitOr, BitXor
from velostream.windows.accumulators.count import Count, CountDistinct, CountIf
from velostream.windows.accumulators.covariance import Corr, CovarPop, CovarSamp
from velostream.windows.accumulators.delta import Delta
from velostream.windows.accumulators.deviations import Kurtosis, Skewness, StddevPop, StddevSamp, VarPop, VarSamp
from velostream.windows.accumulators.distinct import over_distinct
from velostream.windows.accumulators.extremes import BoolAnd, BoolOr, Max, Min
from velostream.windows.accumulators.lists import ArrayAgg, CollectSet, StringAgg
from velostream.windows.accumulators.mode import Mode
from velostream.windows.accumulators.percentiles import Median, PercentileCont, PercentileDisc
from velostream.windows.accumulators.picks import AnyValue, Earliest, First, Last, Latest, MaxBy, MinBy
from velostream.windows.accumulators.python import Python
from velostream.windows.accumulators.regression import (
    RegrAvgx,
    RegrAvgy,
    RegrCount,
    RegrIntercept,
    RegrR2,
    RegrSlope,
    RegrSxx,
    RegrSxy,
    RegrSyy,
)
from velostream.windows.accumulators.sum import Avg, Sum, TryAvg, TrySum
from velostream.windows.accumulators.topk import TopK

_MEMBERS: tuple[type[Accumulator], ...] = (
    *(Count, CountDistinct, CountIf, ApproxCountDistinct),
    *(Sum, Avg, TrySum, TryAvg, Min, Max, BoolAnd, BoolOr, BitAnd, BitOr, BitXor),
    *(First, Last, AnyValue, Earliest, Latest, MinBy, MaxBy, Delta),
    *(ArrayAgg, StringAgg, CollectSet, TopK, Mode),
    *(Median, PercentileCont, PercentileDisc, ApproxPercentile),
    *(StddevSamp, StddevPop, VarSamp, VarPop, Skewness, Kurtosis, Corr, CovarSamp, CovarPop),
    *(RegrCount, RegrAvgx, RegrAvgy, RegrSxx, RegrSyy, RegrSxy, RegrSlope, RegrIntercept, RegrR2),
    Python,
)

ACCUMULATORS: dict[str, type[Accumulator]] = by_name(_MEMBERS)
"""Every accumulator by the name that the function registry uses."""


def accumulator(call: Call) -> Accumulates:
    """The accumulator of a call; one that cannot run is refused."""
    kind = _named(call.name)
    return over_distinct(kind, call) if call.distinct and kind.distinct is Distinct.VALUES else kind(call)


def casts(name: str, given: tuple[Type, ...]) -> tuple[Type, ...]:
    """The types that a call's arguments must be cast to before they are aggregated, as Spark does by itself."""
    return _named(name).casts(given)


def _named(name: str) -> type[Accumulator]:
    if name not in ACCUMULATORS:
        message = f"there is no accumulator '{name}'"
        raise InvalidPlan(message, hint=did_you_mean(name, ACCUMULATORS, "accumulators"), code="unknown-function")
    return ACCUMULATORS[name]
