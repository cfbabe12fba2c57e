"""Records the jobs of a runner: every few seconds a snapshot of each that runs, and what every window said once."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from threading import Event as Closing
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.events import LOGGER, BatchEnded, Event, JobEnded, JobStarted
from velostream.observability.history.stores import NONE, open_store, place_of
from velostream.observability.history.tables import JOBS, METRICS, Row, rows_of
from velostream.observability.sending import PATIENCE, Sender
from velostream.observability.snapshot import snapshot

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.jobs.running import RunningJob
    from velostream.observability.history.base import Store

LOOK = 0.5
"""Seconds between two looks at whether a snapshot is due."""
TIDY = 3600.0
"""Seconds between two times that old rows are let go."""


class _Open:
    """An open store, with the thread that writes to it."""

    def __init__(self, kind: str, place: str) -> None:
        self.kind, self.place = kind, place
        self.store: Store | None = None
        self.tidied: dict[tuple[str, str], float] = {}
        """When the old rows of each job were let go."""
        self.sender: Sender[tuple[dict[str, list[Row]], float]] = Sender(self._add, "history rows")

    def _add(self, given: tuple[dict[str, list[Row]], float]) -> None:
        rows, kept = given
        if self.store is None:
            self.store = open_store(self.kind, self.place)
        self.store.add(rows)
        _, app, job = rows[JOBS.name][0][:3]
        if time.monotonic() - self.tidied.get((app, job), -TIDY) >= TIDY:
            self.tidied[app, job] = time.monotonic()
            self.store.forget(app, job, time.time() - kept)

    def close(self) -> None:
        self.sender.close()
        if self.store is not None:
            self.store.close()


@dataclass
class _Kept:
    """One job whose history is kept."""

    job: RunningJob
    to: _Open
    every: float
    retention: float
    last: float = 0.0
    batch: int = -1
    """The last micro-batch whose windows were taken."""
    lines: list[list[Any]] = field(default_factory=list)
    """What windows said since the last snapshot."""

    values: dict[Row, float] = field(default_factory=dict)
    """The value that each series of a @metric was kept with."""

    def changed(self, rows: list[Row]) -> list[Row]:
        """The series whose value is another than the one that was kept: most of many stand still."""
        new = [row for row in rows if self.values.get(row[3:5]) != row[5]]
        self.values |= {row[3:5]: row[5] for row in new}
        return new

    def take_windows(self) -> None:
        """Takes what windows said in the micro-batches since."""
        new = [line for line in tuple(self.job.accounts.seen["windows"]) if line[-1] > self.batch]
        self.batch = max((line[-1] for line in new), default=self.batch)
        self.lines += new


class Recording:
    """Listens to jobs, and looks at them now and then: also a job that gets nothing to do is recorded."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.places = {job.name: place_of(job.settings, runner.checkpoint, runner.folder) for job in runner.plan.jobs}
        self.kept: dict[str, _Kept] = {}
        self.stores: dict[str, _Open] = {}
        self.closed = Closing()
        self.lock = Lock()
        self.thread = Thread(target=self._watch, name="velo-history", daemon=True)
        self.thread.start()

    def __call__(self, event: Event) -> None:
        """Takes what is published."""
        if isinstance(event, JobStarted) and event.job not in self.kept:
            found = self._of(event.job)
            if found is not None:
                self.kept[event.job] = found
            return
        kept = self.kept.get(event.job)
        if kept is None:
            return
        if isinstance(event, BatchEnded) and not event.error:
            with self.lock:
                kept.take_windows()
        elif isinstance(event, JobEnded):
            self._record(kept)

    def close(self) -> None:
        """Writes what is not written yet."""
        self.closed.set()
        self.thread.join(PATIENCE)
        for store in self.stores.values():
            store.close()

    def _watch(self) -> None:
        while not self.closed.wait(LOOK):
            for kept in list(self.kept.values()):
                if kept.job.state == "running" and time.monotonic() - kept.last >= kept.every:
                    try:
                        self._record(kept)
                    except Exception:
                        logging.getLogger(LOGGER).warning("job '%s' was not recorded", kept.job.job.name, exc_info=True)

    def _record(self, kept: _Kept) -> None:
        kept.last = time.monotonic()
        taken: dict[str, Any] = snapshot(kept.job, self.runner.plan.name)
        with self.lock:
            kept.take_windows()
            lines, kept.lines = kept.lines, []
        rows = rows_of(taken, lines)
        rows[METRICS.name] = kept.changed(rows[METRICS.name])
        kept.to.sender.put((rows, kept.retention))

    def _of(self, name: str) -> _Kept | None:
        job = next((one for one in self.runner.jobs if one.job.name == name), None)
        settings = job.job.settings if job is not None else None
        kind, place = self.places.get(name, (NONE, ""))
        if job is None or settings is None or kind == NONE:
            return None
        to = self.stores.get(place) or self._open(kind, place)
        every, retention = settings.duration("history.every") / SECOND, settings.duration("history.retention") / SECOND
        # What windows said in an earlier run, that run has kept.
        before = job.accounts.batch - sum(job.timings.counts)
        return _Kept(job, to, every, retention, last=time.monotonic(), batch=before)

    def _open(self, kind: str, place: str) -> _Open:
        self.stores[place] = _Open(kind, place)
        return self.stores[place]
