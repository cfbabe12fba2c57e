"""JSON records that are decoded and combined before Spark decodes them.

Records on which every reader of JSON agrees, and which cannot be late, are routed at once. All others go on as they
are: Spark decodes them, and the router behind sends them with what was routed here, which travels as marks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.durations import FIRST, LAST
from velostream.formats.decoding.header_texts import listed
from velostream.formats.decoding.json_columns import read_columns
from velostream.sources.streams.watermarks import before
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.worker import WorkerScan

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

VALUE = "value"
EVENT = "_event"
"""The column of event times, as the scan in the worker is given it."""
AUTO = -1
_ROUTED = '{"routed"'


@dataclass(frozen=True)
class EarlyScan:
    """What becomes of the records of a batch; `worker` is the scan in the worker of what was decoded.

    `columns` are all that a record may have. `time` is the column of event times, `unit` how many microseconds one of
    its units has; 0 where it is a TIMESTAMP, AUTO where its size says so.
    """

    worker: WorkerScan
    columns: pa.Schema
    time: str
    unit: int = 0
    taken: tuple[str, ...] = ("_partition", "_offset")
    """The columns of records that are not in their text."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for mapInArrow: what comes out has a column more, for what was routed."""
        watermark = before(self.worker.layout.watermarks)
        for batch in batches:
            if watermark is None:
                yield _left(batch)
                continue
            yield from self._routed(batch, watermark)

    @property
    def schema(self) -> pa.Schema:
        """Lines of a file as they are read, with what is wrong with them and where they stand."""
        import pyarrow as pa

        texts = dict.fromkeys((VALUE, "_raw", "_fault"), pa.string())
        stands = {"_partition": pa.int32(), "_offset": pa.int64(), "_topic": pa.string(), "_mark": pa.string()}
        return pa.schema({**texts, **stands, "_late": pa.bool_()})

    @property
    def more(self) -> str:
        """The column that comes out beside those that go in, as DDL."""
        return f"{names.PASSED} BINARY"

    def routed(self, batches: Iterator[pa.RecordBatch], path: str, clock: int) -> Iterator[pa.RecordBatch]:
        """The same for the lines of a file, where they are read; the clock of the batch is told by Spark later."""
        yield from self(batches)

    def _routed(self, batch: pa.RecordBatch, watermark: int) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        table, places = read_columns(batch[VALUE], self.columns)
        times = self.times(batch, table, places)
        known = pc.and_(pc.greater_equal(times, max(FIRST, watermark)), pc.less_equal(times, LAST))
        good = pc.fill_null(known, fill_value=False)
        if not pc.all(good, min_count=0).as_py():
            table, times, places = table.filter(good), times.filter(good), places[good.to_numpy(zero_copy_only=False)]
        if len(places) < batch.num_rows:
            others = np.ones(batch.num_rows, bool)
            others[places] = False
            yield _left(batch.filter(pa.array(others)))
        if len(places):
            yield _marks(self._sent(batch, table, times, pa.array(places), watermark), batch.schema)

    def times(self, batch: pa.RecordBatch, table: pa.Table, places: Any) -> pa.Array:
        """The event times of decoded records in microseconds; NULL where there is none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.time not in table.column_names:
            return batch[self.time].take(pa.array(places)).cast(pa.int64())
        held = table[self.time].combine_chunks().cast(pa.int64())
        if not self.unit:
            return held
        if self.unit != AUTO:
            return _scaled(held, self.unit)
        size = pc.abs(held)
        seconds, millis, micros = (pc.less(size, 10**digits) for digits in (11, 14, 17))
        read = pc.if_else(millis, _scaled(held, 1_000), pc.if_else(micros, _scaled(held, 1), None))
        return pc.if_else(seconds, _scaled(held, 1_000_000), read)

    def _sent(
        self, batch: pa.RecordBatch, table: pa.Table, times: pa.Array, places: pa.Array, watermark: int
    ) -> pa.RecordBatch:
        import pyarrow as pa

        given = {EVENT: times.cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))}
        for name in self.taken:
            held = batch[name] if len(places) == batch.num_rows else batch[name].take(places)
            kind = self.worker.schema.field(name).type
            given[name] = listed(held, kind) if pa.types.is_list(kind) and pa.types.is_string(held.type) else held
        rows = {one.name: _column(one, table, given) for one in self.worker.schema}
        return self.worker.sent(pa.record_batch(rows), watermark)


def _scaled(numbers: pa.Array, unit: int) -> pa.Array:
    """Numbers of a unit in microseconds; NULL where that lies outside of the years 1 to 9999."""
    import pyarrow.compute as pc

    fits = pc.and_(pc.greater_equal(numbers, FIRST // unit), pc.less_equal(numbers, LAST // unit))
    return pc.multiply(pc.if_else(fits, numbers, None), unit)


def _column(field: pa.Field, table: pa.Table, given: Mapping[str, pa.Array]) -> pa.Array:
    import pyarrow as pa

    if field.name in given:
        return given[field.name]
    if field.name in table.column_names:
        return table[field.name].combine_chunks()
    return pa.nulls(table.num_rows, field.type)


def _left(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Records as they are."""
    import pyarrow as pa

    schema = _out(batch.schema)
    more = [pa.nulls(batch.num_rows, one.type) for one in schema if one.name not in batch.schema.names]
    return pa.record_batch([*batch.columns, *more], schema=schema)


def _marks(sent: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """What was routed, in the columns of records."""
    import pyarrow as pa

    rows = zip(sent[names.BUCKET].to_pylist(), sent["kind"].to_pylist(), sent["facts"].to_pylist(), strict=True)
    marks = pa.array([json.dumps({"routed": row}) for row in rows], pa.string())
    held = {names.MARK: marks, names.PASSED: sent["payload"]}
    columns = [held.get(one.name, pa.nulls(sent.num_rows, one.type)) for one in _out(schema)]
    return pa.record_batch(columns, schema=_out(schema))


def _out(schema: pa.Schema) -> pa.Schema:
    """The columns that come out: those that go in, each of which may be NULL, and two for what was routed."""
    import pyarrow as pa

    known = {one.name: one.type for one in schema}
    return pa.schema({**known, names.MARK: pa.string(), names.PASSED: pa.binary()})


def routed_before(frame: pl.DataFrame) -> tuple[pa.RecordBatch | None, pl.DataFrame]:
    """What was routed before, as a router sends it; and the other rows."""
    import polars as pl
    import pyarrow as pa

    if names.PASSED not in frame.columns:
        return None, frame
    is_early = pl.col(names.MARK).str.starts_with(_ROUTED).fill_null(value=False)
    found = frame.filter(is_early)
    if not found.height:
        return None, frame
    buckets, kinds, facts = zip(*(json.loads(mark)["routed"] for mark in found[names.MARK]), strict=True)
    sent = {
        names.BUCKET: pa.array(buckets, pa.int32()),
        "facts": pa.array(facts, pa.string()),
        "kind": pa.array(kinds, pa.string()),
        "payload": found[names.PASSED].to_arrow().cast(pa.binary()),
    }
    return pa.record_batch(sent), frame.filter(~is_early)
