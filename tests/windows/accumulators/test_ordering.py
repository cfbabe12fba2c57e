"""Values as keys: Spark's order of floats, and every value back as it was."""

import math
import struct

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream import types
from velostream.errors import InvalidType
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.ordering import key, key_type, unkey


def keys(values: list[float], kind: types.Type, *, signed_zero: bool = False) -> list[int]:
    frame = pl.DataFrame({"x": values}, schema={"x": dtype(kind)})
    found = frame.select(key(pl.col("x"), kind, signed_zero=signed_zero))
    assert found.dtypes == [key_type(kind)]
    return found.to_series().to_list()


@pytest.mark.parametrize("kind", [types.DOUBLE, types.FLOAT])
def test_the_order_is_that_of_numbers_and_nan_is_last(kind: types.Type) -> None:
    ordered = [-math.inf, -2.0, -1e-30, 0.0, 1e-30, 2.0, math.inf, math.nan]
    found = keys(ordered, kind)
    assert found == sorted(found)
    assert len(set(found)) == len(ordered)


def test_zeros_are_one_unless_their_signs_count() -> None:
    zero, minus = keys([0.0, -0.0], types.DOUBLE)
    assert zero == minus
    zero, minus = keys([0.0, -0.0], types.DOUBLE, signed_zero=True)
    assert minus < zero


def test_every_nan_is_one() -> None:
    odd = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0001))[0]
    assert len(set(keys([math.nan, -math.nan, odd], types.DOUBLE))) == 1


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_a_value_comes_back_from_its_key(values: list[float]) -> None:
    frame = pl.DataFrame({"x": values})
    back = frame.select(unkey(key(pl.col("x"), types.DOUBLE, signed_zero=True), types.DOUBLE)).to_series().to_list()
    assert [struct.pack("<d", value) for value in back] == [struct.pack("<d", value) for value in values]


def test_types_without_values_in_arrow_are_refused() -> None:
    with pytest.raises(InvalidType, match="UNKNOWN") as refusal:
        dtype(types.UNKNOWN)
    assert "STRING" in refusal.value.hint


def test_times_and_nested_types_have_a_polars_type() -> None:
    nested = types.struct(("a", types.array(types.TIMESTAMP_NTZ)), ("b", types.map_of(types.STRING, types.TIMESTAMP)))
    times = pl.List(pl.Datetime("us"))
    assert dtype(nested) == pl.Struct({"a": times, "b": pl.Map(pl.String(), pl.Datetime("us", "UTC"))})
