"""The phases of a move, and what can be told of two versions by looking at them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from velostream.plan.job import ApplicationPlan
from velostream.server.moving.movable import lateness, length, windows
from velostream.server.views import Seen

ROLLING = (10, 25, 50, 100)
"""The shares of ROLLING, with a health check before each but the first."""
WARMING, SWITCHING, MOVING, SETTLED, DRAINING = "warming", "switching", "moving", "settled", "draining"
"""The phases of a move behind COPYING, in which state is copied: the new version catches up; the share is being
changed; it has been changed and the first windows of it are waited for; a canary that stays as it is; the version that
goes writes its last."""


@dataclass(frozen=True)
class Pair:
    """Two versions of an application: the one that had all keys, and the one beside it."""

    old: Seen
    new: Seen

    @property
    def both(self) -> tuple[Seen, Seen]:
        """The old one first."""
        return (self.old, self.new)

    @property
    def move(self) -> dict[str, Any]:
        """How far the move is: `phase`, `share` that is aimed at, `steps` that come after it; `resting` while jobs are
        paused for it, `points` and `since` once windows and other rows have new owners, `alone` once all dead letters
        are those of the version that stays, `asked` where somebody wants other shares meanwhile."""
        return self.new.deployment.move

    @property
    def share(self) -> int:
        """The share that is aimed at."""
        return int(self.move["share"])

    def is_whole(self, *states: str) -> bool:
        """True where all jobs of both are in one of the states, and none has a batch that was cut."""
        jobs = [job for one in self.both for job in one.jobs if job["state"] not in ("done", "stopped")]
        return all(job.get("whole") and job["state"] in states for job in jobs)

    @property
    def paused(self) -> str:
        """A job of either that is paused; empty where none is."""
        return next((job["name"] for one in self.both for job in one.jobs if job["state"] == "paused"), "")


def healthy(one: Seen) -> bool:
    """True where a version runs as it should: a step to a larger share is taken only then."""
    return one.alive and one.state == "running" and not one.deployment.restarts


def watermarks(one: Seen) -> dict[str, int]:
    """The watermark of each job, in microseconds."""
    return {job["name"]: _micros(job["watermark"]) for job in one.jobs if job.get("watermark")}


def points_of(one: Seen, plan: ApplicationPlan) -> dict[str, int]:
    """For each job an event time beyond all windows that have a record."""
    found = {}
    for job in one.jobs:
        planned = plan.job(job["name"])
        if planned is not None and windows(planned):
            newest = _newest(job)
            found[job["name"]] = 0 if newest is None else newest + length(planned)
    return found


def has_passed(one: Seen, plan: ApplicationPlan, points: dict[str, int], *, late: bool = False) -> bool:
    """True once the watermark of each job has passed its point, with `late` also by the lateness."""
    now = watermarks(one)
    for name, point in points.items():
        job = plan.job(name)
        if job is not None and point and now.get(name, 0) < point + (lateness(job) if late else 0):
            return False
    return True


def has_written(one: Seen, since: dict[str, int]) -> bool:
    """True once each job whose rows have no windows has done a micro-batch behind the one given."""
    return all(job["batch"] > since[job["name"]] for job in one.jobs if job["name"] in since)


def _newest(job: dict[str, Any]) -> int | None:
    """The newest event time that a job has seen."""
    times = [each["max_event_time"] for each in job.get("partitions", {}).values() if each["max_event_time"]]
    times += [job["watermark"]] if job.get("watermark") else []
    return max(map(_micros, times), default=None)


def _micros(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)
