"""Runs the jobs of an application in one process, and reports what became of every record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from velostream.events import Events
from velostream.jobs.ownership import Owners
from velostream.jobs.preparing import Preparing
from velostream.jobs.rounds import rounds
from velostream.jobs.running import POLL, SOON, RunningJob
from velostream.jobs.tables import Tables
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Materialise
from velostream.spark.lower.functions import register
from velostream.spark.lower.job import refuse_ends
from velostream.spark.warm import place_stores

LOOK = 0.2
"""How often the clock is looked at, in seconds."""
HEAD_START, FIRST_BATCHES = 12.0, 4
"""How long, in seconds, and for how many micro-batches the first job has the machine for itself."""
SETTLING = 30.0
"""How long one job may take to open its sources before the next one is started, in seconds."""

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Runner:
    """All jobs of an application."""

    def __init__(
        self, plan: ApplicationPlan, spark: SparkSession, checkpoint: Path, folder: Path, show: Callable[[object], None]
    ) -> None:
        self.plan = plan
        self.spark = spark
        self.checkpoint = checkpoint
        self.folder = folder
        self.show = show
        self.jobs: list[RunningJob] = []
        self.tables: Tables | None = None
        self.preparing: Preparing | None = None
        self.bounded = False
        self.held: dict[str, str] = {}
        """Jobs that are not to be started, by name, and the state in which they are: paused or stopped."""
        self.owners = Owners()
        """Which rows are written, where another version of the application runs beside this one."""
        self.events = Events()
        """Where its jobs say what they do."""
        self.later: list[list[Job]] = []
        """Jobs that wait for others to end, whose sinks they read back."""
        self.stopping = Event()
        """Set, from whatever thread, it ends a run after the running batches."""

    def prepare(self, *, bounded: bool, each: Callable[[RunningJob], None] | None = None) -> None:
        """Loads the tables and lowers every job, and hands it to `each`; settings, sources and sinks that cannot be run
        are said before that. There are no jobs where somebody stops it while tables are loaded. Where input ends, jobs
        that read back what others write are lowered when these have ended."""
        refuse_ends(self.plan)
        place_stores(self.spark, self.plan)
        register(self.spark, self.plan.functions)
        self.tables = tables = Tables(self.plan, self.spark, self.checkpoint, self.folder)
        self.preparing = Preparing(
            self.plan,
            self.spark,
            self.checkpoint,
            self.folder,
            self.show,
            tables,
            self.plan.functions_by_name,
            self.owners,
            self.events,
            bounded,
        )
        first, *self.later = rounds(self.plan) if bounded and self.plan.jobs else [list(self.plan.jobs)]
        for job in first if tables.load(self.stopping) else ():
            self.jobs.append(self._prepared(job))
            if each is not None:
                each(self.jobs[-1])

    def _prepared(self, job: Job) -> RunningJob:
        assert self.preparing is not None
        running = self.preparing.job(job)
        if running.pins is not None or running.writer.table is not None:
            running.writer.ended = partial(self._ended, running)
        return running

    def prepare_again(self, job: RunningJob) -> None:
        """Makes a job that rests anew, since other columns are asked of its rows now."""
        again = self._prepared(job.job)
        again.state = job.state
        self.jobs[self.jobs.index(job)] = again

    def _ended(self, job: RunningJob, number: int) -> None:
        """After a micro-batch: the next one sees the newest versions, and those that nobody needs go."""
        assert self.tables is not None
        job.count_joins()
        with self.tables.lock:
            if job.pins is not None:
                job.pins.advance(number + 1)
            self.tables.forget()

    def _start(self, job: RunningJob, start: Callable[[RunningJob], None]) -> None:
        """Starts a job when all tables that it needs are there."""
        assert self.tables is not None
        makers = {job.job.root.table: job for job in self.jobs if isinstance(job.job.root, Materialise)}

        def is_made(table: str) -> bool:
            self.check()
            return makers[table].has_made(bounded=self.bounded)

        if self.tables.wait(job.job, is_made, self.stopping):
            start(job)
            self._settle(job)

    def begin(self, job: RunningJob) -> None:
        """Starts a job on input that ends, when all tables that it needs are there."""
        self._start(job, RunningJob.start)

    def _settle(self, job: RunningJob) -> None:
        """Waits until the sources of a job are open: Spark gives a Python process of theirs ten seconds to come up,
        which many at once would miss on few cores."""
        until = time.monotonic() + SETTLING
        while job.is_opening and time.monotonic() < until and not self.stopping.wait(SOON):
            self.check()

    def run_until_done(self) -> None:
        """Reads all bounded input, then flushes what is still open; if somebody stops it before, it flushes nothing.
        Jobs that read back what others write do so when these have ended, with all that they flushed."""
        with self._together():
            jobs = self.read_all()
            while self._finish(jobs) and self.later:
                jobs = [self._prepared(job) for job in self.later.pop(0)]
                self.jobs += jobs
                self._read(jobs)
            if not self.stopping.is_set() and self.tables is not None:
                self.tables.finish()

    def read_all(self) -> list[RunningJob]:
        """Reads all bounded input, the jobs side by side; the queries stay, for the flush. Those that read it."""
        self.bounded = True
        self.prepare(bounded=True)
        jobs = list(self.jobs)
        self._read(jobs)
        return jobs

    def _read(self, jobs: list[RunningJob]) -> None:
        for job in jobs:
            self.begin(job)
        while not all(job.all_read for job in jobs) and not self.stopping.wait(POLL):
            self.check()
            for job in jobs:
                job.follow()

    def _finish(self, jobs: list[RunningJob]) -> bool:
        """Ends jobs that have read all; False where somebody stopped them before."""
        done = not self.stopping.is_set()
        for job in jobs:
            if done and job.lowered.stateful and not job.has_flushed and not job.end_if_done():
                job.flush()
        for job in jobs:
            if not job.end_if_done():
                job.stop()
                job.state = "done" if done else "stopped"
        return done

    def check(self) -> None:
        """Raises the error of a job that has failed."""
        for job in self.jobs:
            if job.query is not None:
                job.check()

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Where a job fails inside, the others are stopped too, after the micro-batches that they are at."""
        try:
            yield
        except Exception:
            for job in self.jobs:
                if job.state == "running":
                    with suppress(Exception):  # the first failure is the one to tell
                        job.stop()
            raise

    def run(self, seconds: float | None, tick: Callable[[], None]) -> None:
        """Watches for input until the time is over or somebody stops it; `tick` is called after every look."""
        with self._together():
            self.prepare(bounded=False, each=self._resume)
            assert self.tables is not None
            with self.tables.kept_fresh():
                self._watch(seconds, tick)
            for job in self.jobs:
                if job.state == "running" and not job.end_if_done():
                    job.end()

    def _resume(self, job: RunningJob) -> None:
        """Starts a job as soon as it is lowered; the first one comes to its first results before the others start."""
        if job.job.name in self.held:
            job.state = self.held[job.job.name]
            return
        self._start(job, RunningJob.resume)
        until = time.monotonic() + HEAD_START
        done = job.accounts.batch + FIRST_BATCHES
        while job is self.jobs[0] and len(self.plan.jobs) > 1 and job.active and job.accounts.batch < done:
            if job.all_read and job.accounts.batch >= 0:
                return
            if time.monotonic() > until or self.stopping.wait(POLL):
                return
            self.check()

    def _watch(self, seconds: float | None, tick: Callable[[], None]) -> None:
        """Looks after the jobs until the time is over, all have ended, or somebody stops them."""
        assert self.preparing is not None
        ends = None if seconds is None else time.monotonic() + seconds
        while ends is None or time.monotonic() < ends:
            if self.stopping.wait(LOOK if ends is None else min(LOOK, max(0.0, ends - time.monotonic()))):
                break
            self.check()
            ended = [job.end_if_done() or job.state == "stopped" for job in self.jobs]
            if ended and all(ended):  # without any job there are tables that follow others
                break
            for job in self.jobs:
                if job.state == "running":
                    job.look_at_clock()
                    job.look_at_tables()
                    job.follow()
                    if self.preparing.takes_replays(job):
                        job.go_on()
            tick()

    def report(self) -> dict[str, Any]:
        """The conservation report."""
        tables = self.tables.report() if self.tables is not None else []
        return {"app": self.plan.name, "jobs": [job.report() for job in self.jobs], "tables": tables}
