"""Tables from a database: all rows, then those beyond the largest value of a column that only grows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.plan.job import LoadedTable
from velostream.sources.database_rows import DatabaseRows
from velostream.sources.streams.databases import rows_of
from velostream.sources.streams.missing import wait_for
from velostream.spark.loading.records import TableRecords
from velostream.tables.loading import Step

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEP_ROWS = 200_000
"""About so many rows are loaded in one step, where a column says in which order."""


class DatabaseTable(TableRecords):
    """The rows of a table or query. Without `incremental.column` every look reads all of them."""

    def __init__(self, table: LoadedTable, spark: SparkSession, folder: Path, home: Path) -> None:
        super().__init__(table, folder)
        self.spark = spark
        self._found: DatabaseRows | None = None

    def measure(self, since: Mapping[str, Any]) -> int:
        """That the table is there. How many bytes it has nobody tells."""
        if self._found is None:
            found = rows_of(self.table.name, self.table.settings, self.table.columns)
            self._found = found.resolved(wait_for(self.table.name, "database", self.table.settings, found.check))
        return 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """The next rows; where no column tells which are new, all of them in place of those before."""
        import pyarrow as pa

        assert self._found is not None, "a table is measured before it is read"
        most = STEP_ROWS if self._found.by else None
        chunk = self._found.chunk(since.get("value"), most, ties=since.get("ties"))
        if not chunk.texts and since and self._found.by:
            return None
        nothing = pa.nulls(len(chunk.texts), pa.string())
        columns = {"value": pa.array(chunk.texts, pa.string()), "_raw": nothing, "_fault": nothing, "_mark": nothing}
        rows, letters = self.rows(self.spark.createDataFrame(pa.table(columns)), "jsonl")
        self.reading(sum(map(len, chunk.texts)))
        return Step(
            rows, {"value": chunk.value, "ties": chunk.ties}, chunk.last, fresh=not self._found.by, letters=letters
        )
