"""Records that a test gives: a file for each micro-batch, in which every record says its partition and offset."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles, SupportsTriggerAvailableNow

from velostream.sources.streams.files import LINES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

GIVEN = "given"
"""The connector of a scan whose records a test gives; SQL has no name for it."""


def write_batch(folder: Path, number: int, batch: dict[str, Any]) -> None:
    """Writes a micro-batch: `known` partitions, and `records`, each a list of partition, offset and text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number:06d}.json").write_text(json.dumps(batch))


class GivenReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads one file per micro-batch, in order. An offset is the number of files read."""

    def __init__(self, options: dict[str, str]) -> None:
        self.options = options
        self.until: int | None = None

    def _count(self) -> int:
        return sum(1 for _ in Path(self.options["path"]).glob("*.json"))

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Before the first micro-batch."""
        return {"batches": 0}

    def getDefaultReadLimit(self) -> ReadMaxFiles:  # noqa: N802
        """One file."""
        return ReadMaxFiles(1)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A bounded run reads what is there now."""
        self.until = self._count()

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """One file further, if there is one."""
        last = self._count() if self.until is None else self.until
        step = last if isinstance(limit, ReadAllAvailable) else limit.max_files
        return {"batches": min(last, start["batches"] + step)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One task for each file: the order of records within it is kept."""
        return [InputPartition(number) for number in range(start["batches"], end["batches"])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """What is known of the partitions, then the records."""
        import pyarrow as pa

        batch = json.loads(Path(self.options["path"], f"{partition.value:06d}.json").read_text())
        mark = json.dumps({"source": self.options["source"], "partitions": batch["known"]})
        records = [(None, None, None, mark), *((text, where, offset, None) for where, offset, text in batch["records"])]
        texts, places, offsets, marks = (list(column) for column in zip(*records, strict=True))
        yield pa.record_batch(
            {
                "value": pa.array(texts, pa.string()),
                "_partition": pa.array(places, pa.int32()),
                "_offset": pa.array(offsets, pa.int64()),
                "_topic": pa.array([self.options["source"]] * len(records), pa.string()),
                "_mark": pa.array(marks, pa.string()),
            }
        )


class GivenStream(DataSource):
    """`velo_given`: options `path`, a folder, and `source`."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_given"

    def schema(self) -> str:
        """Lines, as files of text give them."""
        return LINES

    def streamReader(self, schema: Any) -> GivenReader:  # noqa: N802
        """The reader."""
        return GivenReader(dict(self.options))


def open_given(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan whose records a test gives; they are text, whatever the application's source is."""
    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    lowering.spark.dataSource.register(GivenStream)
    reader = lowering.spark.readStream.name(f"source_{node.alias}").format("velo_given")
    return reader.option("path", node.settings.text("path")).option("source", node.source).load(), declared, "jsonl"
