"""The state up to each step is what merging all steps up to it gives, whichever way it was found."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from velostream.types import BIGINT, DATE, DOUBLE, INT, STRING, TIMESTAMP, Type, decimal
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.running import running

BIG = (1 << 63) - 1
NUMBERS = ("count", "sum", "avg", "min", "max")
ORDERED = ("count", "min", "max")
CASES: list[tuple[Type, tuple[str, ...], list[Any]]] = [
    (BIGINT, (*NUMBERS, "stddev_pop", "median"), [BIG, None, BIG, 3, -BIG, None, 0, 7]),
    (INT, NUMBERS, [2**31 - 1, 2**31 - 1, None, -5, 0, 1, 2, 3]),
    (DOUBLE, NUMBERS, [1.5, float("nan"), None, -0.0, 0.0, float("inf"), 2.5, -1.0]),
    (decimal(38, 2), NUMBERS, [Decimal("9" * 36), None, Decimal("9" * 36), Decimal("-0.01"), *[Decimal(1)] * 4]),
    (decimal(10, 2), NUMBERS, [Decimal("1.25"), None, Decimal("-3.5"), *[Decimal("0.01")] * 5]),
    (DATE, ORDERED, [date(2024, 1, n) if n % 3 else None for n in range(1, 9)]),
    (TIMESTAMP, ORDERED, [datetime(2024, 1, 9 - n) if n % 3 else None for n in range(1, 9)]),
    (STRING, (*ORDERED, "array_agg"), ["b", None, "a", "c", "", "é", "z", None]),
]


@pytest.mark.parametrize(("kind", "functions", "values"), CASES, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("where", ["", "chosen"])
def test_every_prefix_is_the_merge_of_its_steps(
    kind: Type, functions: tuple[str, ...], values: list[Any], where: str
) -> None:
    calls = tuple(Call(name, name, ("value",), (kind,), where=where) for name in functions)
    aggregation = Aggregation(calls)
    rows = pl.DataFrame(
        {
            "key": ["a", "b"] * 4,
            "value": pl.Series(values, dtype=dtype(kind), strict=False),
            "chosen": [True, True, False, True, None, True, True, True],
            "_event_time": pl.Series(range(8), dtype=pl.Int64),
            "_source": ["s"] * 8,
            "_partition": pl.Series([0] * 8, dtype=pl.Int32),
            "_offset": pl.Series(range(8), dtype=pl.Int64),
            "step": range(8),
        }
    )
    steps = aggregation.fold(rows, ["key", "step"]).sample(fraction=1, shuffle=True, seed=3)
    found = aggregation.finish(running(aggregation, steps, ["key"], "step")).sort("step")
    for at in range(8):
        key = rows["key"][at]
        upto = steps.filter((pl.col("key") == key) & (pl.col("step") <= at))
        whole = aggregation.finish(aggregation.merge(upto, ["key"]))
        assert_frame_equal(found.filter(pl.col("step") == at).drop("step"), whole)


def test_states_that_never_saw_a_row_are_nothing() -> None:
    aggregation = Aggregation(
        (Call("n", "count"), Call("total", "sum", ("v",), (BIGINT,)), Call("m", "max", ("v",), (BIGINT,)))
    )
    steps = aggregation.fold(pl.DataFrame({"step": [1, 2], "v": [5, 3]}), ["step"])
    empty = pl.DataFrame({"step": [0]}).with_columns(
        pl.lit(None, kind).alias(name) for name, kind in aggregation.state.items()
    )
    found = aggregation.finish(running(aggregation, pl.concat([empty, steps]), [], "step"))
    assert found.select("n", "total", "m").rows() == [(0, None, None), (1, 5, 5), (2, 8, 5)]
