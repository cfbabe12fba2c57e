"""How values compare in Spark: NaN equals NaN and is the largest, −0.0 equals 0.0 unless a sort tells them apart.

A float becomes an integer whose order is that order, so that grouping and sorting by it are exact, and back again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

_BITS = {"FLOAT": ("Int32", 2**31 - 1), "DOUBLE": ("Int64", 2**63 - 1)}


def is_float(kind: Type) -> bool:
    """Whether values of this type can be NaN."""
    return kind.name in _BITS


def plain_zero(value: pl.Expr, kind: Type) -> pl.Expr:
    """The same value, −0.0 written as 0.0; adding 0.0 would be optimised away."""
    return pl.when(value == 0.0).then(pl.lit(0.0, dtype=dtype(kind))).otherwise(value) if is_float(kind) else value


def key_type(kind: Type) -> pl.DataType:
    """The Polars type of `key`."""
    if is_float(kind):
        bits: pl.DataType = getattr(pl, _BITS[kind.name][0])()
        return bits
    return dtype(kind)


def key(value: pl.Expr, kind: Type, *, signed_zero: bool = False) -> pl.Expr:
    """A value to group and sort by: the same value, but for floats an integer. `signed_zero` puts −0.0 before 0.0."""
    if not is_float(kind):
        return value
    value = value if signed_zero else plain_zero(value, kind)
    return _turned(value.fill_nan(float("nan")).reinterpret(dtype=key_type(kind)), kind)


def unkey(stored: pl.Expr, kind: Type) -> pl.Expr:
    """The value of a `key`."""
    return _turned(stored, kind).reinterpret(dtype=dtype(kind)) if is_float(kind) else stored


def _turned(bits: pl.Expr, kind: Type) -> pl.Expr:
    # The bits of negative floats grow away from zero: turning all but the sign puts them in order, and back.
    return pl.when(bits < 0).then(bits.xor(pl.lit(_BITS[kind.name][1], dtype=key_type(kind)))).otherwise(bits)
