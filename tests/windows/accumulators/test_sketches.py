"""Approximate aggregates where values are many: within their stated error, and the same for the same batches."""

import math
import random
from typing import Any

import numpy as np
import polars as pl
import pytest

from velostream import types
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call

COUNT = Aggregation((Call("n", "approx_count_distinct", ("x",), (types.BIGINT,)),))
RANKS = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
DIGEST = Aggregation((Call("p", "approx_percentile", ("x",), (types.DOUBLE,), parameters=(list(RANKS),)),))


def merged(aggregation: Aggregation, values: list[Any] | np.ndarray[Any, Any], batches: int, seed: int = 0) -> Any:
    rows = pl.DataFrame({"x": values})
    states = [aggregation.fold(rows[n::batches], []) for n in range(batches)]
    random.Random(seed).shuffle(states)
    (row,) = aggregation.finish(aggregation.merge(pl.concat(states), [])).to_dicts()
    return row[aggregation.calls[0].result]


@pytest.mark.parametrize("size", [1, 256, 257, 2_000, 50_000])
def test_distinct_values_are_counted_within_five_percent(size: int) -> None:
    values = list(range(size)) * 2
    random.Random(size).shuffle(values)
    found = merged(COUNT, values, 5)
    assert found == size if size <= 256 else math.isclose(found, size, rel_tol=0.05)


def test_the_count_depends_neither_on_batches_nor_on_their_order() -> None:
    values = list(range(5_000))
    assert len({merged(COUNT, values, batches, seed) for batches in (1, 2, 7) for seed in (1, 2)}) == 1


def test_a_smaller_error_takes_more_registers() -> None:
    close = Aggregation((Call("n", "approx_count_distinct", ("x",), (types.BIGINT,), parameters=(0.005,)),))
    assert list(close.state) == ["hll 16(x).values", "hll 16(x).sketch"]
    assert math.isclose(merged(close, list(range(20_000)), 3), 20_000, rel_tol=0.02)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (types.STRING, ["", "a", "b", "=", "a"]),
        (types.BINARY, [b"", b"\x00", b"=", b"\x00", b"x"]),
        (types.DOUBLE, [float("nan"), -float("nan"), 0.0, -0.0, 1.0, 2.0]),
        (types.BOOLEAN, [True, False, True]),
        (types.array(types.INT), [[1], [1, 2], [], [1], [2, 1]]),
    ],
)
def test_any_value_can_be_counted(kind: types.Type, values: list[Any]) -> None:
    aggregation = Aggregation((Call("n", "approx_count_distinct", ("x",), (kind,)),))
    exact = Aggregation((Call("n", "count_distinct", ("x",), (kind,)),))
    assert merged(aggregation, values, 2) == merged(exact, values, 2)


def test_strings_are_sketched_too_when_they_are_many() -> None:
    text = Aggregation((Call("n", "approx_count_distinct", ("x",), (types.STRING,)),))
    assert math.isclose(merged(text, [str(n) for n in range(3_000)] + [""], 3), 3_001, rel_tol=0.05)


def test_few_values_are_ranked_exactly() -> None:
    values = np.arange(1_000, dtype=np.float64)
    assert merged(DIGEST, values, 4) == [0.0, 9.0, 99.0, 249.0, 499.0, 749.0, 899.0, 989.0, 999.0]


@pytest.mark.parametrize("batches", [1, 13])
@pytest.mark.parametrize("shape", ["normal", "lognormal", "many equal"])
def test_many_values_are_ranked_within_half_a_percent(shape: str, batches: int) -> None:
    chance = np.random.default_rng(3)
    drawn = {
        "normal": chance.normal(size=60_000),
        "lognormal": chance.lognormal(sigma=2, size=60_000),
        "many equal": np.where(chance.random(60_000) < 0.5, 7.0, chance.normal(size=60_000)),
    }[shape]
    ordered = np.sort(drawn)
    found = merged(DIGEST, drawn, batches)
    assert (found[0], found[-1]) == (ordered[0], ordered[-1])
    for p, value in zip(RANKS, found, strict=True):
        low, high = (np.searchsorted(ordered, value, side=side) / len(ordered) for side in ("left", "right"))
        assert low - 0.005 <= p <= high + 0.005, (p, value)


def test_the_same_batches_in_any_order_give_the_same_digest() -> None:
    values = np.random.default_rng(5).normal(size=20_000)
    assert len({str(merged(DIGEST, values, 6, seed)) for seed in range(4)}) == 1


def test_what_is_not_finite_stands_at_the_ends() -> None:
    values = np.concatenate([np.full(100, -np.inf), np.arange(9_700.0), np.full(100, np.inf), np.full(100, np.nan)])
    asked = (0.0, 0.01, 0.5, 0.985, 1.0)
    aggregation = Aggregation((Call("p", "approx_percentile", ("x",), (types.DOUBLE,), parameters=(list(asked),)),))
    low, still_low, middle, high, highest = merged(aggregation, values, 3)
    assert (low, still_low, high) == (-math.inf, -math.inf, math.inf)
    assert math.isnan(highest)
    assert abs(middle - 4_900) < 50


def test_a_percentile_is_of_the_type_of_its_argument() -> None:
    extreme = Aggregation((Call("p", "approx_percentile", ("x",), (types.BIGINT,), parameters=([0.0, 1.0],)),))
    assert merged(extreme, [2**63 - 1, -(2**63)], 2) == [-(2**63), 2**63 - 1]
    many = Aggregation((Call("p", "approx_percentile", ("x",), (types.BIGINT,), parameters=(0.5, 50_000)),))
    assert next(iter(many.state)) == "digest 5000(x).values"
    assert abs(merged(many, list(range(20_000)), 3) - 10_000) < 40
