"""What jobs have written to files, as tables of questions: `FROM job` reads the rows in the files of its sink."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.formats.encoding.csv_texts import CsvStyle
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Materialise
from velostream.plan.nodes.sinks import SinkTarget
from velostream.sinks.writers.files import folder_of
from velostream.sinks.writers.objects import is_store
from velostream.sinks.writers.text import csv_options
from velostream.spark.lower.job import sinks_of
from velostream.tables.store import TableStore
from velostream.tables.view import TableView

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES = "file_sink"


@dataclass(frozen=True)
class Written:
    """The rows that a job has written to a sink of files."""

    job: str
    columns: tuple[tuple[str, str], ...]
    target: SinkTarget
    folder: Path

    @property
    def declaration(self) -> str:
        """The rows as a table of the job's name, in SQL; all columns together tell them apart."""
        columns = ", ".join(f"`{name}` {kind}" for name, kind in self.columns)
        key = ", ".join(f"`{name}`" for name, _ in self.columns)
        source = f"'type' = 'file_source', 'path' = '{self.path}/*', 'format' = '{self.format}'"
        return f"CREATE OR REPLACE TABLE `{self.job}` ({columns}, PRIMARY KEY ({key})) WITH ({source});"

    @property
    def format(self) -> str:
        """The format of the files."""
        return str(self.target.settings.text("format"))

    @property
    def path(self) -> Path:
        """Where the files are."""
        return folder_of(self.target.settings, self.folder).absolute()

    def rows(self, spark: SparkSession) -> DataFrame:
        """All rows that are there now."""
        schema = ", ".join(f"`{name}` {kind}" for name, kind in self.columns)
        files = [str(file) for file in sorted(self.path.glob("[!._]*")) if file.is_file()]
        if not files:
            return spark.createDataFrame([], schema)
        reader = spark.read.schema(schema).option("mode", "FAILFAST")
        if self.format == "parquet":
            return reader.parquet(*files)
        if self.format == "csv":
            settings = self.target.settings
            header = str(settings.boolean("csv.header")).lower()
            return reader.options(**csv_options(CsvStyle.of(settings)), header=header).csv(files)
        return reader.json(files)


class WrittenView(TableView):
    """The rows that a job has written, as a question sees a table."""

    def __init__(self, written: Written) -> None:
        super().__init__(written.path, TableStore(written.path, written.job), written.columns)
        self.written = written

    def frame(self, spark: SparkSession) -> DataFrame:
        """All rows that are there now."""
        return self.written.rows(spark)

    @property
    def small(self) -> bool:
        """Nobody knows, so that they are spread over the tasks."""
        return False


def asked_for(plan: ApplicationPlan, sql: str, folder: Path) -> dict[str, Written]:
    """What jobs have written that a question names. One whose rows cannot be read back is refused."""
    return {job.name: _written(job, folder) for job in _named(plan, sql)}


def _named(plan: ApplicationPlan, sql: str) -> Iterator[Job]:
    for job in plan.jobs:
        named = rf"\b(?:from|join|,)\s+(?:\"|`)?{re.escape(job.name)}\b"
        if not isinstance(job.root, Materialise) and re.search(named, sql, re.IGNORECASE):
            yield job


def _written(job: Job, folder: Path) -> Written:
    sinks = sinks_of(job)
    targets = sinks.targets if sinks is not None else ()
    target = next((one for one in targets if one.connector == FILES), None)
    if sinks is None or target is None or is_store(target.settings.text("path")):
        where = ", ".join(one.name for one in targets) or "the terminal"
        message = f"job '{job.name}' writes to {where}, which cannot be asked"
        hint = "give it a sink of files too, or keep its rows: CREATE TABLE … AS"
        raise VeloError(message, hint=hint, code="usage")
    return Written(job.name, sinks.shape(target).columns, target, folder)
