"""About how many different values there were: a HyperLogLog sketch, or the values while they are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.windows.accumulators.cells.sketch import Entry, Sketch
from velostream.windows.accumulators.ordering import is_float, key

if TYPE_CHECKING:
    import datasketches
    import polars as pl
else:
    datasketches = lazy("datasketches")
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Hll(Sketch):
    """A sketch with 2 to the power of `size` registers."""

    @property
    def kind(self) -> str:
        """HyperLogLog."""
        return "hll"

    @property
    def few(self) -> int:
        """As many as take about the room of a sketch."""
        return 256

    @property
    def datum_type(self) -> pl.DataType:
        """What a sketch takes: whole numbers, or strings."""
        return pl.String() if self.type.name in ("STRING", "BINARY", "DECIMAL", "ARRAY", "STRUCT") else pl.Int64()

    def datum(self) -> pl.Expr:
        """A whole number or a string that stands for the value."""
        value = pl.col(self.argument)
        if is_float(self.type):
            return key(value, self.type).cast(pl.Int64)
        match self.type.name:
            case "STRING":
                return value
            case "BINARY":
                return value.bin.encode("hex")
            case "DECIMAL":
                return value.to_physical().cast(pl.String)
            case "ARRAY" | "STRUCT":
                return pl.struct(value).struct.json_encode()
        return value.to_physical().cast(pl.Int64)

    def sketched(self, values: list[Entry], sketches: Sequence[bytes]) -> tuple[list[Entry], bytes]:
        """The union of all."""
        union = datasketches.hll_union(self.size)
        for sketch in sketches:
            union.update(datasketches.hll_sketch.deserialize(sketch))
        for entry in values:
            # A sketch passes over an empty string, so none is.
            union.update(f"={entry['value']}" if isinstance(entry["value"], str) else entry["value"])
        return [], union.get_result(datasketches.tgt_hll_type.HLL_4).serialize_compact()

    @property
    def estimate(self) -> pl.Expr:
        """How many values: exact while they are few; 0 where there was none."""
        exact = pl.col(self.values).list.len().cast(pl.Int64).fill_null(0)
        about = pl.col(self.sketch).map_batches(self._estimates, pl.Int64(), is_elementwise=True)
        return pl.when(pl.col(self.sketch).is_null()).then(exact).otherwise(about)

    def _estimates(self, sketches: pl.Series) -> pl.Series:
        estimates = [None if packed is None else self._estimated(packed) for packed in sketches.to_list()]
        return pl.Series(sketches.name, estimates, dtype=pl.Int64)

    def _estimated(self, packed: bytes) -> int:
        # A sketch that was never united estimates from the order of its values; united with itself it forgets it.
        sketch, union = datasketches.hll_sketch.deserialize(packed), datasketches.hll_union(self.size)
        union.update(sketch)
        union.update(sketch)
        estimate: float = union.get_estimate()
        return round(estimate)
