"""Payloads back to typed columns: the rows of a micro-batch, or rows with all else that the next operator must hear."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from velostream.spark.stateful import layout as names
from velostream.spark.stateful.payload import typed, unpack

if TYPE_CHECKING:
    import pyarrow as pa

Unpack = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def unpacker(schema: pa.Schema) -> Unpack:
    """The function for mapInArrow over a column `payload`."""

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for payload in batch["payload"]:
                yield from typed(unpack(payload.as_py()), schema)

    return rows


def with_marks(schema: pa.Schema) -> pa.Schema:
    """The columns of rows that go to another operator."""
    import pyarrow as pa

    return schema.append(pa.field(names.MARK, pa.string())).append(pa.field(names.PASSED, pa.binary()))


def passing(schema: pa.Schema, stage: int) -> Unpack:
    """The function for mapInArrow over `kind` and `payload`: letters and statistics become marks among the rows."""
    import pyarrow as pa

    wide = with_marks(schema)

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for kind, payload in zip(batch["kind"].to_pylist(), batch["payload"].to_pylist(), strict=True):
                if kind != names.RESULT:
                    nothing = [pa.nulls(1, field.type) for field in schema]
                    mark = pa.array([_mark(kind, payload, stage)], pa.string())
                    yield pa.record_batch([*nothing, mark, pa.array([payload], pa.binary())], schema=wide)
                    continue
                for part in typed(unpack(payload), schema):
                    blank = [pa.nulls(part.num_rows, wide.field(name).type) for name in (names.MARK, names.PASSED)]
                    yield pa.record_batch([*part.columns, *blank], schema=wide)

    return rows


def _mark(kind: str, payload: bytes, stage: int) -> str:
    """What the next operator hears: of this one's statistics how far it has come; of those below nothing any more."""
    facts: dict[str, object] = {"pass": kind}
    if kind == names.STATS:
        stats = json.loads(payload)
        if stats["stage"] == stage:
            facts["progress"] = [[names.source_of(stage), stats["bucket"], stats["outgoing"], None]]
            facts |= {"now": stats["now"], "flush": stats["flush"]}
            if stats["set_clock"] is not None:
                facts["clock"] = stats["set_clock"]
    return json.dumps(facts)
