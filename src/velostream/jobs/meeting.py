"""Two versions of a job meet: each reads until both have read exactly the same, and rests there.

That is the point at which rows without windows change their owner: a vector of source offsets, between two
micro-batches of either version. What a version was killed in is done first; what it is to read beyond is planned in
Spark's own log before it is read, so a re-run of it reads the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.events import BatchBegan, BatchEnded
from velostream.events import Event as Happening
from velostream.jobs.home import Home
from velostream.jobs.offset_log import OffsetLog

if TYPE_CHECKING:
    from velostream.jobs.running import RunningJob

LOOK = 0.05
PATIENCE = 60.0
"""How long, in seconds, a micro-batch is waited for that nobody has planned: it needs something to read."""


@dataclass
class Begun:
    """Hears which micro-batches of a job are begun, and may end the job after one of them."""

    job: str
    number: int
    """The last one that may have written something, by whatever process."""
    stopping: Event
    once: bool = False
    """True where the job is to stop after the next one."""

    def __call__(self, event: Happening) -> None:
        """Hears it."""
        if isinstance(event, BatchBegan) and event.job == self.job:
            self.number = max(self.number, event.number)
        elif isinstance(event, BatchEnded) and event.job == self.job and self.once and not event.error:
            self.stopping.set()


def last_begun(home: Home) -> int:
    """The last micro-batch of a job that may have been begun, as far as its checkpoint tells."""
    number, planned = home.next_batch()
    return number if planned else number - 1


def meet(job: RunningJob, other: Path) -> bool:
    """Brings a job that rests as far as the same job of another version is by now, whose folder is `other` and which
    rests too. True where both stand at the same point then; else it is the other one that has to come here."""
    log, theirs = OffsetLog(job.home), OffsetLog(Home(other)).standing()
    number, planned = job.home.next_batch()
    if planned and job.begun.number >= number:
        _one_batch(job)
    own = log.standing()
    if theirs and not own:
        _one_batch(job)
        own = log.standing()
    ahead = {name: one for name, one in theirs.items() if name not in own or own[name].is_behind(one)}
    if ahead:
        log.plan({name: own[name].joined(one) for name, one in ahead.items() if name in own})
        _one_batch(job)
    return vectors(log) == vectors(OffsetLog(Home(other)))


def vectors(log: OffsetLog) -> dict[str, object]:
    """How far each source was read."""
    return {name: dict(one.vector) for name, one in log.standing().items()}


def _one_batch(job: RunningJob) -> None:
    """Runs the micro-batch that is planned, or the next one that comes, and none behind it."""
    number, planned = job.home.next_batch()
    job.begun.once, ends = True, time.monotonic() + PATIENCE
    try:
        job.go_on()
        while job.home.next_batch()[0] <= number:
            job.check()
            nothing = not planned and not job.writer.busy and time.monotonic() > ends
            if nothing or (not job.active and job.again_at is None):
                message = f"micro-batch {number} of job '{job.job.name}' was not written"
                raise VeloError(message, hint="it is tried again", code="job-state")
            time.sleep(LOOK)
    finally:
        if job.query is not None:
            job.pause()
        job.begun.once = False
