"""What a driver says of itself every second: its jobs, tables and figures, whole or not at all."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from velostream.config.secrets import masked
from velostream.files import replace_text
from velostream.server.driver.logs import LOG
from velostream.server.folders import DriverFolder
from velostream.server.process import Process

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.jobs.running import RunningJob
    from velostream.tables.progress import Progress

FORMAT = 1
INTERRUPTED = "interrupted"
"""The state of a driver that ended cleanly though nobody stopped it: it is started again."""
RECENT = 10.0
"""Seconds over which rates are taken."""


@dataclass
class Status:
    """The state of a driver, as its control plane will read it."""

    folder: DriverFolder
    app: str = ""
    state: str = "starting"
    error: Mapping[str, Any] | None = None
    started: float = field(default_factory=time.time)
    runner: Runner | None = None
    cut: dict[str, int] = field(default_factory=dict)
    """The micro-batch of each job that a process before this one began and may have left half written."""
    process: Process = field(default_factory=lambda: Process.of(os.getpid()))
    _seen: dict[str, deque[tuple[float, int]]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _before: list[dict[str, Any]] = field(init=False)
    """What the process before said of its jobs. It stands until they are there: they begin again from it."""
    _last: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._before = [_begun_again(job) for job in (read_status(self.folder) or {}).get("jobs", ())]
        self._last = {"jobs": self._before, "tables": []}

    def write(self) -> None:
        """Says how things are now."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        try:
            self._last = self._measured()
        except Exception:  # figures that cannot be taken are no reason to be taken for dead
            LOG.warning("the figures of the jobs could not be taken", exc_info=True)
        said = {
            "format": FORMAT,
            "pid": self.process.pid,
            "mark": self.process.mark,
            "at": time.time(),
            "started": self.started,
            "state": self.state,
            "error": self.error,
            **self._last,
        }
        replace_text(self.folder.status, json.dumps(said, default=str))

    def _measured(self) -> dict[str, Any]:
        from velostream.observability.snapshot import snapshot, steady

        runner = self.runner
        if runner is None:
            return self._last
        now = time.monotonic()
        jobs = []
        for job in list(runner.jobs):
            taken = snapshot(job, self.app)
            taken |= {name: masked("", str(taken[name])) for name in ("error", "hint") if name in taken}
            rate = self._rate(taken["name"], taken["records"]["read"], now)
            jobs.append({**taken, "rate": rate, "whole": self._is_whole(job)})
        there = {job["name"] for job in jobs}
        jobs += [job for job in self._before if job["name"] not in there]
        tables = runner.tables.progress.values() if runner.tables is not None else ()
        return {"jobs": jobs, "tables": steady(lambda: [_table(about) for about in tables])}

    def _is_whole(self, job: RunningJob) -> bool:
        """True for a job that has finished the micro-batch in which a process before this one was cut."""
        return job.accounts.batch >= self.cut.get(job.job.name, -1)

    def _rate(self, job: str, read: int, now: float) -> float:
        """Records a second, of late."""
        seen = self._seen.setdefault(job, deque())
        seen.append((now, read))
        while len(seen) > 2 and seen[1][0] <= now - RECENT:
            seen.popleft()
        (first, before), span = seen[0], now - seen[0][0]
        return round((read - before) / span, 3) if span > 0 and first < now else 0.0


def _begun_again(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job as the process before left it, whose query has not started yet."""
    kept = {name: value for name, value in job.items() if name not in ("error", "hint")}
    return {**kept, "state": "created", "rate": 0.0, "whole": False}


def _table(about: Progress) -> dict[str, Any]:
    return {
        **about.report(),
        "read": about.read,
        "bytes": about.bytes,
        "total_bytes": about.total_bytes,
        "percent": about.percent,
        "rate": round(about.rate, 3) if about.state in ("loading", "refreshing") else 0.0,
        "eta_seconds": about.eta,
    }


def read_status(folder: DriverFolder) -> dict[str, Any] | None:
    """What a driver said last; None where it has said nothing yet."""
    try:
        said: dict[str, Any] = json.loads(folder.status.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return said if said.get("format") == FORMAT else None
