"""How numbers are added and divided without loss: integers and decimals as 128-bit integers, range checked at the end.

Polars' own sums of Int64 and Decimal wrap or fail, and its mean of decimals is a float. A sum is kept here in one or
two parts that cannot overflow; whether the total fits its type is asked only of the result: order does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import BIGINT, DOUBLE, INTERVAL, Type, decimal
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

_LIMB = 18
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "DATE": 32}


def whole(number: int) -> pl.Expr:
    """A 128-bit constant."""
    return pl.lit(number, dtype=pl.Int128)


@dataclass(frozen=True, slots=True)
class Exact:
    """The arithmetic of one type of numbers (or of intervals, which are whole microseconds)."""

    type: Type

    @property
    def floats(self) -> bool:
        """Whether it is the arithmetic of floating point, which neither overflows nor is exact."""
        return self.type.name in ("FLOAT", "DOUBLE")

    @property
    def split(self) -> bool:
        """Whether a sum takes two parts, since values alone may fill 128 bits."""
        return self.type.name == "DECIMAL" and (self.type.precision or 0) > _LIMB

    @property
    def sum_type(self) -> Type:
        """The type of a SUM, as Spark has it."""
        if self.type.name == "DECIMAL":
            return decimal(min(38, (self.type.precision or 0) + 10), self.type.scale or 0)
        return BIGINT if self.type.is_integral else INTERVAL if self.type.name == "INTERVAL" else DOUBLE

    @property
    def mean_type(self) -> Type:
        """The type of an AVG, as Spark has it."""
        if self.type.name == "DECIMAL":
            return decimal(min(38, (self.type.precision or 0) + 4), min(38, (self.type.scale or 0) + 4))
        return INTERVAL if self.type.name == "INTERVAL" else DOUBLE

    @property
    def parts(self) -> dict[str, pl.DataType]:
        """The parts of a sum: a suffix, and the type that holds it."""
        if self.split:
            return {".high": pl.Int128(), ".low": pl.Int128()}
        return {"": pl.Float64() if self.floats else pl.Int128()}

    def apart(self, value: pl.Expr) -> list[pl.Expr]:
        """A value in the parts of a sum: they may be added and subtracted freely."""
        if self.floats:
            return [value.cast(pl.Float64)]
        units = value.to_physical().cast(pl.Int128)
        base = whole(10**_LIMB)
        return [units // base, units % base] if self.split else [units]

    def added(self, value: pl.Expr) -> list[pl.Expr]:
        """The parts of the sum of a column, as aggregation expressions. As many values of 32 bits as a frame may have
        fit into 64."""
        if _BITS.get(self.type.name, 64) <= 32:
            return [value.to_physical().cast(pl.Int64).sum().cast(pl.Int128)]
        return [part.sum() for part in self.apart(value)]

    def total(self, parts: Sequence[pl.Expr]) -> pl.Expr:
        """The sum in its smallest unit, a float for floats; NULL beyond 38 digits."""
        if not self.split:
            return parts[0]
        high, low = parts
        base = whole(10**_LIMB)
        carried = high + low // base
        held = carried.is_between(whole(-(10 ** (38 - _LIMB))), whole(10 ** (38 - _LIMB) - 1))
        return pl.when(held).then(carried * base + low % base)

    def overflows(self, parts: Sequence[pl.Expr]) -> pl.Expr | None:
        """True where the sum does not fit its type; None if it always does."""
        if self.floats:
            return None
        total = self.total(parts)
        return ~fits(total, self.sum_type).fill_null(False)

    def as_sum(self, parts: Sequence[pl.Expr]) -> pl.Expr:
        """The sum as a value of `sum_type`; NULL where it overflows."""
        return self.total(parts) if self.floats else valued(self.total(parts), self.sum_type)

    def as_mean(self, parts: Sequence[pl.Expr], count: pl.Expr) -> pl.Expr:
        """The mean as a `mean_type`, decimals rounded half up; NULL where it overflows or nothing was counted."""
        total, counted = self.total(parts), pl.when(count > 0).then(count)
        if self.mean_type == DOUBLE:
            return total.cast(pl.Float64) / counted
        return valued(self._quotient(total, counted.cast(pl.Int128)), self.mean_type)

    def mean_overflows(self, parts: Sequence[pl.Expr], count: pl.Expr) -> pl.Expr | None:
        """True where the sum or the mean of decimals does not fit; None if they always do."""
        if self.type.name != "DECIMAL":
            return None
        mean = self._quotient(self.total(parts), pl.when(count > 0).then(count).cast(pl.Int128))
        held = fits(self.total(parts), self.sum_type) & fits(mean, self.mean_type)
        return (count > 0) & ~held.fill_null(False)

    def _quotient(self, total: pl.Expr, count: pl.Expr) -> pl.Expr:
        # Whole part and remainder apart: total times a power of ten may not fit 128 bits, the remainder always does.
        digits = (self.mean_type.scale or 0) - (self.type.scale or 0)
        shift = whole(10**digits)
        size = total.abs()
        whole_part, rest = size // count, size % count
        small = pl.when(whole_part < whole(10 ** (38 - digits))).then(whole_part)
        return (small * shift + (rest * shift * whole(2) + count) // (count * whole(2))) * total.sign()


def bounds(kind: Type) -> tuple[int, int]:
    """The smallest and the largest value of an exact type, in its smallest unit."""
    if kind.name == "DECIMAL":
        return 1 - 10 ** (kind.precision or 0), 10 ** (kind.precision or 0) - 1
    bound = 2 ** (_BITS.get(kind.name, 64) - 1)
    return -bound, bound - 1


def fits(units: pl.Expr, kind: Type) -> pl.Expr:
    """Whether so many of the smallest units are a value of this exact type."""
    least, most = bounds(kind)
    return units.is_between(whole(least), whole(most))


def valued(units: pl.Expr, kind: Type) -> pl.Expr:
    """So many of the smallest units as a value of this exact type; NULL where it does not fit."""
    held = pl.when(fits(units, kind)).then(units)
    if kind.name == "DECIMAL":
        return held.reinterpret(dtype=dtype(kind))
    return held.cast(pl.Int64).cast(dtype(kind))


def between(before: pl.Expr, after: pl.Expr, gone: pl.Expr, way: pl.Expr, kind: Type) -> pl.Expr:
    """The value of this exact type that lies `gone` of `way` steps on the line between two, rounded to its last digit.

    The two are divided before they are added, so that nothing on the way is larger than they are.
    """
    left, right = (value.to_physical().cast(pl.Int128) for value in (before, after))
    steps, on = way.cast(pl.Int128), gone.cast(pl.Int128)
    rest = (left % steps) * (steps - on) + (right % steps) * on
    return valued((left // steps) * (steps - on) + (right // steps) * on + (2 * rest + steps) // (2 * steps), kind)
