"""Moments far from zero, of equal values, and merged from unequal parts: no digits are lost."""

import math
import random
from fractions import Fraction

import polars as pl
import pytest

from velostream import types
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call

NAMES = ("var_samp", "skewness", "kurtosis")
SPREAD = Aggregation(tuple(Call(name, name, ("x",), (types.DOUBLE,)) for name in NAMES))


def merged(aggregation: Aggregation, parts: list[pl.DataFrame]) -> dict[str, float]:
    states = [aggregation.fold(part, []) for part in parts]
    (row,) = aggregation.finish(aggregation.merge(pl.concat(states), [])).to_dicts()
    return row


def cut(values: list[float]) -> list[pl.DataFrame]:
    """Parts of very different sizes."""
    sizes = [1, 2, len(values) // 2]
    starts = [0, 1, 3, 3 + len(values) // 2]
    ends = [*(start + size for start, size in zip(starts, sizes, strict=False)), len(values)]
    return [pl.DataFrame({"x": values[start:end]}) for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, 1.7e12])
def test_a_large_mean_costs_no_digits(offset: float) -> None:
    chance = random.Random(2)
    values = [offset + chance.expovariate(1) for _ in range(2_000)]
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    m2, m3, m4 = (sum((value - mean) ** power for value in exact) for power in (2, 3, 4))
    found = merged(SPREAD, cut(values))
    assert math.isclose(found["var_samp"], m2 / (len(values) - 1), rel_tol=1e-9)
    assert math.isclose(found["skewness"], math.sqrt(len(values)) * float(m3) / math.sqrt(m2**3), rel_tol=1e-9)
    assert math.isclose(found["kurtosis"], float(len(values) * m4 / m2**2 - 3), rel_tol=1e-9)


@pytest.mark.parametrize("value", [0.1, 1e15 + 0.3, 1e308, -1e-300])
def test_equal_values_do_not_deviate_at_all(value: float) -> None:
    found = merged(SPREAD, cut([value] * 23))
    assert found == {"var_samp": 0.0, "skewness": None, "kurtosis": None, "_error": None}


def test_equal_pairs_have_no_slope() -> None:
    names = ("regr_slope", "regr_r2", "covar_pop", "regr_sxx")
    pairs = Aggregation(tuple(Call(name, name, ("y", "x"), (types.DOUBLE, types.DOUBLE)) for name in names))
    parts = [pl.DataFrame({"y": [float(n) for n in range(size)], "x": [0.1] * size}) for size in (1, 3, 7)]
    assert merged(pairs, parts) == {
        "regr_slope": None,
        "regr_r2": None,
        "covar_pop": 0.0,
        "regr_sxx": 0.0,
        "_error": None,
    }
