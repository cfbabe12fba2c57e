"""The closed windows that a job has put away, as a table of questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.cold import POSTGRES
from velostream.jobs.askable import declared
from velostream.jobs.closed import closed
from velostream.jobs.closed_rows import NESTED
from velostream.jobs.cold import ColdPlace
from velostream.postgres import type_of
from velostream.spark.lower.context import column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class PutAway:
    """The closed windows that a job has put away, as they stand."""

    name: str
    place: ColdPlace

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Those of the job, and which window it is."""
        return self.place.cold.whole

    @property
    def path(self) -> Path:
        """Where its files would be."""
        return self.place.folder

    @property
    def declaration(self) -> str:
        """The windows as a table of the job's name, in SQL."""
        source = f"'type' = 'file_source', 'path' = '{self.path}/*', 'format' = 'parquet'"
        return declared(self.name, self.columns, source)

    def rows(self, spark: SparkSession) -> DataFrame:
        """All windows that are there now."""
        from pyspark.sql import functions as F  # noqa: N812

        found = closed(self.place)
        if not found.num_rows:
            return spark.createDataFrame([], ", ".join(f"`{name}` {kind}" for name, kind in self.columns))
        as_text = {name for name, kind in self.columns if type_of(kind) == NESTED}
        as_text = as_text if self.place.cold.backend == POSTGRES else set()
        typed = (
            (F.from_json(column(name), kind) if name in as_text else column(name).cast(kind)).alias(name)
            for name, kind in self.columns
        )
        return spark.createDataFrame(found).select(*typed)
