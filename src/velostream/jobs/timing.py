"""How long the micro-batches of a job take, and which part of each: what this process has seen of them."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any

from velostream.events import BatchBegan, BatchEnded, Event, JobEnded, StageEnded

if TYPE_CHECKING:
    from velostream.jobs.accounts import Accounts

KEPT = 512
"""So many micro-batches are remembered for quantiles."""
KEPT_LAGS = 128
"""So many for each partition."""
BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds, of the histogram of micro-batches."""
RECENT = 60.0
"""Seconds over which it is judged how busy a job is."""
BUSY, SATURATED = 0.7, 0.95
_PARTS = {"compute": "reading, routing and windows", "rows": "computing result rows", "accounts": "keeping accounts"}


@dataclass
class Spent:
    """What one stage has taken so far."""

    seconds: float = 0.0
    last: float = 0.0
    rows: int = 0
    batches: int = 0

    def add(self, seconds: float, rows: int | None) -> None:
        """Adds one micro-batch."""
        self.seconds += seconds
        self.last = seconds
        self.rows += rows or 0
        self.batches += 1

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "seconds": round(self.seconds, 6),
            "last_seconds": round(self.last, 6),
            "rows": self.rows,
            "batches": self.batches,
        }


@dataclass
class Timings:
    """Listens to one job."""

    job: str
    recent: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=KEPT))
    """Of each micro-batch, when it ended and how many seconds it took."""
    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0
    failures: int = 0
    stages: dict[str, Spent] = field(default_factory=dict)
    began: float = field(default_factory=time.time)
    accounts: Accounts | None = None
    """What the job counts: how late its partitions are is taken from it."""
    running: float | None = None
    """When the micro-batch began that runs."""
    lags: dict[str, deque[float]] = field(default_factory=dict)
    """Of each partition, how many seconds its newest record was old at the end of the last micro-batches."""

    def __call__(self, event: Event) -> None:
        """Takes what is published."""
        if event.job != self.job:
            return
        if isinstance(event, BatchBegan):
            self.running = event.at / 1e9
        elif isinstance(event, BatchEnded | JobEnded):
            self.running = None
        if isinstance(event, StageEnded):
            self.stages.setdefault(event.stage, Spent()).add(event.seconds, event.rows)
        elif isinstance(event, BatchEnded) and event.error:
            self.failures += 1
        elif isinstance(event, BatchEnded):
            self.recent.append((event.at / 1e9, event.seconds))
            self.counts[bisect_left(BOUNDS, event.seconds)] += 1
            self.total += event.seconds
            self._take_lags()

    def _take_lags(self) -> None:
        for name, shown in self.accounts.partitions.items() if self.accounts is not None else ():
            if shown["lag_ms"] is not None and not shown["idle"]:
                self.lags.setdefault(name, deque(maxlen=KEPT_LAGS)).append(shown["lag_ms"] / 1_000)

    def latencies(self) -> dict[str, dict[str, float | None]]:
        """Of each partition, how old its newest record was at the end of micro-batches: p50, p95, p99 in seconds."""
        lags = {name: sorted(values) for name, values in self.lags.items()}
        return {
            name: {f"p{share}": quantile(values, share / 100) for share in (50, 95, 99)}
            for name, values in lags.items()
        }

    def data(self, now: float | None = None) -> dict[str, Any]:
        """As plain data: quantiles and a histogram of micro-batches, what each stage takes, and how long the
        micro-batch has run that is not over yet."""
        now, running = time.time() if now is None else now, self.running
        recent = sorted(seconds for _, seconds in tuple(self.recent))
        stages = dict(self.stages)
        return {
            "batches": sum(self.counts),
            "failures": self.failures,
            "last_seconds": round(self.recent[-1][1], 6) if self.recent else None,
            "running_seconds": None if running is None else round(max(0.0, now - running), 3),
            **{f"p{share}": quantile(recent, share / 100) for share in (50, 95, 99)},
            "histogram": {
                "bounds": list(BOUNDS),
                "counts": list(self.counts),
                "count": sum(self.counts),
                "sum": round(self.total, 6),
            },
            "stages": {name: spent.data() for name, spent in stages.items()},
        }

    def pressure(self, now: float | None = None) -> dict[str, Any]:
        """Whether a job keeps up: the share of the last minute in which it worked, and what took most of it."""
        now = time.time() if now is None else now
        since = max(self.began, now - RECENT)
        spent = [*self.recent, *([(now, now - running)] if (running := self.running) is not None else [])]
        worked = sum(min(seconds, ended - since) for ended, seconds in spent if ended > since)
        share = min(1.0, worked / max(now - since, 1e-9))
        state = "saturated" if share >= SATURATED else "busy" if share >= BUSY else "ok"
        slowest = max(self.stages.items(), key=lambda item: item[1].last, default=None)
        cause = "" if state == "ok" or slowest is None else _PARTS.get(slowest[0], slowest[0])
        return {"state": state, "busy": round(share, 4), "cause": cause}


def quantile(ordered: list[float], share: float) -> float | None:
    """The smallest value that at least this share of the values does not exceed; None of none."""
    if not ordered:
        return None
    return round(ordered[max(0, ceil(len(ordered) * share) - 1)], 6)
