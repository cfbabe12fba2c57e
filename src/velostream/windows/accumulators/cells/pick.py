"""One value of a column, chosen by the order of records or of another column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import POSITION, ScalarCell, position_types
from velostream.windows.accumulators.cells.naming import label
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.ordering import key, key_type

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Pick(ScalarCell):
    """The value of the first record by position, or the `last`; by (`by`, position) where a column to go `by` is given.

    Rows whose `by` is NULL do not count, nor with `skip_nulls` those whose value is.
    """

    argument: str
    type: Type
    where: str = ""
    last: bool = False
    skip_nulls: bool = False
    by: str = ""
    by_type: Type | None = None

    @property
    def column(self) -> str:
        """The state column."""
        kind = ("last" if self.last else "first") + (" value" if self.skip_nulls else "")
        return label(kind, self.argument, *filter(None, [self.by]), where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One struct of the value and what it was chosen by, so that states compare; NULL where nothing counted."""
        by = {"by": key_type(self.by_type)} if self.by_type is not None else {}
        return {self.column: pl.Struct({"value": dtype(self.type), **by, **position_types()})}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, what it goes by, the position and the condition."""
        return (self.argument, *filter(None, (self.by, self.where)), *POSITION)

    @property
    def value(self) -> pl.Expr:
        """The chosen value."""
        return pl.col(self.column).struct.field("value")

    @property
    def _keys(self) -> list[str]:
        return ["by", *POSITION] if self.by else list(POSITION)

    def fold(self) -> Sequence[pl.Expr]:
        """Choose among rows."""
        keys = [pl.col(name) for name in POSITION]
        if self.by_type is not None:
            keys.insert(0, key(pl.col(self.by), self.by_type).alias("by"))
        tests = [pl.col(self.where)] if self.where else []
        tests += [pl.col(self.by).is_not_null()] if self.by else []
        tests += [pl.col(self.argument).is_not_null()] if self.skip_nulls else []
        rank = pl.struct(keys)
        counted = pl.when(pl.all_horizontal(tests)).then(rank) if tests else rank
        return [self._chosen(pl.struct(pl.col(self.argument).alias("value"), *keys), counted).alias(self.column)]

    def merge(self) -> Sequence[pl.Expr]:
        """Choose among the chosen."""
        held = pl.col(self.column)
        rank = pl.struct(held.struct.field(name) for name in self._keys)
        counted = pl.when(held.struct.field(POSITION[0]).is_not_null()).then(rank)
        return [self._chosen(held, counted).alias(self.column)]

    def _chosen(self, candidate: pl.Expr, rank: pl.Expr) -> pl.Expr:
        return candidate.max_by(rank) if self.last else candidate.min_by(rank)
