"""One statement of an application answered by itself: with the tables that it needs, in a folder that goes with it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.jobs.asking import ask
from velostream.jobs.runner import Runner
from velostream.plan.job import ApplicationPlan, Job
from velostream.spark.lower.job import rows_of
from velostream.tables.store import TableStore

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

During = Callable[[Runner], AbstractContextManager[object]]
"""What is held open while a runner runs, such as an ear for Ctrl-C."""


@dataclass(frozen=True)
class Question:
    """A statement of an application, and where it is answered. `kept` is where a run of the application keeps tables,
    `folder` what its paths start from."""

    plan: ApplicationPlan
    job: Job
    spark: SparkSession
    kept: Path
    folder: Path

    @property
    def is_static(self) -> bool:
        """True where it reads tables only."""
        return rows_of(self.job).static

    def runner(self, home: Path, show: Callable[[object], None]) -> Runner:
        """What runs the statement, and all that it needs, with its state in `home`."""
        return Runner(needed(self.plan, self.job), self.spark, home, self.folder, show)

    def from_tables(self, show: Callable[[object], None], during: During) -> pa.Table:
        """The rows of a query over tables: as a run of the application left them, else loaded for this question."""
        if self.has(self.job.tables):
            return ask(self.plan, self.job, self.spark, self.kept)
        with scratch() as home:
            self.load(home, show, during)
            return ask(self.plan, self.job, self.spark, home)

    def has(self, tables: tuple[str, ...]) -> bool:
        """True where a run of the application has left all of these tables."""
        return all(TableStore(self.kept, name).newest() is not None for name in tables)

    def load(self, home: Path, show: Callable[[object], None], during: During) -> None:
        """Loads all tables that the statement needs into `home`."""
        alone = needed(self.plan, self.job)
        makers = tuple(each for each in alone.jobs if each is not self.job)
        runner = Runner(replace(alone, jobs=makers), self.spark, home, self.folder, show)
        with during(runner):
            runner.run_until_done()


def needed(planned: ApplicationPlan, job: Job) -> ApplicationPlan:
    """The plan of one job: with what makes its tables, and theirs, and the tables to load."""
    makers = planned.makers
    kept, open_ = {job.name}, list(job.tables)
    tables = set(open_)
    while open_:
        maker = makers.get(open_.pop())
        if maker is not None and maker.name not in kept:
            kept.add(maker.name)
            open_ += maker.tables
            tables |= set(maker.tables)
    return replace(
        planned,
        jobs=tuple(each for each in planned.jobs if each.name in kept),
        derived=tuple(each for each in planned.derived if each.name in kept),
        tables=tuple(table for table in planned.tables if table.name in tables),
    )


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for the state of one question, gone with it."""
    folder = Path(tempfile.mkdtemp(prefix="velo-question-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
