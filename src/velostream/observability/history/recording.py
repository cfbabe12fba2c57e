"""Records the jobs of a runner: every few seconds a snapshot of each that did something, and every window once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.events import BatchEnded, Event, JobEnded
from velostream.observability.history.stores import NONE, open_store, place_of
from velostream.observability.history.tables import Row, rows_of
from velostream.observability.sending import Sender
from velostream.observability.snapshot import snapshot

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.jobs.running import RunningJob
    from velostream.observability.history.base import Store

TIDY = 3600.0
"""Seconds between two times that old rows are let go."""


class _Open:
    """An open store, with the thread that writes to it."""

    def __init__(self, kind: str, place: str) -> None:
        self.kind, self.place = kind, place
        self.store: Store | None = None
        self.tidied = 0.0
        self.sender: Sender[tuple[dict[str, list[Row]], float]] = Sender(self._add, "history rows")

    def _add(self, given: tuple[dict[str, list[Row]], float]) -> None:
        rows, kept = given
        if self.store is None:
            self.store = open_store(self.kind, self.place)
        self.store.add(rows)
        if time.monotonic() - self.tidied > TIDY:
            self.tidied = time.monotonic()
            self.store.forget(time.time() - kept)

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
    """The last micro-batch whose windows were kept."""


class Recording:
    """Listens to jobs."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.places = {job.name: place_of(job.settings, runner.checkpoint, runner.folder) for job in runner.plan.jobs}
        self.kept: dict[str, _Kept | None] = {}
        self.stores: dict[str, _Open] = {}

    def __call__(self, event: Event) -> None:
        """Takes what is published: some time after the last snapshot, and at the end, another one is taken."""
        ended = isinstance(event, JobEnded)
        if not ended and not (isinstance(event, BatchEnded) and not event.error):
            return
        if event.job not in self.kept:
            self.kept[event.job] = self._of(event.job)
        kept = self.kept[event.job]
        if kept is not None and (ended or time.monotonic() - kept.last >= kept.every):
            kept.last = time.monotonic()
            self._record(kept)

    def close(self) -> None:
        """Writes what is not written yet."""
        for store in self.stores.values():
            store.close()

    def _record(self, kept: _Kept) -> None:
        lines = [line for line in tuple(kept.job.accounts.seen["windows"]) if line[-1] > kept.batch]
        kept.batch = max((line[-1] for line in lines), default=kept.batch)
        taken: dict[str, Any] = snapshot(kept.job, self.runner.plan.name)
        kept.to.sender.put((rows_of(taken, lines), kept.retention))

    def _of(self, name: str) -> _Kept | None:
        job = next((one for one in self.runner.jobs if one.job.name == name), None)
        settings = job.job.settings if job is not None else None
        kind, place = self.places.get(name, (NONE, ""))
        if job is None or settings is None or kind == NONE:
            return None
        to = self.stores.get(place) or self._open(kind, place)
        every, retention = settings.duration("history.every") / SECOND, settings.duration("history.retention") / SECOND
        # Windows that an earlier run has told of were kept by it.
        return _Kept(job, to, every, retention, batch=_told_before(job))

    def _open(self, kind: str, place: str) -> _Open:
        self.stores[place] = _Open(kind, place)
        return self.stores[place]


def _told_before(job: RunningJob) -> int:
    """The last micro-batch of an earlier run."""
    done = sum(job.timings.counts)
    return job.accounts.batch - done
