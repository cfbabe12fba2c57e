"""What jobs have written to files, or put away of closed windows, as tables of questions: `FROM job`, or the stream
that it makes, reads the rows in the files of its sink, else those of its cold tier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.formats.encoding.csv_texts import CsvStyle
from velostream.jobs.askable import declared
from velostream.jobs.cold import place_of_job
from velostream.jobs.put_away import PutAway
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
    """The rows that a job has written to a sink of files, under the name by which they were asked for."""

    name: str
    columns: tuple[tuple[str, str], ...]
    target: SinkTarget
    folder: Path

    @property
    def declaration(self) -> str:
        """The rows as a table, in SQL."""
        source = f"'type' = 'file_source', 'path' = '{self.path}/*', 'format' = '{self.format}'"
        return declared(self.name, self.columns, source)

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

    def __init__(self, written: Written | PutAway) -> None:
        super().__init__(written.path, TableStore(written.path, written.name), written.columns)
        self.written = written

    def frame(self, spark: SparkSession) -> DataFrame:
        """All rows that are there now."""
        return self.written.rows(spark)

    @property
    def small(self) -> bool:
        """Nobody knows, so that they are spread over the tasks."""
        return False


def asked_for(plan: ApplicationPlan, sql: str, folder: Path) -> dict[str, Written | PutAway]:
    """What jobs have written that a question names. One whose rows cannot be read back is refused."""
    return {name: _written(name, job, plan, folder) for name, job in _named(plan, sql)}


def _named(plan: ApplicationPlan, sql: str) -> Iterator[tuple[str, Job]]:
    for job in plan.jobs:
        made = plan.definitions.get(job.name)
        for name in dict.fromkeys((job.name, made.name if made is not None else job.name)):
            named = rf"\b(?:from|join|,)\s+(?:\"|`)?{re.escape(name)}\b"
            if not isinstance(job.root, Materialise) and re.search(named, sql, re.IGNORECASE):
                yield name, job


def _written(name: str, job: Job, plan: ApplicationPlan, folder: Path) -> Written | PutAway:
    sinks = sinks_of(job)
    targets = sinks.targets if sinks is not None else ()
    target = next((one for one in targets if one.connector == FILES), None)
    if sinks is None or target is None or is_store(target.settings.text("path")):
        place = place_of_job(job, plan, folder)
        if place is not None:
            return PutAway(name, place)
        where = ", ".join(one.name for one in targets) or "the terminal"
        message = f"job '{job.name}' writes to {where}, which cannot be asked"
        hint = "give it a sink of files too, keep its rows (CREATE TABLE … AS) or its windows (state.cold.backend)"
        raise VeloError(message, hint=hint, code="usage")
    return Written(name, sinks.shape(target).columns, target, folder)
