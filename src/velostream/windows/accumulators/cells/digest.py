"""Where values lie, approximately: a t-digest, or the values while they are few. What is not finite stays outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import DOUBLE
from velostream.windows.accumulators.cells.sketch import Entry, Sketch
from velostream.windows.accumulators.ordering import plain_zero
from velostream.windows.accumulators.ranks import Ranks

if TYPE_CHECKING:
    import datasketches
    import numpy as np
    import polars as pl
else:
    datasketches = lazy("datasketches")
    np = lazy("numpy")
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Digest(Sketch):
    """A t-digest of `size`: the error of a rank is below 5 / `size`, and much smaller near both ends."""

    @property
    def kind(self) -> str:
        """t-digest."""
        return "digest"

    @property
    def few(self) -> int:
        """As many as take less room than a digest."""
        return self.size

    @property
    def datum_type(self) -> pl.DataType:
        """Values are taken as floats, as Spark takes them."""
        return pl.Float64()

    def datum(self) -> pl.Expr:
        """The value as a float, one NaN and one zero."""
        value = pl.col(self.argument)
        number = value.cast(pl.Float64) if self.type.is_numeric else value.to_physical().cast(pl.Float64)
        return plain_zero(number.fill_nan(float("nan")), DOUBLE)

    def sketched(self, values: list[Entry], sketches: Sequence[bytes]) -> tuple[list[Entry], bytes]:
        """A digest of all finite values."""
        digest = datasketches.tdigest_double(self.size)
        for packed in sketches:
            digest.merge(datasketches.tdigest_double.deserialize(packed))
        finite = [entry for entry in values if np.isfinite(entry["value"])]
        numbers = np.array([entry["value"] for entry in finite], dtype=np.float64)
        digest.update(np.repeat(numbers, [entry["n"] for entry in finite]))
        return [entry for entry in values if not np.isfinite(entry["value"])], digest.serialize()

    def at(self, percentages: Sequence[float]) -> pl.Expr:
        """A list of the values at these percentages, as floats; NULL where there was no value."""

        def answer(states: pl.Series) -> pl.Series:
            held = states.struct.unnest()
            ranks = Ranks(held[self.values])
            exact = pl.DataFrame([ranks.share(p).alias(str(i)) for i, p in enumerate(percentages)])
            several = exact.select(pl.concat_list(exact.columns).alias("exact")).with_columns(held)
            some = several.with_columns(pl.when(pl.col(self.values).list.len() > 0).then("exact").alias("exact"))
            digested = some[self.sketch].is_not_null()
            if not digested.any():
                return some["exact"].alias(states.name)
            rows = some.select("exact", self.values, self.sketch).iter_rows()
            found = [
                known if packed is None else _estimated(values or [], packed, percentages)
                for known, values, packed in rows
            ]
            return pl.Series(states.name, found, dtype=pl.List(pl.Float64))

        both = pl.struct(self.values, self.sketch)
        return both.map_batches(answer, pl.List(pl.Float64()), is_elementwise=True)


def _estimated(outside: list[Entry], packed: bytes, percentages: Sequence[float]) -> list[float]:
    digest = datasketches.tdigest_double.deserialize(packed)
    counts = {entry["value"]: entry["n"] for entry in outside if not np.isnan(entry["value"])}
    below, inside, above = counts.get(-np.inf, 0), digest.get_total_weight(), counts.get(np.inf, 0)
    total = inside + sum(entry["n"] for entry in outside)

    def at(p: float) -> float:
        rank = max(1, int(np.ceil(p * total))) - below
        if rank < 1:
            return float("-inf")
        if rank > inside:
            return float("inf") if rank <= inside + above else float("nan")
        ends = {1: digest.get_min_value, inside: digest.get_max_value}
        return float(ends[rank]() if rank in ends else digest.get_quantile((rank - 0.5) / inside))

    return [at(p) for p in percentages]
