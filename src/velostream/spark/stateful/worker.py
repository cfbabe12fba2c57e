"""The scan in the worker: records of a file are filtered, combined and routed where they are read.

It makes the frame that Spark would make before the router, in Polars, and hands it to the same router. Only what means
the same in both goes this way (velostream.plan.forms).
"""

from __future__ import annotations

import json
import math
from base64 import b64encode
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from velostream.sources.streams.watermarks import before
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.router import decoded
from velostream.windows.assigners.aligned import Aligned
from velostream.windows.forms import computed
from velostream.windows.hashing import hashes

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

UNDECODABLE, MISSING = "undecodable", "event_time_missing"
_TEXTS = ("_raw", "_fault", names.MARK)
_REPEATED = 4
"""How often texts come, on average, that are worth being coded."""


@dataclass(frozen=True)
class WorkerScan:
    """What becomes of the records of a file.

    `schema` are the columns that are read, system columns included; `declared` all columns of a record. `wanted` are
    the columns that the operator reads, by their forms, `keys` those among them that say where a row goes.
    """

    layout: Layout
    schema: pa.Schema
    declared: tuple[str, ...]
    wanted: tuple[tuple[str, tuple[Any, ...]], ...]
    keys: tuple[str, ...]
    conditions: tuple[tuple[Any, ...], ...]
    time: str
    source: str

    def routed(self, batches: Iterator[pa.RecordBatch], path: str, clock: int) -> Iterator[pa.RecordBatch]:
        """What goes to the buckets of the records of a file, and of the marks among them; `clock` is the batch's."""
        watermark = before(self.layout.watermarks)
        for batch in batches:
            if batch.num_rows:
                yield self.sent(batch, watermark, clock, path)

    def sent(
        self, batch: pa.RecordBatch, watermark: int | None, clock: int | None = None, path: str = ""
    ) -> pa.RecordBatch:
        """What goes to the buckets of some records; without the path of their file none of them may be at fault."""
        from velostream.spark.stateful.router import routed

        rows = self._prepared(_frame(batch), clock)
        rows = self._with_records(rows, watermark, path) if path else rows
        return routed(rows if self._keyed_late else self._keyed(rows), self.layout, watermark, self._keyed)

    @cached_property
    def _keyed_late(self) -> bool:
        """True where groups may be hashed instead of rows, since what they are combined to carries no hash."""
        folding = self.layout.folding
        return folding is not None and isinstance(folding.assigner, Aligned)

    def _prepared(self, frame: pl.DataFrame, clock: int | None) -> pl.DataFrame:
        """Rows as the router takes them."""
        import polars as pl

        time = pl.col(self.time).cast(pl.Int64)
        mark = pl.col(names.MARK).is_not_null()
        status = (
            pl.when(mark).then(pl.lit(None, pl.String)).when(pl.col("_fault").is_not_null()).then(pl.lit(UNDECODABLE))
        )
        status = status.when(pl.col(self.time).is_null()).then(pl.lit(MISSING))
        for condition in self.conditions:
            met = computed(condition).fill_null(value=False)
            status = status.when(~met).then(pl.lit(names.FILTERED))
        return frame.select(
            *(computed(form).alias(name) for name, form in self.wanted),
            time.alias("_event_time"),
            pl.lit(self.source).alias("_source"),
            "_partition",
            "_offset",
            *([] if clock is None else [pl.lit(clock, pl.Int64).alias(names.CLOCK)]),
            status.otherwise(pl.lit(None, pl.String)).alias(names.STATUS),
            pl.col("_fault").alias(names.DETAIL),
            names.MARK,
            pl.col("_raw").alias(names.RECORD),
        )

    def _keyed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with the hash of their keys, computed once for each distinct key, and with their bucket."""
        import polars as pl

        keys = list(self.keys)
        rows = decoded(rows)
        bucket = (pl.col(names.HASH) % len(self.layout.buckets)).cast(pl.Int32).alias(names.BUCKET)
        if not keys:
            return rows.with_columns(pl.lit(0, pl.Int64).alias(names.HASH)).with_columns(bucket)
        distinct = rows.select(keys).unique()
        known = distinct.with_columns(hashes(distinct, keys).alias(names.HASH)).with_columns(bucket)
        return rows.join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")

    def _with_records(self, rows: pl.DataFrame, watermark: int | None, path: str) -> pl.DataFrame:
        """Rows that may be dead letters with the record itself, read anew from the file: they are few."""
        import polars as pl

        tardy = pl.lit(value=True) if watermark is None else (pl.col("_event_time") < watermark).fill_null(value=True)
        at_fault = pl.col(names.STATUS).is_not_null() & (pl.col(names.STATUS) != names.FILTERED)
        asked = pl.col(names.MARK).is_null() & pl.col(names.RECORD).is_null() & (tardy | at_fault)
        numbered = rows.with_row_index("_row")
        wanted = numbered.filter(asked).select("_row", "_offset")
        if wanted.is_empty():
            return rows
        texts = records_of(path, self.declared, wanted["_offset"].to_list())
        found = wanted.select("_row", pl.Series("_text", texts, dtype=pl.String))
        joined = numbered.join(found, on="_row", how="left", maintain_order="left")
        record = pl.coalesce(names.RECORD, "_text").alias(names.RECORD)
        return joined.with_columns(record).drop("_row", "_text")


def _frame(batch: pa.RecordBatch) -> pl.DataFrame:
    """A batch as Polars has it; texts that no record has, as those of marks and faults, are not written out."""
    import polars as pl
    import pyarrow as pa

    absent = [name for name in _TEXTS if batch[name].null_count == batch.num_rows]
    coded = [field.name for field in batch.schema if pa.types.is_dictionary(field.type)]
    frame = pl.from_arrow(batch.drop_columns([*absent, *coded]))
    assert isinstance(frame, pl.DataFrame)
    more = [_texts(batch[name]).alias(name) for name in coded]
    return frame.with_columns(*more, *(pl.lit(None, pl.String).alias(name) for name in absent))


def _texts(column: pa.DictionaryArray) -> pl.Series:
    """Texts that were read as codes: they stay so where they repeat. The codes are those of the batch; what Polars
    shares between frames would keep all texts that ever came."""
    import polars as pl

    words = pl.Series(column.dictionary)
    if len(words) * _REPEATED > len(column) or words.null_count() or words.n_unique() < len(words):
        return pl.Series(column.dictionary_decode())
    return pl.Series(column.indices).cat.to(pl.Enum(words))


def records_of(path: str, columns: tuple[str, ...], offsets: list[int]) -> list[str]:
    """Records of a Parquet file by their index, as JSON without NULLs."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    present = {name.casefold(): name for name in reversed(file.schema_arrow.names)}
    names_of = {present[column.casefold()]: column for column in columns if column.casefold() in present}
    found: dict[int, str] = {}
    first, wanted = 0, sorted(offsets)
    for group in range(file.metadata.num_row_groups):
        count = file.metadata.row_group(group).num_rows
        here = [offset - first for offset in wanted[bisect_left(wanted, first) : bisect_left(wanted, first + count)]]
        if here:
            table = file.read_row_group(group, columns=list(names_of)).take(here)
            for place, row in zip(here, table.to_pylist(), strict=True):
                told = {names_of[name]: value for name, value in row.items() if value is not None}
                found[first + place] = "{" + ",".join(_member(name, value) for name, value in told.items()) + "}"
        first += count
    return [found[offset] for offset in offsets]


def _member(name: str, value: Any) -> str:
    """A member of a JSON object. A decimal is a number with all of its digits, which no float has room for; what JSON
    has no number for is told by name, as Spark does."""
    if isinstance(value, float) and not math.isfinite(value):
        value = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return f"{json.dumps(name)}:{value if isinstance(value, Decimal) else json.dumps(value, default=_text)}"


def _text(value: Any) -> str:
    """Times and bytes as Spark writes them here, all else as text."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return str(value)
