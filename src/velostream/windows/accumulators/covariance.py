"""How two columns go together: CORR, COVAR_POP and COVAR_SAMP."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import DOUBLE, Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Cell, told
from velostream.windows.accumulators.cells.comoments import Comoments

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class CovarPop(Accumulator):
    """`COVAR_POP(x, y)`: the mean product of deviations, over rows that have both."""

    name: ClassVar[str] = "covar_pop"
    arity: ClassVar[int] = 2

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers, taken as DOUBLE."""
        return tuple(map(casting.double, given))

    @property
    def type(self) -> Type:
        """Always DOUBLE."""
        return DOUBLE

    @property
    def pairs(self) -> Comoments:
        """What is kept."""
        return Comoments(self.call.arguments[0], self.call.arguments[1], self.call.where)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Count, means, and sums of products."""
        return (self.pairs,)

    def finish(self) -> pl.Expr:
        """The covariance."""
        return self.pairs.part("xy") / self.pairs.part("n")


class CovarSamp(CovarPop):
    """`COVAR_SAMP(x, y)`: the covariance that a sample says of its population; NULL for a single pair."""

    name: ClassVar[str] = "covar_samp"

    def finish(self) -> pl.Expr:
        """The covariance."""
        n = self.pairs.part("n")
        return pl.when(n > 1).then(self.pairs.part("xy") / (n - 1))


class Corr(CovarPop):
    """`CORR(x, y)`: Pearson's coefficient, from −1 to 1; NULL for a single pair.

    Where all x or all y are equal it is a division by zero.
    """

    name: ClassVar[str] = "corr"

    @property
    def _divisor(self) -> pl.Expr:
        return (self.pairs.part("xx") * self.pairs.part("yy")).sqrt()

    def finish(self) -> pl.Expr:
        """The coefficient."""
        several = self.pairs.part("n") > 1
        return pl.when(several & (self._divisor != 0)).then(self.pairs.part("xy") / self._divisor)

    def error(self) -> pl.Expr | None:
        """All x or all y are equal."""
        equal = (self.pairs.part("n") > 1) & (self._divisor == 0)
        return told(equal, "divides by zero") if self.call.ansi else None
