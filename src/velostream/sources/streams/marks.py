"""Rows that are no records: what a source says about its partitions, on the way that its records take.

A mark is JSON with the name of the `source` and `partitions` (all that it has now) or `finished` (those that are read
to their end for good). A task says what it knows before its records, and what they end after them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

MARK = "_mark"


def mark(schema: pa.Schema, facts: dict[str, Any]) -> pa.RecordBatch:
    """One row that has nothing but a mark."""
    import pyarrow as pa

    columns = [
        pa.array([json.dumps(facts)], field.type) if field.name == MARK else pa.nulls(1, field.type) for field in schema
    ]
    return pa.record_batch(columns, schema=schema)


def listed(source: str, partitions: Iterable[int]) -> dict[str, Any]:
    """The partitions that a source has."""
    return {"source": source, "partitions": list(partitions)}


def finished(source: str, partitions: Iterable[int]) -> dict[str, Any]:
    """Partitions that are read to their end for good."""
    return {"source": source, "finished": list(partitions)}
