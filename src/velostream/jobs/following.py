"""What the driver follows of the sources of a job while its query runs, and tells its stateful nodes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from velostream.events import BatchEnded
from velostream.events import Event as Told
from velostream.jobs.accounts import Accounts
from velostream.spark.stateful.control import command

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

LOOK = 0.2
"""How often, at most, the progress of a query is looked at, in seconds."""
_OPENING = 60.0


@dataclass
class Following:
    """The followers of one job: each says what is to be known at the start, and what is new after a micro-batch."""

    followers: Sequence[Any]
    control: Path
    stateful: bool
    bounded: bool
    looked: float = 0.0
    seen: str = ""
    """The progress that was looked at last, by its time."""
    query: StreamingQuery | None = None
    opened: Event = field(default_factory=Event)
    frozen: bool = False
    job: str = ""
    """Whose micro-batches it hears of."""

    def __call__(self, event: Told) -> None:
        """After each micro-batch that was written: what the next one may take of its sources."""
        if isinstance(event, BatchEnded) and event.job == self.job and not event.error and self.query is not None:
            for one in self.followers:
                one.adapt(self.query)

    @property
    def pace(self) -> float:
        """How many seconds there are at least between micro-batches: one, where a source is limited by the second."""
        return 1.0 if any(one.rate is not None for one in self.followers) else 0.0

    def start(self, **facts: Any) -> None:
        """Before the query starts: what sources have, as the first command; further facts go with it."""
        self.frozen = False
        self.opened.clear()
        marks = [mark for one in self.followers for mark in one.begin()]
        if self.stateful and (marks or facts):
            command(self.control, **{"resumed": True, **facts}, **({"marks": marks} if marks else {}))

    def has_started(self, query: StreamingQuery) -> None:
        """The query is there."""
        self.query = query
        self.opened.set()

    def begin(self) -> None:
        """As a micro-batch begins: a bounded run reads no more than what is there when its first one does."""
        if not self.followers or not self.bounded or self.frozen:
            return
        from velostream.sources.streams.kafka_following import freeze

        self.opened.wait(_OPENING)
        freeze(self.query)
        self.frozen = True

    def end(self, accounts: Accounts) -> None:
        """After the query has ended: a last look, and nothing is followed any more."""
        self._looked(accounts)
        self.query = None
        for one in self.followers:
            one.close()

    def look(self, accounts: Accounts) -> None:
        """Tells what is new since the last look."""
        if time.monotonic() - self.looked < LOOK:
            return
        self.looked = time.monotonic()
        marks = self._looked(accounts)
        if marks and self.stateful:
            command(self.control, marks=marks)

    def _looked(self, accounts: Accounts) -> list[dict[str, Any]]:
        """What is new since the last look; what sources have lost is counted."""
        if self.query is None:
            return []
        progress = self.query.lastProgress
        if progress is None or progress["timestamp"] == self.seen:
            return []
        self.seen = progress["timestamp"]
        marks = [mark for one in self.followers for mark in one.look(progress)]
        for one in self.followers:
            if one.lost:
                accounts.lost[one.source] = accounts.lost.get(one.source, 0) + one.lost
                one.lost = 0
        return marks
