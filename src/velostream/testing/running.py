"""One run of a case: a plan on Spark until its input ends, perhaps with a stop in between, and what came out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.jobs.runner import Runner
from velostream.jobs.running import POLL
from velostream.plan.job import ApplicationPlan
from velostream.sinks import memory
from velostream.spark.lower.stage import CONTROL
from velostream.spark.stateful.control import give_clocks
from velostream.testing.feeding import Feed
from velostream.testing.rewiring import Caught, catch_sinks, feed_sources
from velostream.testing.table_rows import TableRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]


@dataclass
class Outcome:
    """What came out of a run: rows by job and sink, dead letters and the report by job, and lines that were printed."""

    rows: dict[tuple[str, str], list[Row]] = field(default_factory=dict)
    letters: dict[str, list[Row]] = field(default_factory=dict)
    reports: dict[str, Row] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stage:
    """Where a run takes place: the session, a folder of its own, and the folder that the application's paths mean.

    `clocks` are the times that the clock shows in the micro-batches; without them it is the machine's.
    """

    spark: SparkSession
    folder: Path
    application: Path
    keep_prints: bool = False
    clocks: tuple[int, ...] = ()

    def run(self, plan: ApplicationPlan, feeds: Mapping[str, Feed | TableRows], stop: int | None) -> Outcome:
        """Runs until the input ends; with `stop`, in two runners, of which the first sees so many micro-batches."""
        wired, caught = catch_sinks(feed_sources(plan, feeds), str(self.folder), keep_prints=self.keep_prints)
        outcome = Outcome()
        batches = max((feed.batches for feed in feeds.values()), default=0)
        if stop is not None:
            self._reveal(wired, feeds, 0, stop)
            with self._runner(wired, outcome) as runner:
                _run_some(runner, stop)
        self._reveal(wired, feeds, stop or 0, batches)
        with self._runner(wired, outcome) as runner:
            runner.run_until_done()
        for report in runner.report()["jobs"]:
            outcome.reports[report["name"]] = report
            outcome.letters[report["name"]] = _letters(self._home(report["name"]) / "dead-letters")
        outcome.rows = {(one.job, one.sink): _rows(one) for one in caught}
        return outcome

    def _home(self, job: str) -> Path:
        return self.folder / "checkpoint" / job

    @contextmanager
    def _runner(self, plan: ApplicationPlan, outcome: Outcome) -> Iterator[Runner]:
        """A runner that leaves no query behind: where one job fails, others may still run."""

        def show(line: object) -> None:
            outcome.printed.append(str(line))

        runner = Runner(plan, self.spark, self.folder / "checkpoint", self.application, show)
        try:
            yield runner
        finally:
            for job in runner.jobs:
                if job.query is not None and job.query.isActive:
                    job.query.stop()

    def _reveal(self, plan: ApplicationPlan, feeds: Mapping[str, Feed | TableRows], start: int, until: int) -> None:
        """Makes micro-batches visible, with what the clock shows in them."""
        for feed in feeds.values():
            feed.reveal(until)
        for job in plan.jobs:
            if self.clocks:
                give_clocks(self._home(job.name) / CONTROL, self.clocks[start:until])


def _run_some(runner: Runner, batches: int) -> None:
    """Runs so many micro-batches, or all there are, and stops as a job is stopped while it runs: without a flush."""
    runner.bounded = True
    runner.prepare(bounded=True)
    for job in runner.jobs:
        runner.begin(job)
    while not all(job.all_read or job.accounts.batch + 1 >= batches for job in runner.jobs):
        runner.check()
        time.sleep(POLL)
    for job in runner.jobs:
        job.stop()


def _letters(folder: Path) -> list[Row]:
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _rows(caught: Caught) -> list[Row]:
    """The rows in the order in which they were written."""
    found = memory.rows(caught.name)
    memory.clear(caught.name)
    return found
