"""About how many different values there were, in two kilobytes at most: a HyperLogLog sketch of 4,096 registers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import GROUP, TableCell
from velostream.windows.accumulators.cells.naming import counted, label
from velostream.windows.accumulators.ordering import is_float, key

if TYPE_CHECKING:
    import datasketches
    import polars as pl
else:
    datasketches = lazy("datasketches")
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Hll(TableCell):
    """A serialised sketch with 2 to the power of `size` registers; NULL where there was no value."""

    argument: str
    type: Type
    size: int
    where: str = ""

    @property
    def column(self) -> str:
        """The state column."""
        return label(f"hll {self.size}", self.argument, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """Bytes."""
        return {self.column: pl.Binary()}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    @property
    def estimate(self) -> pl.Expr:
        """About how many values; 0 where there was none."""
        return pl.col(self.column).map_batches(self._estimates, pl.Int64(), is_elementwise=True)

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Sketch values, each of a group once."""
        data = counted(rows, [self.argument], self.where).select(GROUP, self._datum().alias("value"))
        values = data.unique().group_by(GROUP).agg("value")
        sketches = [self._sketched(of) for of in values["value"].to_list()]
        return values.select(GROUP, pl.Series(self.column, sketches, dtype=pl.Binary))

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """Unite sketches."""
        held = states.select(GROUP, self.column).drop_nulls().group_by(GROUP).agg(self.column)
        united = [of[0] if len(of) == 1 else self._united(of) for of in held[self.column].to_list()]
        return held.select(GROUP, pl.Series(self.column, united, dtype=pl.Binary))

    def _datum(self) -> pl.Expr:
        # A sketch takes whole numbers and strings, but passes over an empty one; values must be the same in every run.
        value = pl.col(self.argument)
        if is_float(self.type):
            return key(value, self.type).cast(pl.Int64)
        match self.type.name:
            case "STRING":
                return pl.lit("=") + value
            case "BINARY":
                return pl.lit("=") + value.bin.encode("hex")
            case "DECIMAL":
                return value.to_physical().cast(pl.String)
            case "ARRAY" | "STRUCT":
                return pl.struct(value).struct.json_encode()
        return value.to_physical().cast(pl.Int64)

    def _sketched(self, values: Iterable[Any]) -> bytes:
        sketch = datasketches.hll_sketch(self.size, datasketches.tgt_hll_type.HLL_4)
        for value in values:
            sketch.update(value)
        packed: bytes = sketch.serialize_compact()
        return packed

    def _united(self, sketches: Iterable[bytes]) -> bytes:
        union = datasketches.hll_union(self.size)
        for sketch in sketches:
            union.update(datasketches.hll_sketch.deserialize(sketch))
        packed: bytes = union.get_result(datasketches.tgt_hll_type.HLL_4).serialize_compact()
        return packed

    def _estimates(self, sketches: pl.Series) -> pl.Series:
        return pl.Series(sketches.name, [self._estimated(sketch) for sketch in sketches.to_list()], dtype=pl.Int64)

    def _estimated(self, packed: bytes | None) -> int:
        if packed is None:
            return 0
        # A sketch that was never united estimates from the order of its values; united with itself it forgets it.
        sketch, union = datasketches.hll_sketch.deserialize(packed), datasketches.hll_union(self.size)
        union.update(sketch)
        union.update(sketch)
        estimate: float = union.get_estimate()
        return round(estimate)
