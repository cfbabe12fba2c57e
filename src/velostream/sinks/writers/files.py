"""Rows to files, each row exactly once: few rows are written by the driver, many by Spark's tasks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.connections.s3 import store_of
from velostream.errors import VeloError
from velostream.sinks.writers.batch import Batch, BatchRows
from velostream.sinks.writers.encoding import Encoding, compress, encoding_of
from velostream.sinks.writers.objects import is_store, publish_objects
from velostream.sinks.writers.staging import Place, synced
from velostream.stores import use

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from velostream.config.settings import Settings

_row_sizes: dict[tuple[str, str], float] = {}
"""Bytes that a row takes in the files of a sink, as its last large batch had them."""


def refuse_files(name: str, settings: Settings) -> None:
    """Refuses settings that cannot be done, at their place in the SQL."""
    compression = settings.value("compression")
    if compression is not None and compression.value == "snappy" and settings.text("format") != "parquet":
        message = f"sink '{name}' cannot compress text by snappy: nothing else could read such files"
        raise VeloError(message, hint="use gzip or zstd", span=compression.origin.span, code="unsupported")
    interval = settings.value("rotation.interval")
    if interval is not None:
        message = f"'rotation.interval' of sink '{name}' has no effect: every micro-batch begins a new file"
        hint = "remove it; rotation.size splits what a micro-batch writes"
        raise VeloError(message, hint=hint, span=interval.origin.span, code="unsupported")


def folder_of(settings: Settings, start: Path) -> Path:
    """The folder that is written; a relative path starts from the folder of the SQL file, as those of sources do."""
    return start / settings.text("path")


def write_files(name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    """Writes a micro-batch as files named by sink, query and batch. A batch without rows leaves no file."""
    assert settings is not None
    if is_store(settings.text("path")):
        _write_objects(name, rows, settings, batch)
        return
    place = Place(folder_of(settings, batch.folder), name, batch.query, batch.number)
    encoding = encoding_of(settings)
    place.sweep()
    if rows.none:
        files = []
    elif rows.few:
        files = _by_driver(rows.table(), encoding, place.staging, settings.size("rotation.size"))
    else:
        files = _by_spark(rows.frame, encoding, place, settings.size("rotation.size"))
    if files or place.folder.exists():
        place.publish([synced(file) for file in files], encoding.ending)


def _write_objects(name: str, rows: BatchRows, settings: Settings, batch: Batch) -> None:
    """Writes the files of a micro-batch on disk, then puts them into the store."""
    path, encoding, limit = settings.text("path"), encoding_of(settings), settings.size("rotation.size")
    use(path, store_of(settings))
    with tempfile.TemporaryDirectory(prefix="velo-objects-") as folder:
        place = Place(Path(folder), name, batch.query, batch.number)
        files = []
        if not rows.none:
            files = (
                _by_driver(rows.table(), encoding, place.staging, limit)
                if rows.few
                else _by_spark(rows.frame, encoding, place, limit)
            )
        publish_objects(path, place, files, encoding.ending)


def _by_driver(table: pa.Table, encoding: Encoding, staging: Path, limit: int) -> list[Path]:
    """One file, or as many as it takes to stay near the limit."""
    if not table.num_rows:
        return []
    staging.mkdir(parents=True, exist_ok=True)
    step = max(1, table.num_rows * limit // max(table.nbytes, 1))
    files = []
    for index, first in enumerate(range(0, table.num_rows, step)):
        file = staging / f"{index:05d}"
        encoding.write(table.slice(first, step), file)
        files.append(file)
    return files


def _by_spark(frame: DataFrame, encoding: Encoding, place: Place, limit: int) -> list[Path]:
    """The files of Spark's tasks; where one is larger than the limit they are written again, in smaller ones."""
    key = (str(place.folder), place.owner)
    known = _row_sizes.get(key)
    files = _spark_files(frame, encoding, place.staging, 0 if known is None else max(1, int(limit / known)))
    if any(file.stat().st_size > 1.5 * limit for file in files):
        _row_sizes[key] = sum(file.stat().st_size for file in files) / frame.count()
        files = _spark_files(frame, encoding, place.staging, max(1, int(limit / _row_sizes[key])))
    return [compress(file, encoding.compress_later) for file in files]


def _spark_files(frame: DataFrame, encoding: Encoding, staging: Path, most: int) -> list[Path]:
    writer = encoding.spark_writer(frame).mode("overwrite").option("maxRecordsPerFile", most)
    writer.save(str(staging))
    return [file for file in sorted(staging.glob("part-*")) if file.stat().st_size]
