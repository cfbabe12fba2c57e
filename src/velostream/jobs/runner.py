"""Runs the jobs of an application in one process, and reports what became of every record."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.jobs.accounts import Accounts
from velostream.jobs.home import Home
from velostream.jobs.writing import BatchWriter
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate
from velostream.spark.lower.context import Lowering, Run
from velostream.spark.lower.job import LoweredJob, lower_job
from velostream.spark.lower.stage import CONTROL
from velostream.spark.stateful.control import command
from velostream.spark.stateful.hot_folders import released

TICK = 5.0
LOOK = 0.2
"""How often the clock is looked at, in seconds."""
PATIENCE = 60.0
"""How long a clean stop waits for the micro-batch that carries a flush."""

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass
class RunningJob:
    """A job of this process: its query while it runs, its accounts always."""

    job: Job
    home: Home
    lowered: LoweredJob
    writer: BatchWriter
    accounts: Accounts
    state: str = "created"
    started: float = 0.0
    query: StreamingQuery | None = None

    def start(self, *, bounded: bool) -> None:
        """Starts the query: bounded reads what is there, else it watches for more."""
        self.state, self.started = "running", time.monotonic()
        stream = self.lowered.stream.writeStream.outputMode("update" if self.lowered.stateful else "append")
        stream = stream.queryName(self.job.name).option("checkpointLocation", str(self.home.checkpoint))
        stream = stream.foreachBatch(self.writer)
        stream = stream.trigger(availableNow=True) if bounded else stream.trigger(processingTime="0 seconds")
        self.query = stream.start()

    @property
    def control(self) -> Path:
        """Where its commands are."""
        return self.home.folder / CONTROL

    def resume(self) -> None:
        """Starts the query on input that does not end; time in which it did not run counts for nobody's patience."""
        if self.lowered.stateful:
            command(self.control, resumed=True)
        self.start(bounded=False)

    def look_at_clock(self) -> None:
        """Tells the time to the stateful nodes where the last micro-batch said that something would be due."""
        due = self.writer.next_tick
        if due is not None and time.time_ns() // 1000 >= due:
            self.writer.next_tick = None
            command(self.control)

    def end(self) -> None:
        """A clean stop: what waits for the end of its input is said, and the running batch is finished."""
        if any(isinstance(node, Aggregate) and node.waits_for_end for node in self.job.root.walk()):
            command(self.control, flush=True)
            until = time.monotonic() + PATIENCE
            while not self.writer.flushed and time.monotonic() < until and self.query is not None:
                self.check()
                time.sleep(0.05)
        self.stop()

    def wait(self) -> None:
        """Waits for the end of a bounded run."""
        assert self.query is not None
        self.query.awaitTermination()
        self.accounts.seconds += time.monotonic() - self.started

    def check(self) -> None:
        """Raises what ended the query, if something did."""
        assert self.query is not None
        failure = self.query.exception()
        if failure is not None:
            self.state = "failed"
            raise failure

    def stop(self) -> None:
        """Stops after the running batch: cutting it would repeat it."""
        assert self.query is not None
        while self.query.isActive and self.query.status["isTriggerActive"] and self.query.status["isDataAvailable"]:
            time.sleep(0.05)
        self.query.stop()
        self.state = "stopped"
        self.accounts.seconds += time.monotonic() - self.started
        self.release()

    def release(self) -> None:
        """Gives back the shared memory of its state."""
        if self.query is not None:
            released(str(self.query.id))

    def report(self) -> dict[str, Any]:
        """What became of every record, as data."""
        accounts = self.accounts
        return {
            "name": self.job.name,
            "state": self.state,
            "records": accounts.records,
            "emitted": {kind: accounts.emitted[kind] for kind in ("early", "final", "late", "change", "retract")},
            "windows": {**accounts.windows, **accounts.gauges},
            "watermark": _shown(accounts.watermark),
            "partitions": {
                name: {**shown, "max_event_time": _shown(shown["max_event_time"])}
                for name, shown in sorted(accounts.partitions.items())
            },
            "seconds": round(accounts.seconds, 3),
        }


def _hot(job: Job) -> tuple[int, float]:
    """The bytes of decoded state that each stateful node of a job may keep, and for how many seconds."""
    stateful = sum(node.keeps_state for node in job.root.walk())
    if job.settings is None or not stateful:
        return 0, 0.0
    return job.settings.size("state.hot.max_size") // stateful, job.settings.duration("state.hot.ttl") / SECOND


def _shown(micros: int | None) -> str | None:
    if micros is None:
        return None
    return datetime.fromtimestamp(micros / 1e6, UTC).isoformat()


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

    def prepare(self, *, bounded: bool) -> None:
        """Lowers every job; what cannot be run is said before anything starts."""
        for job in self.plan.jobs:
            home = Home(self.checkpoint / job.name)
            home.folder.mkdir(parents=True, exist_ok=True)
            buckets = home.buckets(self.spark, job.placement.buckets)
            run = Run(job.name, home.folder, self.folder, bounded, buckets, *_hot(job))
            lowered = lower_job(job, Lowering(self.spark, run))
            accounts = Accounts.load(home.accounts)
            writer = BatchWriter(job, lowered, home, accounts, self.show, self.folder)
            self.jobs.append(RunningJob(job, home, lowered, writer, accounts))

    def run_until_done(self) -> None:
        """Reads all bounded input, then flushes what is still open."""
        self.prepare(bounded=True)
        self.read_all(self.jobs)
        stateful = [job for job in self.jobs if job.lowered.stateful]
        for job in stateful:
            command(job.control, flush=True)
        self.read_all(stateful)
        for job in self.jobs:
            job.state = "done"
            job.release()

    def read_all(self, jobs: Sequence[RunningJob]) -> None:
        """Reads what is there, all jobs side by side."""
        for job in jobs:
            job.start(bounded=True)
        for job in jobs:
            job.wait()

    def run(self, seconds: float | None, tick: Callable[[], None]) -> None:
        """Watches for input until the time is over or Ctrl-C; `tick` is called every few seconds."""
        self.prepare(bounded=False)
        for job in self.jobs:
            job.resume()
        ends = None if seconds is None else time.monotonic() + seconds
        shown = time.monotonic()
        try:
            while ends is None or time.monotonic() < ends:
                time.sleep(LOOK if ends is None else min(LOOK, max(0.0, ends - time.monotonic())))
                for job in self.jobs:
                    job.check()
                    job.look_at_clock()
                if time.monotonic() - shown >= TICK:
                    shown = time.monotonic()
                    tick()
        except KeyboardInterrupt:
            pass
        for job in self.jobs:
            job.end()

    def report(self) -> dict[str, Any]:
        """The conservation report."""
        return {"app": self.plan.name, "jobs": [job.report() for job in self.jobs]}
