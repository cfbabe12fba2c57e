"""Files as a stream: in order of name, a number of them per micro-batch; records know their file and their index in it.

An offset is the last name read and how many files there are up to it, so that a file that appears behind it is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles, SupportsTriggerAvailableNow

from velostream.errors import VeloError
from velostream.sources.file import matching

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

SYSTEM = "_partition INT, _offset BIGINT, _topic STRING, _mark STRING"
LINES = f"value STRING, {SYSTEM}"
"""What text formats give: lines, to be decoded by Spark."""


class FileStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads the files of a path, a folder or a glob."""

    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        self.options = options
        self.columns = schema
        self.until: list[str] | None = None

    def _files(self) -> list[str]:
        found = [str(path) for path in matching(self.options["path"], Path(self.options["folder"]))]
        return found if self.until is None else self.until

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Before the first file."""
        return {"last": "", "count": 0}

    def getDefaultReadLimit(self) -> ReadMaxFiles:  # noqa: N802
        """How many files a micro-batch takes."""
        return ReadMaxFiles(int(self.options["per_batch"]))

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A bounded run reads what is there now."""
        self.until = self._files()

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """The last file of the next micro-batch."""
        files = self._files()
        behind = [name for name in files if name <= start["last"]]
        if len(behind) > start["count"]:
            message = f"a file appeared behind '{start['last']}', which has been read already"
            raise VeloError(message, hint="name new files so that they sort after those read", code="source-unreadable")
        ahead = files[len(behind) :]
        if not isinstance(limit, ReadAllAvailable):
            ahead = ahead[: limit.max_files]
        return {"last": ahead[-1], "count": start["count"] + len(ahead)} if ahead else start

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One for each file."""
        files = self._files()
        chosen = [name for name in files if start["last"] < name <= end["last"]]
        listed = list(range(len(files))) if self.options["bounded"] == "true" else None
        return [InputPartition((start["count"] + index, name, listed)) for index, name in enumerate(chosen)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of a file, between what is to be known of its partition before and after."""
        import pyarrow as pa

        from velostream.sources.streams.decoding import record_batches

        number, path, listed = partition.value
        by_file = self.options["partition_by"] == "file"
        shown = number if by_file else 0
        schema = _arrow(self.columns)
        source = self.options["source"]
        if by_file and listed is not None:
            yield _mark(schema, {"source": source, "partitions": listed})
        for first, batch in record_batches(path, self.options, schema):
            rows = batch.num_rows
            columns = {
                **dict(zip(batch.schema.names, batch.columns, strict=True)),
                "_partition": pa.array([shown] * rows, pa.int32()),
                "_offset": pa.array(range(first, first + rows), pa.int64()),
                "_topic": pa.array([path] * rows, pa.string()),
                "_mark": pa.nulls(rows, pa.string()),
            }
            yield pa.record_batch([columns[name] for name in schema.names], schema=schema)
        if by_file and listed is not None:
            yield _mark(schema, {"source": source, "finished": [shown]})


def _arrow(schema: StructType) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema)


def _mark(schema: pa.Schema, facts: dict[str, Any]) -> pa.RecordBatch:
    """A row that is no record: what the source says about its partitions."""
    import pyarrow as pa

    columns = [
        pa.array([json.dumps(facts)], field.type) if field.name == "_mark" else pa.nulls(1, field.type)
        for field in schema
    ]
    return pa.record_batch(columns, schema=schema)


class FileStream(DataSource):
    """`velo_files`."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_files"

    def schema(self) -> str:
        """Lines; the reader is given another schema where the files have columns of their own."""
        return LINES

    def streamReader(self, schema: StructType) -> FileStreamReader:  # noqa: N802
        """The reader."""
        return FileStreamReader(dict(self.options), schema)
