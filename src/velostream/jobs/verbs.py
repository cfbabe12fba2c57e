"""What can be told to a job of this process while it runs: pause, resume, stop, restart, flush.

Whoever looks after the jobs carries them out, between two looks: `Runner.run` calls its `tick` for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from velostream.errors import VeloError

if TYPE_CHECKING:
    from velostream.jobs.running import RunningJob

PAUSE, RESUME, STOP, RESTART, FLUSH = "pause", "resume", "stop", "restart", "flush"


def carry_out(verb: str, jobs: Sequence[RunningJob]) -> None:
    """Carries a verb out: one job that cannot do it refuses, of several those do it that can."""
    for job in jobs:
        if len(jobs) == 1 or job.state in _TAKES[verb]:
            _VERBS[verb](job)


def require(job: RunningJob, verb: str, *states: str) -> None:
    """Refuses a verb that a job in its state cannot do."""
    if job.state not in states:
        hints = {"paused": "resume it first", "stopped": f"velo restart {job.job.name} starts it again"}
        message = f"job '{job.job.name}' is {job.state}: it cannot {verb}"
        raise VeloError(message, hint=hints.get(job.state, "look at its log"), code="job-state")


def _pause(job: RunningJob) -> None:
    if job.state == "paused":
        return
    require(job, PAUSE, "running")
    job.pause()


def _resume(job: RunningJob) -> None:
    if job.state == "running":
        return
    require(job, RESUME, "paused")
    job.go_on()


def _stop(job: RunningJob) -> None:
    if job.state == "stopped":
        return
    require(job, STOP, "running", "paused")
    if job.state == "running":
        job.end()
    job.state = "stopped"


def _restart(job: RunningJob) -> None:
    require(job, RESTART, "running", "paused", "stopped")
    if job.state == "running":
        job.stop()
    job.go_on()


def _flush(job: RunningJob) -> None:
    require(job, FLUSH, "running")
    if job.lowered.stateful and not job.writer.done:
        job.flush()


_VERBS: dict[str, Callable[[RunningJob], None]] = {
    PAUSE: _pause,
    RESUME: _resume,
    STOP: _stop,
    RESTART: _restart,
    FLUSH: _flush,
}
_TAKES = {
    PAUSE: ("running",),
    RESUME: ("paused",),
    STOP: ("running", "paused"),
    RESTART: ("running", "paused", "stopped"),
    FLUSH: ("running",),
}
"""The states in which a verb for several jobs takes a job; others are left as they are."""
