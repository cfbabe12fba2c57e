"""The last hour of every job in a few figures, so that charts have a past when somebody opens the page."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from velostream.errors import VeloError
from velostream.server.api.answers import job_views
from velostream.server.control import Control

EVERY = 5.0
"""Seconds between two moments."""
KEPT = 720
"""Moments that are remembered: an hour."""

Moment = tuple[float, float, float | None, int]
"""When (seconds since 1970), records a second, watermark lag in seconds, bytes of state."""
Past = dict[tuple[str, str], list[Moment]]
"""Moments by application and job, oldest first."""


class Recent:
    """What jobs did of late: as this control plane has seen it, and before that as their history has it."""

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

    def of(self, app: str = "", job: str = "") -> Past:
        """The past of the jobs of that name; an empty name means all."""
        seen = {
            key: list(past)
            for key, past in dict(self._past).items()
            if (not app or key[0].casefold() == app.casefold()) and (not job or key[1].casefold() == job.casefold())
        }
        since = time.time() - EVERY * KEPT
        young = {key[0] for key, moments in seen.items() if moments[0][0] > since + EVERY}
        kept = {key: moments for name in sorted(young) for key, moments in self._kept(name, since).items()}
        return {
            key: [*(one for one in kept.get(key, ()) if one[0] < moments[0][0]), *moments]
            for key, moments in seen.items()
        }

    def _kept(self, app: str, since: float) -> Past:
        """What the history of an application has; nothing where there is none, or where it does not answer."""
        from velostream.observability.history.reading import moments
        from velostream.observability.history.tables import JOBS

        try:
            deployment = self._control.app(app).deployment
            plan = self._control.plan_of(deployment).plan
            folders = self._control.folders
            rows = moments(plan, folders.state(deployment.app, deployment.state), folders.files, [(JOBS, since)])
        except VeloError:
            return {}
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows[JOBS.name]:
            found.setdefault(row["job"], []).append(row)
        return {(app, name): _moments(own) for name, own in found.items()}


def _moments(rows: Sequence[Mapping[str, Any]]) -> list[Moment]:
    """Rows of history as moments; what was counted anew between two of them is no rate."""
    return [
        (
            later["at"].timestamp(),
            max(0.0, (later["records_read"] - earlier["records_read"]) / (later["at"] - earlier["at"]).total_seconds()),
            later["behind_seconds"],
            later["state_bytes"],
        )
        for earlier, later in pairwise(rows)
        if later["at"] > earlier["at"]
    ]
