"""One run of a case: a plan on Spark until its input ends, perhaps with a stop in between, and what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.jobs.runner import Runner
from velostream.plan.job import ApplicationPlan
from velostream.sinks import memory
from velostream.testing.feeding import Feed
from velostream.testing.rewiring import Caught, catch_sinks, feed_sources

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
    """Where a run takes place: the session, a folder of its own, and the folder that the application's paths mean."""

    spark: SparkSession
    folder: Path
    application: Path
    keep_prints: bool = False

    def run(self, plan: ApplicationPlan, feeds: Mapping[str, Feed], stop: int | None) -> Outcome:
        """Runs until the input ends; with `stop`, in two runners, of which the first sees so many micro-batches."""
        wired, caught = catch_sinks(feed_sources(plan, feeds), str(self.folder), keep_prints=self.keep_prints)
        outcome = Outcome()
        batches = max((feed.batches for feed in feeds.values()), default=0)
        if stop is not None:
            self._reveal(feeds, stop)
            _until_stop(self._runner(wired, outcome))
        self._reveal(feeds, batches)
        runner = self._runner(wired, outcome)
        try:
            runner.run_until_done()
        finally:
            _end(runner)
        for job in runner.report()["jobs"]:
            outcome.reports[job["name"]] = job
            outcome.letters[job["name"]] = _letters(self.folder / "checkpoint" / job["name"] / "dead-letters")
        outcome.rows = {(one.job, one.sink): _rows(one) for one in caught}
        return outcome

    def _runner(self, plan: ApplicationPlan, outcome: Outcome) -> Runner:
        def show(line: object) -> None:
            outcome.printed.append(str(line))

        return Runner(plan, self.spark, self.folder / "checkpoint", self.application, show)

    @staticmethod
    def _reveal(feeds: Mapping[str, Feed], until: int) -> None:
        for feed in feeds.values():
            feed.reveal(until)


def _until_stop(runner: Runner) -> None:
    """Reads what is there and stops without the flush, as a job does that is stopped while it runs."""
    try:
        runner.read_all()
        for job in runner.jobs:
            job.stop()
    finally:
        _end(runner)


def _end(runner: Runner) -> None:
    """Leaves no query behind: one that failed may have left others running."""
    for job in runner.jobs:
        if job.query is not None and job.query.isActive:
            job.query.stop()


def _letters(folder: Path) -> list[Row]:
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _rows(caught: Caught) -> list[Row]:
    """The rows in the order in which they were written."""
    found = memory.rows(caught.name)
    memory.clear(caught.name)
    return found
