"""Rows cross from Spark to Arrow as they are, and none of their lists is NULL on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from velostream.sinks.writers.crossing import map_in_arrow, to_arrow

LISTS = (
    "IF(id % 3 = 0, array(id, NULL), NULL) AS l",
    "IF(id % 4 = 0, map('a', id), NULL) AS m",
    "IF(id % 5 = 0, struct(IF(id % 2 = 0, array(struct(array(id) AS x)), NULL) AS a, NULLIF(id, 0) AS c), NULL) AS s",
)


def rows_told(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch({"told": pa.array([str(row) for row in batch.to_pylist()], pa.string())})


def null_lists(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """How many NULLs there are among the lists of columns as they cross."""
    for batch in batches:
        parts = [*batch.columns]
        found = 0
        while parts:
            one = parts.pop()
            if pa.types.is_struct(one.type):
                parts += one.flatten()
            elif pa.types.is_list(one.type) or pa.types.is_map(one.type):
                found += one.null_count
        yield pa.record_batch({"told": pa.array([str(found)])})


def test_lists_that_are_null_cross_as_empty_ones_and_are_null_behind(one_spark: Any, monkeypatch: Any) -> None:
    frame = one_spark.range(0, 30, 1, 2).selectExpr("id", *LISTS)
    wanted = frame.toArrow()
    found = to_arrow(frame)
    assert found.to_pylist() == wanted.to_pylist()
    assert [str(field.type) for field in found.schema] == [str(field.type) for field in wanted.schema]
    nothing = to_arrow(frame.filter("id < 0"))
    assert (nothing.schema.names, nothing.num_rows) == (wanted.schema.names, 0)
    plain = frame.select("id")
    assert to_arrow(plain).schema == plain.toArrow().schema
    told = map_in_arrow(frame, rows_told, "told STRING").collect()
    assert sorted(row["told"] for row in told) == sorted(map(str, wanted.to_pylist()))
    monkeypatch.setattr("velostream.sinks.writers.crossing._Behind", lambda function: function)
    assert {row["told"] for row in map_in_arrow(frame, null_lists, "told STRING").collect()} == {"0"}
