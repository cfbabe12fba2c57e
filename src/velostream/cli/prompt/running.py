"""Runs the query of a statement in this process: until its input ends, or until Ctrl-C."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.cli.prompt.rows import RowPrinter

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.plan.job import ApplicationPlan, Job
    from velostream.validation import Validated


class Engine:
    """Spark, started by the first query that needs it."""

    def __init__(self, master: str, checkpoint: str, say: Callable[[str], None], *, debug: bool = False) -> None:
        self.master = master
        self.checkpoint = checkpoint
        self.say = say
        self.debug = debug
        self.started = False

    def run(self, answer: Validated, folder: Path, printer: RowPrinter) -> None:
        """Runs the last statement of an application, with the tables that it needs; its rows go to the printer."""
        from velostream.jobs.runner import Runner
        from velostream.plan import plan
        from velostream.spark.failures import translated
        from velostream.spark.lower.job import rows_of
        from velostream.spark.session import spark_session

        planned = plan(answer.bound, answer.library)
        job = planned.job(answer.application.statements[-1].name)
        assert job is not None, "only statements that are jobs are run"
        if not self.started:
            self.say("Spark starts …")
            self.started = True
        with translated(debug=self.debug):
            spark = spark_session(self.master)
            if rows_of(job).static:
                self._ask(planned, job, folder, printer)
                return
            with _scratch() as home:
                runner = Runner(needed(planned, job), spark, home, folder, printer.show)
                bounded = _ends(answer, job.name)
                with self._stopping(runner, bounded=bounded):
                    if bounded:
                        runner.run_until_done()
                    else:
                        runner.run(None, lambda: None)

    def _ask(self, planned: ApplicationPlan, job: Job, folder: Path, printer: RowPrinter) -> None:
        """The rows of a query over tables: as a run of the application left them, else loaded for this question."""
        from velostream.jobs.asking import ask
        from velostream.jobs.runner import Runner
        from velostream.spark.session import spark_session
        from velostream.tables.store import TableStore

        spark = spark_session(self.master)
        kept = Path(self.checkpoint) if self.checkpoint else Path(".velo") / (planned.name or "app")
        if all(TableStore(kept, name).newest() is not None for name in job.tables):
            table = ask(planned, job, spark, kept)
        else:
            alone = needed(planned, job)
            makers = tuple(each for each in alone.jobs if each is not job)
            with _scratch() as home:
                runner = Runner(replace(alone, jobs=makers), spark, home, folder, printer.show)
                with self._stopping(runner, bounded=True):
                    runner.run_until_done()
                table = ask(planned, job, spark, home)
        printer.rows(table.column_names, [tuple(row.values()) for row in table.to_pylist()])

    @contextmanager
    def _stopping(self, runner: Runner, *, bounded: bool) -> Iterator[None]:
        from velostream.cli.live.signals import caught

        if not bounded:
            self.say("Ctrl-C stops")
        with caught(runner.stopping, self.say):
            yield


def needed(planned: ApplicationPlan, job: Job) -> ApplicationPlan:
    """The plan of one job: with the jobs that make its tables, and theirs, and the tables to load."""
    from velostream.plan.nodes import Materialise

    makers = {each.root.table: each for each in planned.jobs if isinstance(each.root, Materialise)}
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
        tables=tuple(table for table in planned.tables if table.name in tables),
    )


def _ends(answer: Validated, job: str) -> bool:
    """True where all input of a statement ends."""
    return any(one.query is not None and one.query.bounded for one in answer.bound.statements if one.name == job)


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder for the state of one query, gone with it."""
    folder = Path(tempfile.mkdtemp(prefix="velo-shell-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
