"""Tables from files: which of them are new, and their records decoded as those of a stream are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.plan.fields import Field
from velostream.plan.job import LoadedTable
from velostream.sinks.letters import letter
from velostream.sources.file import matching
from velostream.sources.streams.decoding import FileForm, record_batches
from velostream.sources.streams.file_checks import check_files
from velostream.sources.streams.reading import form_of
from velostream.spark.lower.context import column
from velostream.spark.lower.decoding import decoded
from velostream.tables.loading import Step
from velostream.tables.newest import TIME

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

STEP_BYTES = 64 * 1024 * 1024
"""Files of so many bytes together are loaded in one step, and at least one."""
NULL_KEY = "null_key"
"""The reason of a letter for a row whose key is not known."""


@dataclass(frozen=True)
class _Files:
    """A table as the readers of streams take a scan."""

    source: str
    declared: tuple[Field, ...]
    settings: Any
    connector: str = "file_source"


def source_of(table: LoadedTable, spark: SparkSession, folder: Path) -> FileTable:
    """The source of a table; one that cannot be loaded yet is refused by name."""
    if table.connector != "file_source":
        message = f"table '{table.name}' is loaded by a {table.connector}, which cannot be run yet"
        raise VeloError(message, hint="a table from a file_source can", code="unsupported")
    if not table.columns:
        message = f"the columns of table '{table.name}' are not known"
        raise VeloError(message, hint="declare them: CREATE TABLE name (column TYPE, …)", code="unknown-schema")
    return FileTable(table, spark, folder)


class FileTable:
    """The files of a path, in order of name. One that was read and has changed, or is gone, means all over again."""

    def __init__(self, table: LoadedTable, spark: SparkSession, folder: Path) -> None:
        self.table = table
        self.spark = spark
        self.folder = folder
        self.node = _Files(table.name, table.columns, table.settings)
        self.form = form_of(self.node)
        self.reading: Callable[[int], None] = lambda size: None

    def measure(self, since: Mapping[str, Any]) -> int:
        """The bytes of the files that are to be read."""
        check_files(self.node, self.form, self.folder, bounded=True, before=bool(since))
        known, there = since.get("files", {}), self._there()
        return sum(stamp[0] for path, stamp in there.items() if known.get(path) != stamp)

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
        rows, letters = self._read(taken)
        size = sum(there[path][0] for path in taken)
        return Step(rows, offset, len(taken) == len(ahead), fresh, letters, size)

    def _there(self) -> dict[str, list[int]]:
        """The files with their sizes and the times of their last changes."""
        found = {}
        for path in matching(self.node.settings.text("path"), self.folder):
            about = path.stat()
            found[str(path)] = [about.st_size, about.st_mtime_ns]
        return found

    def _read(self, paths: list[str]) -> tuple[pa.Table, list[dict[str, Any]]]:
        """The rows of files with their times, and letters for records that are none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        frame = decoded(self.node, self._records(paths), self._schema, self.form.format)
        names = [member.name for member in self.table.columns]
        told = [column(name) for name in ("_status", "_detail", "_record")]
        everything = frame.select(*map(column, names), self._time().alias(TIME), *told).toArrow()
        status = everything["_status"]
        broken = everything.filter(pc.is_valid(status)).select(["_status", "_detail", "_record"]).to_pylist()
        letters = [self._letter(one["_status"], one["_detail"], one["_record"]) for one in broken]
        fine = everything.filter(pc.is_null(status))
        unknown = pa.array([False] * fine.num_rows)
        for name in self.table.key:
            unknown = pc.or_(unknown, pc.is_null(fine[name]))
        letters += [
            self._letter(NULL_KEY, f"the key {', '.join(self.table.key)} is NULL", record)
            for record in fine.filter(unknown)["_record"].to_pylist()
        ]
        return fine.filter(pc.invert(unknown)).select([*names, TIME]), letters

    def _letter(self, reason: str, error: str | None, record: str | None) -> dict[str, Any]:
        return letter(reason=reason, error=error, record=record, source=self.table.name)

    @property
    def _schema(self) -> str:
        return ", ".join(f"`{member.name}` {member.type}" for member in self.table.columns)

    def _records(self, paths: list[str]) -> DataFrame:
        """The records of files as a stream's reader gives them."""
        import pyarrow as pa

        schema = _arrow(self._columns())
        batches = []
        for path in paths:
            left = Path(path).stat().st_size
            for batch in record_batches(path, self.form, schema):
                batches.append(_fitted(batch, schema))
                read = min(batch.nbytes, left)  # a record is about as long in memory as it is on disk
                left -= read
                self.reading(read)
        frame = self.spark.createDataFrame(pa.Table.from_batches(batches, schema))
        return _named(frame, self.node, self.form)

    def _columns(self) -> str:
        columns = self._schema if self.form.format == "parquet" else "value STRING"
        return f"{columns}, _raw STRING, _fault STRING, _mark STRING"

    def _time(self) -> Column:
        """From when on a row holds: the column that says so, else the time of reading."""
        from pyspark.sql import functions as F  # noqa: N812

        chosen = self.table.settings.get("version.time")
        if chosen is None:
            return F.lit(time.time_ns() // 1000).cast("bigint")
        held = next(one for one in self.table.columns if one.name.casefold() == str(chosen).casefold())
        if held.type.is_integral:
            return column(held.name).cast("bigint") * 1000
        return F.unix_micros(column(held.name).cast("timestamp"))


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


def _named(frame: DataFrame, node: _Files, form: FileForm) -> DataFrame:
    return frame.withColumnRenamed("value", node.declared[0].name) if form.format == "string" else frame
