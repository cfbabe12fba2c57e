"""What every aggregate means, in plain Python over lists of rows, exact where possible: the oracle of random tests."""

import math
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from velostream.windows.accumulators.base import POSITION, Call

Row = dict[str, Any]
CONTEXT = Context(prec=120, rounding=ROUND_HALF_UP)


class DoesNotExist(Exception):
    """The group has no result: overflow, or a division by zero."""


def answer(call: Call, rows: list[Row]) -> Any:
    """The result of a call over the rows of one group."""
    counted = [row for row in rows if not call.where or row[call.where]]
    ordered = sorted(counted, key=lambda row: tuple(row[name] for name in POSITION))
    if call.name in PICKS:
        return PICKS[call.name](call, ordered)
    full = [row for row in ordered if all(row[name] is not None for name in call.arguments)]
    values = [plain(row[call.arguments[0]]) if call.arguments else 1 for row in full]
    if call.name == "count_distinct":
        values = [tuple(sortable(plain(row[name])) for name in call.arguments) for row in full]
    if call.name in PAIRS:
        pairs = [(row[call.arguments[0]], row[call.arguments[1]]) for row in full]
        return PAIRS[call.name](call, pairs)
    if call.distinct and call.name not in ("count_if",):
        firsts: dict[Any, Any] = {}
        for value in values:
            firsts.setdefault(sortable(value), value)
        values = list(firsts.values())
    return VALUES[call.name](call, values)


def plain(value: Any) -> Any:
    """−0.0 as 0.0: equal values are one."""
    return 0.0 if isinstance(value, float) and value == 0 else value


def sortable(value: Any) -> Any:
    """A key in Spark's order: NaN last, strings by their bytes."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


def exact(value: Any) -> Fraction:
    return Fraction(value)


def finite(values: list[Any]) -> bool:
    return all(math.isfinite(value) for value in values)


# sums


def total(call: Call, values: list[Any]) -> Any:
    if not values:
        return None
    if isinstance(values[0], float):
        return math.fsum(values) if finite(values) else sum(values)
    summed = sum(map(exact, values))
    if isinstance(values[0], int):
        return ranged(int(summed), -(2**63), 2**63 - 1)
    precision, scale = min(38, (call.types[0].precision or 0) + 10), call.types[0].scale or 0
    return decimal(summed, precision, scale)


def mean(call: Call, values: list[Any]) -> Any:
    if not values:
        return None
    if isinstance(values[0], float):
        summed = total(call, values)
        return summed / len(values)
    summed = sum(map(exact, values))
    if isinstance(values[0], int):
        return float(summed / len(values))
    total(call, values)
    kind = call.types[0]
    precision, scale = min(38, (kind.precision or 0) + 4), min(38, (kind.scale or 0) + 4)
    return decimal(summed / len(values), precision, scale)


def ranged(value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise DoesNotExist
    return value


def decimal(value: Fraction, precision: int, scale: int) -> Decimal:
    units = abs(value) * 10**scale
    rounded = (2 * units.numerator + units.denominator) // (2 * units.denominator)
    if rounded >= 10**precision:
        raise DoesNotExist
    return CONTEXT.scaleb(Decimal(-rounded if value < 0 else rounded), -scale)


# choices


def nth(last: bool, *, skip: bool = False) -> Callable[[Call, list[Row]], Any]:
    def pick(call: Call, rows: list[Row]) -> Any:
        known = [row for row in rows if row[call.arguments[0]] is not None or not (skip or call.ignore_nulls)]
        return known[-1 if last else 0][call.arguments[0]] if known else None

    return pick


def by_other(last: bool) -> Callable[[Call, list[Row]], Any]:
    def pick(call: Call, rows: list[Row]) -> Any:
        value, by = call.arguments
        known = sorted((row for row in rows if row[by] is not None), key=lambda row: sortable(plain(row[by])))
        return known[-1 if last else 0][value] if known else None

    return pick


def change(call: Call, rows: list[Row]) -> Any:
    first, last = nth(False, skip=True)(call, rows), nth(True, skip=True)(call, rows)
    if first is None or isinstance(first, float):
        return None if first is None else last - first
    if isinstance(first, int):
        bits = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}[call.types[0].name]
        return ranged(last - first, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    kind = call.types[0]
    return decimal(exact(last) - exact(first), min(38, (kind.precision or 0) + 1), kind.scale or 0)


PICKS: dict[str, Callable[[Call, list[Row]], Any]] = {
    "first": nth(False),
    "any_value": nth(False),
    "last": nth(True),
    "earliest": nth(False, skip=True),
    "latest": nth(True, skip=True),
    "min_by": by_other(False),
    "max_by": by_other(True),
    "delta": change,
}


# values


def mode(call: Call, values: list[Any]) -> Any:
    counts = Counter(map(sortable, values))
    tied = [value for value in values if counts[sortable(value)] == max(counts.values())]
    descending = any(sort.descending for sort in call.order)
    return (max if descending else min)(tied, key=sortable) if tied else None


def several(one: Callable[[list[Any], float], Any]) -> Callable[[Call, list[Any]], Any]:
    def answered(call: Call, values: list[Any]) -> Any:
        if not values:
            return None
        given = call.parameters[0] if call.parameters else 0.5
        ordered = sorted(values, key=sortable, reverse=any(sort.descending for sort in call.order))
        return [one(ordered, p) for p in given] if isinstance(given, list) else one(ordered, given)

    return answered


def between(ordered: list[Any], p: float) -> float:
    position = (len(ordered) - 1) * p
    low, high = (float(ordered[int(at)]) for at in (math.floor(position), math.ceil(position)))
    if low == high or position == int(position) or (math.isnan(low) and math.isnan(high)):
        return low
    return (math.ceil(position) - position) * low + (position - math.floor(position)) * high


def reached(ordered: list[Any], p: float) -> Any:
    return ordered[max(1, math.ceil(len(ordered) * p)) - 1]


def joined(call: Call, values: list[Any]) -> Any:
    return call.parameters[0].join(values) if values else None


def bits(combine: Callable[[int, int], int]) -> Callable[[Call, list[Any]], Any]:
    def answered(_: Call, values: list[Any]) -> Any:
        result = None
        for value in values:
            result = value if result is None else combine(result, value)
        return result

    return answered


def power(order: int, values: list[Any]) -> Any:
    middle = sum(map(exact, values)) / len(values)
    return sum((exact(value) - middle) ** order for value in values)


def spread(formula: Callable[[int, list[Any]], Any], *, least: int = 1) -> Callable[[Call, list[Any]], Any]:
    def answered(_: Call, values: list[Any]) -> Any:
        if len(values) < least:
            return None
        return formula(len(values), values) if finite(values) else math.nan

    return answered


def skew(n: int, values: list[Any]) -> Any:
    m2 = power(2, values)
    return math.sqrt(n) * float(power(3, values)) / math.sqrt(m2**3) if m2 else None


def tails(n: int, values: list[Any]) -> Any:
    m2 = power(2, values)
    return float(n * power(4, values) / m2**2 - 3) if m2 else None


def uniques(values: list[Any]) -> list[Any]:
    return [value for _, value in sorted({sortable(value): value for value in values}.items())]


VALUES: dict[str, Callable[[Call, list[Any]], Any]] = {
    "count": lambda _, values: len(values),
    "count_distinct": lambda _, values: len(uniques(values)),
    "approx_count_distinct": lambda _, values: len(uniques(values)),
    "count_if": lambda call, values: min(sum(values), 1) if call.distinct else sum(values),
    "sum": total,
    "avg": mean,
    "min": lambda _, values: min(values, key=sortable, default=None),
    "max": lambda _, values: max(values, key=sortable, default=None),
    "bool_and": lambda _, values: all(values) if values else None,
    "bool_or": lambda _, values: any(values) if values else None,
    "bit_and": bits(lambda a, b: a & b),
    "bit_or": bits(lambda a, b: a | b),
    "bit_xor": bits(lambda a, b: a ^ b),
    "array_agg": lambda _, values: values,
    "string_agg": joined,
    "collect_set": lambda _, values: uniques(values),
    "topk": lambda call, values: sorted(values, key=sortable, reverse=True)[: call.parameters[0]],
    "mode": mode,
    "median": several(between),
    "percentile_cont": several(between),
    "percentile_disc": several(lambda ordered, p: float(reached(ordered, p))),
    "approx_percentile": several(reached),
    "var_pop": spread(lambda n, values: float(power(2, values) / n)),
    "var_samp": spread(lambda n, values: float(power(2, values) / (n - 1)), least=2),
    "stddev_pop": spread(lambda n, values: math.sqrt(power(2, values) / n)),
    "stddev_samp": spread(lambda n, values: math.sqrt(power(2, values) / (n - 1)), least=2),
    "skewness": spread(skew),
    "kurtosis": spread(tails),
}


# pairs: the first argument is called y, as in REGR_*

Pairs = list[tuple[Any, Any]]


def product(pairs: Pairs, a: int, b: int) -> Any:
    if not finite([pair[a] for pair in pairs] + [pair[b] for pair in pairs]):
        return math.nan
    first, second = (sum(exact(pair[at]) for pair in pairs) / len(pairs) for at in (a, b))
    return sum((exact(pair[a]) - first) * (exact(pair[b]) - second) for pair in pairs)


def slope(pairs: Pairs) -> Any:
    xx, xy = product(pairs, 1, 1), product(pairs, 0, 1)
    return None if xx == 0 else float(xy / xx) if finite([xx, xy]) else math.nan


def intercept(pairs: Pairs) -> Any:
    steep = slope(pairs)
    if steep is None or math.isnan(steep):
        return steep
    y, x = (float(sum(exact(pair[at]) for pair in pairs) / len(pairs)) for at in (0, 1))
    return y - steep * x


def explained(pairs: Pairs) -> Any:
    yy, xx, xy = product(pairs, 0, 0), product(pairs, 1, 1), product(pairs, 0, 1)
    if xx == 0:
        return None
    if yy == 0:
        return 1.0
    return float(xy * xy / xx / yy) if finite([yy, xx, xy]) else math.nan


def correlated(call: Call, pairs: Pairs) -> Any:
    yy, xx, xy = product(pairs, 0, 0), product(pairs, 1, 1), product(pairs, 0, 1)
    if len(pairs) == 1:
        return None
    if yy == 0 or xx == 0:
        if call.ansi and finite([yy, xx]):
            raise DoesNotExist
        return None if finite([yy, xx]) else math.nan
    return float(xy) / math.sqrt(xx * yy) if finite([yy, xx, xy]) else math.nan


def when(least: int, formula: Callable[[Pairs], Any]) -> Callable[[Call, Pairs], Any]:
    return lambda _, pairs: formula(pairs) if len(pairs) >= least else None


PAIRS: dict[str, Callable[[Call, Pairs], Any]] = {
    "corr": lambda call, pairs: correlated(call, pairs) if pairs else None,
    "covar_pop": when(1, lambda pairs: float(product(pairs, 0, 1) / len(pairs))),
    "covar_samp": when(2, lambda pairs: float(product(pairs, 0, 1) / (len(pairs) - 1))),
    "regr_count": lambda _, pairs: len(pairs),
    "regr_avgx": when(1, lambda pairs: sum(pair[1] for pair in pairs) / len(pairs)),
    "regr_avgy": when(1, lambda pairs: sum(pair[0] for pair in pairs) / len(pairs)),
    "regr_sxx": when(1, lambda pairs: float(product(pairs, 1, 1))),
    "regr_syy": when(1, lambda pairs: float(product(pairs, 0, 0))),
    "regr_sxy": when(1, lambda pairs: float(product(pairs, 0, 1))),
    "regr_slope": when(1, slope),
    "regr_intercept": when(1, intercept),
    "regr_r2": when(1, explained),
}
