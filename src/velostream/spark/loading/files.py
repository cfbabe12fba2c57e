"""Tables from files and objects: which of them are new, and their records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.connections.s3 import store_of
from velostream.plan.job import LoadedTable
from velostream.sources.file import matching
from velostream.sources.streams.decoding import COLUMNAR, FileForm, record_batches
from velostream.sources.streams.file_checks import check_files
from velostream.sources.streams.object_checks import check_objects
from velostream.sources.streams.reading import form_of
from velostream.spark.loading.records import TableRecords
from velostream.stores import objects, use
from velostream.tables.loading import Step

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

STEP_BYTES = 64 * 1024 * 1024
"""Files of so many bytes together are loaded in one step, and at least one."""


class FileTable(TableRecords):
    """The files of a path, in order of name. One that was read and has changed, or is gone, means all over again."""

    def __init__(self, table: LoadedTable, spark: SparkSession, folder: Path, home: Path) -> None:
        super().__init__(table, folder)
        self.spark = spark
        self.form = form_of(self.node)

    def measure(self, since: Mapping[str, Any]) -> int:
        """The bytes of the files that are to be read."""
        self._check(before=bool(since))
        known, there = since.get("files", {}), self._there()
        return sum(stamp[0] for path, stamp in there.items() if known.get(path) != stamp)

    def _check(self, *, before: bool) -> None:
        check_files(self.node, self.form, self.folder, bounded=True, before=before)

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """The next files that were not read yet."""
        known, there = dict(since.get("files", {})), self._there()
        fresh = any(there.get(path) != stamp for path, stamp in known.items())
        if fresh:
            known = {}
        ahead = [path for path in there if path not in known]
        if not ahead and since and not fresh:
            return None
        taken = _limited(ahead, there)
        offset = {"files": {**known, **{path: there[path] for path in taken}}}
        frame = file_records(self, self.spark, self.form, {path: there[path][0] for path in taken})
        rows, letters = self.rows(frame, self.form.format)
        size = sum(there[path][0] for path in taken)
        return Step(rows, offset, len(taken) == len(ahead), fresh, letters, size)

    def _there(self) -> dict[str, list[int]]:
        """The files with their sizes and the times of their last changes."""
        found = {}
        for path in matching(self.table.settings.text("path"), self.folder):
            about = path.stat()
            found[str(path)] = [about.st_size, about.st_mtime_ns]
        return found


class ObjectTable(FileTable):
    """The objects of a path in S3, or in a store that speaks like it."""

    def _check(self, *, before: bool) -> None:
        use(self.table.settings.text("path"), store_of(self.table.settings))
        check_objects(self.node, self.form, bounded=True, before=before)

    def _there(self) -> dict[str, list[int]]:
        return {path: list(stamp) for path, stamp in objects(self.table.settings.text("path")).items()}


def file_records(source: TableRecords, spark: SparkSession, form: FileForm, paths: Mapping[str, int]) -> DataFrame:
    """The records of files, which are so many bytes long, as a stream's reader gives them."""
    import pyarrow as pa

    columns = source.schema if form.format in COLUMNAR else "value STRING"
    schema = _arrow(f"{columns}, _raw STRING, _fault STRING, _mark STRING")
    batches = []
    for path, left in paths.items():
        for batch in record_batches(path, form, schema):
            batches.append(_fitted(batch, schema))
            read = min(batch.nbytes, left)  # a record is about as long in memory as it is on disk
            left -= read
            source.reading(read)
    frame = spark.createDataFrame(pa.Table.from_batches(batches, schema))
    return frame.withColumnRenamed("value", source.table.columns[0].name) if form.format == "string" else frame


def _limited(ahead: list[str], there: Mapping[str, list[int]]) -> list[str]:
    size = 0
    for count, path in enumerate(ahead):
        size += there[path][0]
        if size > STEP_BYTES:
            return ahead[: max(count, 1)]
    return ahead


def _arrow(ddl: str) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType, _parse_datatype_string

    struct = _parse_datatype_string(ddl)
    assert isinstance(struct, StructType)
    return to_arrow_schema(struct)


def _fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch with all columns of the schema; those that it lacks are NULL."""
    import pyarrow as pa

    held = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns = [held.get(field.name, pa.nulls(batch.num_rows, field.type)) for field in schema]
    return pa.record_batch(columns, schema=schema)
