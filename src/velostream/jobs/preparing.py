"""What a job needs before its query starts: its state at home, its plan on Spark, and who watches its batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.memory import hot_size
from velostream.durations import SECOND
from velostream.events import Events
from velostream.functions.base import Function
from velostream.jobs.accounts import Accounts
from velostream.jobs.after_flush import going_on
from velostream.jobs.batching import batching_of
from velostream.jobs.cold import PuttingAway, place_of_job
from velostream.jobs.emissions import emissions_of
from velostream.jobs.failing import failing_of
from velostream.jobs.following import Following
from velostream.jobs.home import Home
from velostream.jobs.letter_owner import owner_of
from velostream.jobs.letters import letter_store
from velostream.jobs.log_lines import LogLines
from velostream.jobs.measuring import measuring
from velostream.jobs.new_fields import new_fields_of
from velostream.jobs.originals import originals_of
from velostream.jobs.ownership import Owners, key_of
from velostream.jobs.read_back import make_places
from velostream.jobs.replaying import is_asked_for, recover
from velostream.jobs.running import RunningJob
from velostream.jobs.said import share_of
from velostream.jobs.tables import Tables
from velostream.jobs.writing import BatchWriter
from velostream.plan.job import ROUNDROBIN, ApplicationPlan, Job
from velostream.plan.nodes import Materialise
from velostream.plan.varying import behind
from velostream.sinks.writers.batch import FEW
from velostream.spark.lower.context import Lowering, Run
from velostream.spark.lower.job import LoweredJob, lower_job
from velostream.tables.pins import Pins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MUCH = 4 << 20
"""Bytes of files from which on a first micro-batch is taken to have many rows."""


@dataclass(frozen=True)
class Preparing:
    """Prepares the jobs of an application."""

    plan: ApplicationPlan
    spark: SparkSession
    checkpoint: Path
    folder: Path
    """Relative paths start here."""
    show: Callable[[object], None]
    tables: Tables
    functions: Mapping[str, Function]
    owners: Owners
    events: Events
    bounded: bool

    def job(self, job: Job) -> RunningJob:
        """A job that can be started."""
        home = Home(self.checkpoint / job.name)
        home.folder.mkdir(parents=True, exist_ok=True)
        recover(home)
        make_places(job, self.folder)
        job = going_on(job, self.plan, home)
        opened = self.tables.open(job, home, bounded=self.bounded)
        pins = opened if opened.views else None
        lowering, lowered = self._lowered(job, home, pins)
        accounts = Accounts.load(home.accounts)
        writer = BatchWriter(job, lowered, home, accounts, self.show, self.folder, events=self.events)
        writer.rows_before = FEW + 1 if lowering.first_bytes > MUCH else 0
        writer.share = share_of(len(lowering.run.buckets))
        measuring(writer)
        writer.emissions = emissions_of(job, home)
        place = place_of_job(job, self.plan, self.folder)
        writer.away = PuttingAway(place) if place is not None else None
        writer.lines = LogLines(job) if job.logs else None
        writer.failing = failing_of(job, self.plan)
        writer.letters = letter_store(job, home, self.folder)
        writer.originals = originals_of(job, home.folder)
        writer.failing.fill = writer.originals.fill if writer.originals is not None else None
        if isinstance(job.root, Materialise):
            writer.table = self.tables.made[job.root.table]
        running = RunningJob(job, home, lowered, writer, accounts, pins=pins)
        running.new_fields = new_fields_of(job, home.folder, self.checkpoint, self.folder, self.events)
        running.batching = batching_of(job, home.folder, accounts, self.events)
        self._take(running, lowering, lowered)
        return running

    def takes_replays(self, running: RunningJob) -> bool:
        """True where letters were replayed since a job was prepared without any: it is prepared for them, and has to
        be started again. A job that nobody replays letters of does not pay for being able to read them."""
        if running.replays or not is_asked_for(running.home):
            return False
        running.pause()
        self._take(running, *self._lowered(running.job, running.home, running.pins))
        return True

    def _lowered(self, job: Job, home: Home, pins: Pins | None) -> tuple[Lowering, LoweredJob]:
        buckets, again = home.buckets(self.spark, job.placement.buckets), is_asked_for(home)
        more = (job.stateful, again, self.owners.goes_by_slots(job))
        run = Run(job.name, home.folder, self.folder, self.bounded, buckets, *_hot(job), *more, self._spread(job))
        views = pins.views if pins is not None else {}
        known_by = behind(job.root, key_of(job))
        since = dict(zip(map(id, job.keeping), job.since_flush, strict=False))
        lowering = Lowering(self.spark, run, functions=self.functions, apart=known_by, tables=views, since_flush=since)
        lowered = lower_job(job, lowering)
        if pins is not None:
            pins.prepared = lowering.prepared
        return lowering, lowered

    def _spread(self, job: Job) -> int | None:
        """Over how many tasks a job deals its records out."""
        if job.placement.strategy != ROUNDROBIN:
            return None
        return job.placement.buckets or self.spark.sparkContext.defaultParallelism

    def _take(self, running: RunningJob, lowering: Lowering, lowered: LoweredJob) -> None:
        """Gives a job its plan on Spark."""
        running.lowered, running.replays = lowered, lowering.run.replays
        running.writer.lowered = self.owners.applied(running.job, lowered)
        running.writer.owner = owner_of(running.job, self.owners)
        if lowering.followers:
            follows = Following(
                lowering.followers, running.control, lowered.stateful, self.bounded, job=running.job.name
            )
            self.events.subscribe(follows)
            running.following, running.writer.begins = follows, follows.begin
            running.batching.window = max(running.batching.window, follows.pace)


def _hot(job: Job) -> tuple[int, float]:
    """The bytes of decoded state that each stateful node of a job may keep, and for how many seconds."""
    stateful = sum(node.keeps_state for node in job.root.walk())
    if job.settings is None or not stateful:
        return 0, 0.0
    return hot_size(job.settings) // stateful, job.settings.duration("state.hot.ttl") / SECOND
