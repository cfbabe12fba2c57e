"""Payloads back to typed columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from velostream.spark.stateful.payload import typed, unpack

if TYPE_CHECKING:
    import pyarrow as pa


def unpacker(schema: pa.Schema) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for mapInArrow over a column `payload`."""

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for payload in batch["payload"]:
                yield from typed(unpack(payload.as_py()), schema)

    return rows
