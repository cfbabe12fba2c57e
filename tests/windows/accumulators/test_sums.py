"""SUM, AVG and DELTA at the ends of their ranges, and their rounding."""

from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from velostream import types
from velostream.types import Type
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call, position_types
from velostream.windows.accumulators.dtypes import dtype

LONGEST = 10**38 - 1


def answer(name: str, kind: Type, values: list[Any], **options: Any) -> tuple[Any, str | None]:
    """Each value is a state of its own; all are merged at once."""
    aggregation = Aggregation((Call("r", name, ("x",), (kind,), **options),))
    columns = {name: [0] * len(values) for name in ("_event_time", "_partition")}
    data = {"x": values, **columns, "_source": ["a"] * len(values), "_offset": range(len(values))}
    rows = pl.DataFrame(data, schema={"x": dtype(kind), **position_types()})
    states = [aggregation.fold(rows[n : n + 1], []) for n in range(len(values))]
    (row,) = aggregation.finish(aggregation.merge(pl.concat(states), [])).to_dicts()
    return row["r"], row["_error"]


def test_a_sum_may_leave_the_range_on_its_way() -> None:
    assert answer("sum", types.BIGINT, [2**63 - 1, 2**63 - 1, -(2**63), -(2**63)]) == (-2, None)


@pytest.mark.parametrize("values", [[2**63 - 1, 1], [-(2**63), -1], [2**63 - 1] * 20])
def test_a_sum_of_integers_never_wraps(values: list[int]) -> None:
    assert answer("sum", types.BIGINT, values) == (None, "SUM(x) overflows BIGINT")


def test_small_integers_add_up_to_bigint() -> None:
    assert answer("sum", types.TINYINT, [127] * 5) == (635, None)


def test_a_decimal_sum_of_38_digits_is_exact() -> None:
    kind = types.decimal(38, 0)
    assert answer("sum", kind, [Decimal(LONGEST), Decimal(1 - LONGEST)]) == (Decimal(1), None)
    assert answer("sum", kind, [Decimal(LONGEST), Decimal(LONGEST), Decimal(-LONGEST)]) == (Decimal(LONGEST), None)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("times", [2, 5, 40])
def test_a_decimal_sum_never_wraps(sign: int, times: int) -> None:
    values = [Decimal(sign * LONGEST)] * times
    assert answer("sum", types.decimal(38, 0), values) == (None, "SUM(x) overflows DECIMAL(38,0)")


def test_just_beyond_38_digits_is_beyond() -> None:
    kind = types.decimal(38, 0)
    assert answer("sum", kind, [Decimal(LONGEST), Decimal(1)])[1] == "SUM(x) overflows DECIMAL(38,0)"
    assert answer("sum", kind, [Decimal(-LONGEST), Decimal(-1)])[1] == "SUM(x) overflows DECIMAL(38,0)"


def test_try_sum_and_try_avg_answer_null_where_others_fail() -> None:
    assert answer("try_sum", types.BIGINT, [2**63 - 1, 1]) == (None, None)
    assert answer("try_sum", types.BIGINT, [1, 1]) == (2, None)
    assert answer("try_avg", types.decimal(38, 0), [Decimal(LONGEST)]) == (None, None)


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        (["0.01", "0.02"], "0.015000"),
        (["0.01", "0.00", "0.00"], "0.003333"),
        (["0.02", "0.00", "0.00"], "0.006667"),
        (["-0.02", "0.00", "0.00"], "-0.006667"),
        (["0.01"] + ["0.00"] * 1999, "0.000005"),
        (["0.01"] + ["0.00"] * 1249, "0.000008"),
        (["-0.01"] + ["0.00"] * 799, "-0.000013"),
    ],
)
def test_a_decimal_mean_is_rounded_half_up_away_from_zero(values: list[str], mean: str) -> None:
    assert answer("avg", types.decimal(10, 2), [Decimal(one) for one in values]) == (Decimal(mean), None)


def test_a_decimal_mean_is_not_a_float() -> None:
    values = [Decimal("12345678901234567890.12"), Decimal("12345678901234567890.14")]
    assert answer("avg", types.decimal(22, 2), values) == (Decimal("12345678901234567890.130000"), None)


def test_a_mean_that_does_not_fit_its_four_more_places_is_an_error() -> None:
    assert answer("avg", types.decimal(38, 0), [Decimal(LONGEST)]) == (None, "AVG(x) overflows DECIMAL(38,4)")


def test_a_mean_of_integers_cannot_overflow() -> None:
    assert answer("avg", types.BIGINT, [2**63 - 1] * 3) == (float(2**63), None)


def test_intervals_add_up_until_they_do_not() -> None:
    from datetime import timedelta

    day = timedelta(days=1)
    assert answer("sum", types.INTERVAL, [day, day]) == (2 * day, None)
    assert answer("avg", types.INTERVAL, [timedelta(microseconds=n) for n in (0, 1)]) == (
        timedelta(microseconds=1),
        None,
    )
    assert answer("sum", types.INTERVAL, [100_000_000 * day, 100_000_000 * day]) == (None, "SUM(x) overflows INTERVAL")


def test_distinct_values_are_added_once() -> None:
    assert answer("sum", types.INT, [5, 5, 7], distinct=True) == (12, None)
    failed = answer("sum", types.BIGINT, [2**63 - 1, 1, 1], distinct=True)
    assert failed == (None, "SUM(DISTINCT x) overflows BIGINT")


@pytest.mark.parametrize(
    ("kind", "values", "result"),
    [
        (types.TINYINT, [-128, 0], (None, "DELTA(x) overflows TINYINT")),
        (types.BIGINT, [-(2**63), 0], (None, "DELTA(x) overflows BIGINT")),
        (types.decimal(38, 0), [Decimal(-LONGEST), Decimal(LONGEST)], (None, "DELTA(x) overflows DECIMAL(38,0)")),
        (types.decimal(37, 0), [Decimal(-(LONGEST // 10)), Decimal(1)], (Decimal(LONGEST // 10 + 1), None)),
        (types.INT, [3, 4, None], (1, None)),
        (types.INT, [None], (None, None)),
    ],
)
def test_a_change_never_wraps(kind: Type, values: list[Any], result: tuple[Any, str | None]) -> None:
    assert answer("delta", kind, values) == result


def test_a_correlation_with_a_constant_divides_by_zero() -> None:
    def corr(*, ansi: bool) -> dict[str, Any]:
        aggregation = Aggregation((Call("r", "corr", ("x", "y"), (types.DOUBLE, types.DOUBLE), ansi=ansi),))
        rows = pl.DataFrame({"x": [0.1] * 3, "y": [1.0, 2.0, 3.0]})
        return aggregation.finish(aggregation.fold(rows, [])).to_dicts()[0]

    assert corr(ansi=True) == {"r": None, "_error": "CORR(x, y) divides by zero"}
    assert corr(ansi=False) == {"r": None, "_error": None}
