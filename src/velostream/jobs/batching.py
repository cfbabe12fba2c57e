"""How large micro-batches are: the size that the target latency allows, as the last ones show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.batching import ADAPTIVE, FIXED_SIZE, TIME_WINDOW, first_size, strategy_of
from velostream.durations import SECOND
from velostream.events import BatchEnded, Event, Events
from velostream.files import replace_text
from velostream.jobs.accounts import Accounts
from velostream.sources.streams.limits import FILE

if TYPE_CHECKING:
    from velostream.plan.job import Job

GROWS, SHRINKS = 2.0, 0.5
"""At most by these a limit changes from one micro-batch to the next."""
CLOSE = 0.1
"""A latency so near to the target changes nothing."""


@dataclass
class Batching:
    """The strategy of a job. Only an adaptive one has a size that changes."""

    strategy: str = ""
    size: int | None = None
    least: int = 1
    most: int = 1
    target: float = 1.0
    window: float = 0.0
    """Seconds that a micro-batch collects; 0 where it begins as soon as it can."""
    file: Path | None = None

    @classmethod
    def of(cls, settings: Any, home: Path) -> Batching:
        """As the settings of a job say. An adaptive one begins with what it had found out before."""
        strategy = strategy_of(settings)
        if strategy == FIXED_SIZE:
            return cls(strategy, settings.integer("batch.size"))
        if strategy == TIME_WINDOW:
            return cls(strategy, window=settings.duration("batch.window") / SECOND)
        if strategy != ADAPTIVE:
            return cls(strategy)
        least, most = settings.integer("batch.min.size"), settings.integer("batch.max.size")
        file = home / FILE
        known = int(file.read_text()) if file.exists() else first_size(settings)
        made = cls(strategy, least=least, most=most, target=settings.duration("batch.target.latency") / SECOND)
        made.file = file
        made.set(known)
        return made

    def set(self, size: int) -> None:
        """Takes another size, within its bounds."""
        self.size = min(max(size, self.least), self.most)
        if self.file is not None:
            replace_text(self.file, str(self.size))

    def observe(self, records: int, seconds: float) -> None:
        """After a micro-batch of so many records that took so long: what the next one may have.

        One that took longer than it should makes the next smaller, whatever it had; one that was quick makes the next
        larger only if the limit was what held it back.
        """
        if self.strategy != ADAPTIVE or not records or seconds <= 0:
            return
        assert self.size is not None
        ratio = self.target / seconds
        if abs(ratio - 1) < CLOSE or (ratio > 1 and records < self.size * 0.9):
            return
        self.set(round(self.size * min(max(ratio, SHRINKS), GROWS)))

    def report(self) -> dict[str, Any]:
        """As the report of a run has it."""
        return {"strategy": self.strategy or None, "size": self.size}


@dataclass
class Adapting:
    """Listens to the micro-batches of a job, and tells its batching how they went."""

    job: str
    accounts: Accounts
    batching: Batching
    before: int = 0

    def __call__(self, event: Event) -> None:
        """After each micro-batch that was written."""
        if isinstance(event, BatchEnded) and event.job == self.job and not event.error:
            records, self.before = self.accounts.read - self.before, self.accounts.read
            self.batching.observe(records, event.seconds)


def batching_of(job: Job, home: Path, accounts: Accounts, events: Events) -> Batching:
    """The batching of a job; one that adapts listens to what the job does from now on."""
    made = Batching.of(job.settings, home)
    if made.strategy == ADAPTIVE:
        events.subscribe(Adapting(job.name, accounts, made, accounts.read))
    return made
