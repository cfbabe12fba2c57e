"""Parquet files as the stream's reader gives them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import _parse_datatype_string

from velostream.sources.streams.decoding import FileForm
from velostream.sources.streams.files import FAULTS, SYSTEM, FileOptions, FileStreamReader, Task


def test_a_timestamp_column_is_read_as_utc(tmp_path: Path, one_spark: object) -> None:
    moment = datetime(2024, 1, 1, 12, 30, tzinfo=UTC)
    path = tmp_path / "0.parquet"
    pq.write_table(pa.table({"at": pa.array([moment], pa.timestamp("ms", tz="UTC"))}), path)
    schema = _parse_datatype_string(f"at TIMESTAMP, {FAULTS}, {SYSTEM}")
    options = FileOptions("s", str(path), str(tmp_path), str(tmp_path / "manifest"), FileForm("parquet", ("at",)))
    task = Task(0, str(path), 0, None, 0, clock=0, before="", after="")
    [batch] = FileStreamReader(options, schema).read(InputPartition(task))
    assert batch["at"].to_pylist() == [moment]
    assert batch["_offset"].to_pylist() == [0]
