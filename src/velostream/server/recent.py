"""The last hour of every job in a few figures, so that charts have a past when somebody opens the page."""

from __future__ import annotations

import time
from collections import deque

from velostream.server.api.answers import job_views
from velostream.server.control import Control

EVERY = 5.0
"""Seconds between two moments."""
KEPT = 720
"""Moments that are remembered: an hour."""

Moment = tuple[float, float, float | None, int]
"""When (seconds since 1970), records a second, watermark lag in seconds, bytes of state."""


class Recent:
    """What jobs did of late, in memory: it begins anew with the control plane."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._looked = 0.0
        self._past: dict[tuple[str, str], deque[Moment]] = {}

    def look(self) -> None:
        """Remembers this moment, unless the last one was a moment ago. Jobs that are gone are forgotten."""
        if time.monotonic() - self._looked < EVERY:
            return
        self._looked = time.monotonic()
        now = time.time()
        there = {(job.app, job.name): job for one in self._control.apps for job in job_views(one)}
        self._past = {key: past for key, past in self._past.items() if key in there}
        for key, job in there.items():
            past = self._past.setdefault(key, deque(maxlen=KEPT))
            past.append((now, job.rate, job.watermark_lag_seconds, job.state_bytes))

    def of(self, app: str = "", job: str = "") -> dict[tuple[str, str], list[Moment]]:
        """The past of the jobs of that name, oldest moment first; an empty name means all."""
        return {
            key: list(past)
            for key, past in dict(self._past).items()
            if (not app or key[0].casefold() == app.casefold()) and (not job or key[1].casefold() == job.casefold())
        }
