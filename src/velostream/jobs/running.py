"""A job of this process: its query while it runs, its accounts always."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.events import JobEnded, JobStarted
from velostream.jobs.accounts import Accounts
from velostream.jobs.batching import Batching
from velostream.jobs.failing import breakers_of
from velostream.jobs.flushing import Flush
from velostream.jobs.following import Following
from velostream.jobs.home import Home
from velostream.jobs.meeting import Begun, last_begun
from velostream.jobs.metrics import window_metrics
from velostream.jobs.new_fields import NewFields
from velostream.jobs.offset_log import OffsetLog
from velostream.jobs.timing import Timings
from velostream.jobs.writing import BatchWriter, Stopped
from velostream.plan.job import Job
from velostream.sinks.writers import begin, release
from velostream.sources.streams import background
from velostream.sources.streams.told import reports
from velostream.spark.failures import translate
from velostream.spark.lower.job import LoweredJob, sinks_of
from velostream.spark.lower.join_table import MATCHED, MISSING
from velostream.spark.lower.stage import CONTROL
from velostream.spark.lower.stateful import waits_for_end
from velostream.spark.stateful.control import command
from velostream.spark.stateful.hot_folders import released
from velostream.spark.warm import set_cache
from velostream.tables.pins import Pins
from velostream.tables.progress import LOADING

POLL = 0.05
"""How often a query is asked whether it is done, in seconds; each time costs a call of the JVM."""
SOON = 0.01
"""The same for one that is about to be open, or to end."""
NUDGE = 1.0
"""How often, at most, a job without input is made to look at its tables, in seconds."""
OPENING = "Initializing"
"""How Spark's words begin about a query that opens its sources."""
ALL_READ = "Waiting for data to arrive"
"""What Spark says of a query that has found nothing more to read."""

if TYPE_CHECKING:
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
    failure: VeloError | None = None
    """Why it failed."""
    following: Following | None = None
    """What is followed of its sources."""
    pins: Pins | None = None
    """The versions of the tables that its micro-batches see."""
    nudged: float = 0.0
    has_flushed: bool = False
    """True once all that it read has been said, since others wait for its table."""
    replays: bool = False
    """True where it reads dead letters that were handed back to it."""
    batching: Batching = field(default_factory=Batching)
    """How large its micro-batches are."""
    new_fields: NewFields | None = None
    """What looks for fields that the samples of its sources did not have."""
    timings: Timings = field(init=False)
    """How long its micro-batches take."""
    begun: Begun = field(init=False)
    """Which of its micro-batches may have written something."""
    endless: bool = False
    """True where its input has no end."""
    again_at: float | None = None
    """When the query is started again, whose micro-batch was given up."""

    def __post_init__(self) -> None:
        self.timings = Timings(self.job.name, accounts=self.accounts)
        self.begun = Begun(self.job.name, last_begun(self.home), self.writer.stopping)
        for listener in (self.timings, self.begun):
            self.writer.events.subscribe(listener)

    @property
    def active(self) -> bool:
        """True while its query runs."""
        return self.query is not None and bool(self.query.isActive)

    def start(self) -> None:
        """Starts the query. A bounded one goes on too when all is read, since it may have to flush yet."""
        if self.state == "running":  # again, after a micro-batch was given up
            self.accounts.seconds += time.monotonic() - self.started
        OffsetLog(self.home).check()
        self.state, self.started, self.again_at = "running", time.monotonic(), None
        if self.pins is not None:
            number, begun = self.home.next_batch()
            self.pins.resume(number, begun=begun)
        if self.following is not None and self.following.bounded:
            self.following.start()
        stream = self.lowered.stream.writeStream.outputMode("update" if self.lowered.stateful else "append")
        stream = stream.queryName(self.job.name).option("checkpointLocation", str(self.home.checkpoint))
        stream = stream.foreachBatch(self.writer)
        self.home.fix_partitions(self.lowered.stream.sparkSession)
        set_cache(self.lowered.stream.sparkSession, self.job, len(self.lowered.roles))
        self.query = stream.trigger(processingTime=f"{self.batching.window * 1000:.0f} milliseconds").start()
        if self.following is not None:
            self.following.has_started(self.query)
        sinks = sinks_of(self.job)
        for one in sinks.targets if sinks is not None else ():
            begin(one.connector, one.name, one.settings, str(self.query.id), self.writer.folder)
        self.writer.events.publish(JobStarted(self.job.name))

    @property
    def control(self) -> Path:
        """Where its commands are."""
        return self.home.folder / CONTROL

    def resume(self) -> None:
        """Starts the query on input that does not end; time in which it did not run counts for nobody's patience."""
        self.endless = True
        if self.following is not None:
            self.following.start(resumed=True)
        elif self.lowered.stateful:
            command(self.control, resumed=True)
        background.resume(self.home.folder)
        self.start()

    def pause(self) -> None:
        """Ends the query after the running batch; process and checkpoint stay."""
        self.stop()
        self.state = "paused"

    def go_on(self) -> None:
        """Starts the query of a job that was paused or stopped again."""
        self.writer.stopping.clear()
        self.resume()

    def look_at_clock(self) -> None:
        """Tells the time to the stateful nodes where the last micro-batch said that something would be due."""
        due = self.writer.next_tick
        if due is not None and time.time_ns() // 1000 >= due:
            self.writer.next_tick = None
            command(self.control)

    def follow(self) -> None:
        """Tells the stateful nodes what is new about the partitions of its sources."""
        if self.following is not None and self.active:
            self.following.look(self.accounts)

    def look_at_tables(self) -> None:
        """Where a table has a newer version and nothing is to be read, a micro-batch without records takes it over."""
        if self.writer.busy or not self.all_read:
            return
        self.has_table()
        if self.pins is None or time.monotonic() - self.nudged < NUDGE:
            return
        if self.pins.stale:
            self.nudged = time.monotonic()
            command(self.control)

    def has_table(self) -> None:
        """The table that it makes holds all that was there to be read."""
        table = self.writer.table
        if table is not None and table.progress.state == LOADING:
            table.progress.end(table.progress.rows)

    def has_made(self, *, bounded: bool) -> bool:
        """True once the table that it makes holds all that its input has; where that has no end, something."""
        if self.state == "done":
            return True
        if self.query is None or self.writer.busy or self.accounts.batch < 0:
            return False
        if bounded and self.all_read and self.lowered.stateful and not self.has_flushed:
            self.flush()
        return self.all_read or not bounded

    def end(self) -> None:
        """A clean stop: what waits for the end of its input is said, and the running batch is finished."""
        if any(waits_for_end(node) for node in self.job.root.walk()):
            self.flush()
        self.stop()

    def end_if_done(self) -> bool:
        """True where a LIMIT has been reached: the query is ended then."""
        if self.writer.done and self.state == "running":
            self.stop()
            self.state = "done"
        return self.writer.done

    @property
    def is_opening(self) -> bool:
        """True while its query opens its sources."""
        return self.query is not None and self.query.status["message"].startswith(OPENING)

    @property
    def all_read(self) -> bool:
        """True once nothing more is to be read, and all that was read has been processed."""
        return self.query is not None and (self.writer.done or self.query.status["message"] == ALL_READ)

    def flush(self) -> None:
        """Says what stands open, and waits for the micro-batch that does; where a LIMIT is reached, none comes."""
        self.has_flushed = True
        self.home.will_flush()
        hearing = frozenset(stage for stage, role in self.lowered.roles.items() if role.first)
        self.writer.flush = flush = Flush(hearing, partial(command, self.control))
        flush.begin()
        while not (self.writer.stopping.is_set() or flush.wait(POLL)):
            self.check()

    def check(self) -> None:
        """Raises what ended the query, if something did, as an error that names the job and its statement."""
        assert self.query is not None
        if self.query.isActive:
            return
        failure = self.query.exception()
        if failure is None or f"{Stopped.__module__}.{Stopped.__name__}" in str(failure):
            return
        if self.again_at is not None:
            self._again(self.again_at)
            return
        error = translate(failure)
        number = self.accounts.batch + 1
        again = self.writer.failing.starts_again(error, number)
        if again and not self.writer.stopping.is_set():
            self.again_at = time.monotonic() + self.writer.failing.pause(error, number)
            return
        message = f"job '{self.job.name}' (line {self.job.line}) failed: {error.message}"
        self.failure = VeloError(message, hint=error.hint, span=error.span, code=error.error_code)
        self.ended("failed")
        with suppress(VeloError):  # what ended the job is said, and what is kept aside is there at the next start
            self.release()
        raise self.failure from failure

    def _again(self, due: float) -> None:
        """Starts the query again with the micro-batch that was given up, when its pause is over; a stop comes first."""
        if self.writer.stopping.is_set() or time.monotonic() < due:
            return
        (self.resume if self.endless else self.start)()

    def ended(self, state: str) -> None:
        """The query runs no more."""
        self.state = state
        self.accounts.seconds += time.monotonic() - self.started
        error = self.failure.message if self.failure is not None else ""
        self.writer.events.publish(JobEnded(self.job.name, state, error))

    def stop(self) -> None:
        """Stops after the running batch: the next one is refused, and a query that waits for input is ended."""
        assert self.query is not None
        self.writer.stopping.set()
        while self.query.isActive:
            if self._is_at_work:
                time.sleep(SOON)
            else:
                self.query.stop()
        self.check()
        if self.following is not None:
            self.following.end(self.accounts)
        self.count_joins()
        self.has_table()
        self.accounts.save(self.home.accounts)
        self.ended("stopped")
        self.release()

    @property
    def _is_at_work(self) -> bool:
        """True while its query has a micro-batch."""
        if self.writer.busy or self.query is None:
            return self.writer.busy
        status = self.query.status
        return bool(status["isTriggerActive"] and status["isDataAvailable"])

    def release(self) -> None:
        """Gives back the shared memory of its state, the connections of its sinks, and what its sources did beside."""
        background.close(self.home.folder)
        if self.following is not None:
            self.following.end(self.accounts)
        if self.query is not None:
            released(str(self.query.id))
            release(str(self.query.id))

    def count_joins(self) -> None:
        """Adds what the joins of the stream counted in the micro-batches that have ended.

        Spark also reports that nothing happens, under the number of the micro-batch to come.
        """
        last = self.query.lastProgress if self.query is not None and self.lowered.observed else None
        if last is None or self.query is None:
            return
        is_next = last["batchId"] == self.accounts.joins_until + 1 and self._observed(last)
        for one in [last] if is_next else self.query.recentProgress:
            observed = self._observed(one)
            if not observed or one["batchId"] <= self.accounts.joins_until:
                continue
            self.accounts.joins_until = one["batchId"]
            for name, counted in observed.items():
                self.accounts.add_join(*self.lowered.observed[name], counted[MATCHED], counted[MISSING])

    def _observed(self, progress: Any) -> dict[str, Any]:
        """What joins counted, of all that Spark reports of a micro-batch."""
        return {name: told for name, told in progress["observedMetrics"].items() if name in self.lowered.observed}

    def report(self) -> dict[str, Any]:
        """What became of every record, as data."""
        accounts = self.accounts
        seconds = accounts.seconds + (time.monotonic() - self.started if self.state == "running" else 0.0)
        return {
            "name": self.job.name,
            "state": self.state,
            "stateful": self.lowered.stateful,
            "records": accounts.records,
            "emitted": {kind: accounts.emitted[kind] for kind in ("early", "final", "late", "change", "retract")},
            "windows": window_metrics(accounts, seconds, self.query.lastProgress if self.query is not None else None),
            "watermark": _shown(accounts.watermark),
            "held_back_by": accounts.holding,
            "joins": accounts.joins,
            "refused": accounts.refused,
            "failed_rows": dict(accounts.failed_rows),
            "lost": accounts.lost,
            "new_fields": self.new_fields.found if self.new_fields is not None else {},
            "batching": self.batching.report(),
            "notifications": reports(self.home.folder),
            "circuit_breakers": breakers_of(self.writer.failing, self.home.folder),
            "partitions": {
                name: {**shown, "max_event_time": _shown(shown["max_event_time"])}
                for name, shown in sorted(accounts.partitions.items())
            },
            "seconds": round(seconds, 3),
            **({"error": self.failure.message, "hint": self.failure.hint} if self.failure is not None else {}),
        }


def _shown(micros: int | None) -> str | None:
    if micros is None:
        return None
    return datetime.fromtimestamp(micros / 1e6, UTC).isoformat()
