"""Where values lie, approximately: all different values while they are few, a t-digest when they are many.

While a group has at most as many different values as the digest has room for, nothing is approximate and nothing
depends on how the input was cut. Then the values move into the digest, always in sorted order, and digests are merged
in the order of their bytes: the same batches always give the same digest. What is not finite stays outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import GROUP, TableCell
from velostream.windows.accumulators.cells.naming import counted, label

if TYPE_CHECKING:
    import datasketches
    import numpy as np
    import polars as pl
else:
    datasketches = lazy("datasketches")
    np = lazy("numpy")
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Digest(TableCell):
    """Columns `.values` (sorted list of float and count) and `.digest` (bytes, NULL while values are few)."""

    argument: str
    type: Type
    size: int
    where: str = ""

    @property
    def _names(self) -> tuple[str, str]:
        name = label(f"digest {self.size}", self.argument, where=self.where)
        return f"{name}.values", f"{name}.digest"

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """A list and bytes."""
        values, digest = self._names
        return {values: pl.List(pl.Struct({"value": pl.Float64(), "n": pl.Int64()})), digest: pl.Binary()}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Count equal values, and digest them where they are many."""
        values = counted(rows, [self.argument], self.where)
        value = pl.col(self.argument)
        number = (value.to_physical() if self.type.is_temporal or self.type.name == "INTERVAL" else value).cast(
            pl.Float64
        )
        single = pl.when(number == 0.0).then(0.0).otherwise(number.fill_nan(float("nan")))
        tallied = values.group_by(GROUP, single.alias("value")).agg(pl.len().cast(pl.Int64).alias("n"))
        return self._settled(tallied, pl.DataFrame(schema={GROUP: rows.schema[GROUP], "digests": pl.List(pl.Binary())}))

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """Add the counts of equal values, merge digests, and digest values where they are many."""
        values, digest = self._names
        entries = states.select(GROUP, values).explode(values, keep_nulls=False).unnest(values)
        tallied = entries.group_by(GROUP, "value").agg(pl.col("n").sum())
        held = states.select(GROUP, pl.col(digest).alias("digests")).drop_nulls()
        return self._settled(tallied, held.sort("digests").group_by(GROUP).agg("digests"))

    def _settled(self, tallied: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
        values, digest = self._names
        listed = tallied.sort("value").group_by(GROUP).agg(pl.struct("value", "n").alias(values))
        states = listed.join(held, on=GROUP, how="full", coalesce=True)
        many = pl.col("digests").is_not_null() | (pl.col(values).list.len() > self.size)
        few, rest = states.filter(~many.fill_null(False)), states.filter(many.fill_null(False))
        settled = [self._digested(kept or [], digests or []) for _, kept, digests in rest.iter_rows()]
        digested = rest.select(
            GROUP,
            pl.Series(values, [kept for kept, _ in settled], dtype=self.columns[values]),
            pl.Series(digest, [packed for _, packed in settled], dtype=pl.Binary),
        )
        unchanged = few.select(GROUP, values, pl.lit(None, dtype=pl.Binary).alias(digest))
        return pl.concat([unchanged, digested])

    def _digested(self, values: list[dict[str, Any]], digests: Sequence[bytes]) -> tuple[list[dict[str, Any]], bytes]:
        merged = datasketches.tdigest_double(self.size)
        for packed in digests:
            merged.merge(datasketches.tdigest_double.deserialize(packed))
        finite = [entry for entry in values if np.isfinite(entry["value"])]
        merged.update(
            np.repeat([entry["value"] for entry in finite], [entry["n"] for entry in finite]).astype(np.float64)
        )
        packed = merged.serialize()
        return [entry for entry in values if not np.isfinite(entry["value"])], packed

    def at(self, percentages: Sequence[float]) -> pl.Expr:
        """A list of the values at these percentages, as floats; NULL where there was no value."""
        values, digest = self._names
        kept = pl.element().struct.field("value")
        reached = pl.element().struct.field("n").cum_sum()
        few = [
            pl.col(values).list.agg(kept.filter(reached >= (reached.last() * p).ceil().clip(1)).first())
            for p in percentages
        ]
        exact = pl.when(pl.col(values).list.len() > 0).then(pl.concat_list(few))

        def estimate(states: pl.Series) -> pl.Series:
            found = [_estimated(kept or [], packed, percentages) for kept, packed in states.struct.unnest().iter_rows()]
            return pl.Series(states.name, found, dtype=pl.List(pl.Float64))

        many = pl.struct(values, digest).map_batches(estimate, pl.List(pl.Float64()), is_elementwise=True)
        return pl.when(pl.col(digest).is_null()).then(exact).otherwise(many)


def _estimated(outside: list[dict[str, Any]], packed: bytes | None, percentages: Sequence[float]) -> list[float] | None:
    if packed is None:
        return None
    digest = datasketches.tdigest_double.deserialize(packed)
    inside = digest.get_total_weight()
    below = sum(entry["n"] for entry in outside if entry["value"] == -np.inf)
    above = [(entry["value"], entry["n"]) for entry in outside if entry["value"] != -np.inf]
    total = inside + below + sum(n for _, n in above)

    def at(p: float) -> float:
        rank = max(1, int(np.ceil(p * total))) - below
        if rank < 1:
            return float("-inf")
        if rank == 1:
            return float(digest.get_min_value())
        if rank == inside:
            return float(digest.get_max_value())
        if rank < inside:
            return float(digest.get_quantile((rank - 0.5) / inside))
        infinities = sum(n for value, n in above if value == np.inf)
        return float("inf") if rank <= inside + infinities else float("nan")

    return [at(p) for p in percentages]
