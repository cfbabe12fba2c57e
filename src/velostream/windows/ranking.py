"""Rankings of rows: ORDER BY and LIMIT over a partition, top-N, and DISTINCT, which is the first of equal rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.errors import InvalidPlan
from velostream.windows.accumulators.base import Sort
from velostream.windows.rows.placing import grouped, sorted_by

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

RANKINGS = ("ROW_NUMBER", "RANK", "DENSE_RANK")
DISTINCT = "distinct rows, each known by its values"
FIRST_ROWS = "the first rows"
SORTED = "order and limit"


@dataclass(frozen=True)
class Ranking:
    """The rows of a partition in an order, those of them that rank among the first `limit`, all without one.

    `rank` is the column that holds the rank. With `trims` rows that do not rank are let go, which is right where rows
    are never withdrawn.
    """

    order: tuple[Sort, ...] = ()
    limit: int | None = None
    ranking: str = "ROW_NUMBER"
    rank: str = ""
    trims: bool = False
    kind: str = FIRST_ROWS

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 0:
            raise InvalidPlan(f"LIMIT {self.limit} is negative", hint="give zero or more")
        if self.ranking not in RANKINGS:
            raise InvalidPlan(f"'{self.ranking}' does not rank", hint=f"use one of {', '.join(RANKINGS)}")

    @property
    def results(self) -> list[str]:
        """The rank, where it is asked for."""
        return [self.rank] if self.rank else []

    def answered(self, rows: pl.DataFrame, over: list[str]) -> pl.DataFrame:
        """Rows sorted by partition and order, those that rank `_listed`."""
        ordered = sorted_by(grouped(rows, over), ["_group"], self.order)
        rank = self._rank().over("_group")
        listed = pl.lit(value=True) if self.limit is None else rank <= self.limit
        ranked = ordered.with_columns(rank.alias(self.rank or "_rank"), listed.alias("_listed"))
        if self.trims:
            ranked = ranked.with_columns((~pl.col("_listed")).alias("_leaves"))
        return ranked.drop("_group", *([] if self.rank else ["_rank"]))

    def _rank(self) -> pl.Expr:
        number = pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
        if self.ranking == "ROW_NUMBER":
            return number
        terms = [pl.col(sort.column) for sort in self.order]
        other = pl.any_horizontal(term.ne_missing(term.shift(1)) for term in terms) | (number == 1)
        if self.ranking == "DENSE_RANK":
            return other.cast(pl.Int64).cum_sum()
        return pl.when(other).then(number).forward_fill()
