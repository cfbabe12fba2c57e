"""Rows to files, each row exactly once: few rows are written by the driver, many by Spark's tasks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.connections.s3 import store_of
from velostream.durations import SECOND
from velostream.sinks.writers.batch import Batch, BatchRows
from velostream.sinks.writers.encoding import Encoding, compress, encoding_of
from velostream.sinks.writers.objects import is_store, publish_objects
from velostream.sinks.writers.rotating import Rotation, rotation_of
from velostream.sinks.writers.staging import Place, all_synced
from velostream.stores import use

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from velostream.config.settings import Settings

_row_sizes: dict[tuple[str, str], float] = {}
"""Bytes that a row takes in the files of a sink, as its last large batch had them."""


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
    rotation = rotation_by(place, settings)
    if rotation is None:
        write_parts(place, rows, encoding_of(settings), settings.size("rotation.size"))
        return
    place.sweep()
    rotation.take(batch.number, _written(rows, rotation.encoding.piece, place, settings.size("rotation.size")))
    place.clear()


def write_parts(place: Place, rows: BatchRows, encoding: Encoding, limit: int) -> None:
    """Writes a micro-batch as files of its place, none of them much larger than the limit."""
    place.sweep()
    files = _written(rows, encoding, place, limit)
    if files or place.folder.exists():
        place.publish(all_synced(files), encoding.ending)


def rotation_by(place: Place, settings: Settings) -> Rotation | None:
    """How a sink with these settings keeps rows of several micro-batches for one file; None where it does not."""
    interval = settings.get("rotation.interval")
    seconds = None if interval is None else settings.duration("rotation.interval") / SECOND
    return rotation_of(place, encoding_of(settings), settings.size("rotation.size"), seconds)


def begin_files(name: str, settings: Settings, query: str, folder: Path) -> None:
    """As a query starts: rows that it kept aside before appear in time, also where no further one comes."""
    if not is_store(settings.text("path")):
        rotation = rotation_by(Place(folder_of(settings, folder), name, query, 0), settings)
        if rotation is not None:
            rotation.look_later()


def _written(rows: BatchRows, encoding: Encoding, place: Place, limit: int) -> list[Path]:
    """The rows of a micro-batch in files of its staging folder."""
    if rows.none:
        return []
    if rows.few:
        return _by_driver(rows.table(), encoding, place.staging, limit)
    return _by_spark(rows.frame, encoding, place, limit)


def _write_objects(name: str, rows: BatchRows, settings: Settings, batch: Batch) -> None:
    """Writes the files of a micro-batch on disk, then puts them into the store."""
    path, encoding, limit = settings.text("path"), encoding_of(settings), settings.size("rotation.size")
    use(path, store_of(settings))
    with tempfile.TemporaryDirectory(prefix="velo-objects-") as folder:
        place = Place(Path(folder), name, batch.query, batch.number)
        publish_objects(path, place, _written(rows, encoding, place, limit), encoding.ending)


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


_COMMIT = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
}
"""Tasks put their files where they belong, and no mark is made: files are taken when all tasks have ended."""


def _spark_files(frame: DataFrame, encoding: Encoding, staging: Path, most: int) -> list[Path]:
    writer = encoding.spark_writer(frame).mode("overwrite").option("maxRecordsPerFile", most).options(**_COMMIT)
    writer.save(str(staging))
    return [file for file in sorted(staging.glob("part-*")) if file.stat().st_size]
