"""How far a table is: its state, rows and bytes, how fast it goes and when it will be there."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

WAITING, LOADING, READY, REFRESHING, FAILED = "waiting", "loading", "ready", "refreshing", "failed"


@dataclass
class Progress:
    """The progress of one table of a run. Changed by whoever loads it, read by whoever shows it."""

    name: str
    state: str = WAITING
    rows: int = 0
    """The rows that the newest version has."""
    read: int = 0
    """The records that were read by the load that runs, or ran last."""
    done_bytes: int = 0
    """What the steps that are done have read."""
    step_bytes: int = 0
    """What the step at hand has read so far, as near as can be told."""
    total_bytes: int = 0
    dead_lettered: int = 0
    refreshes: int = 0
    loaded_seconds: float = 0.0
    error: str = ""
    started: float = field(default_factory=time.monotonic)
    asked: float | None = None
    """Since when the source, which is asked, has said nothing; None while nobody asks it."""

    def begin(self, state: str) -> None:
        """A load begins."""
        self.state, self.started = state, time.monotonic()
        self.read = self.done_bytes = self.step_bytes = self.total_bytes = 0

    @property
    def silence(self) -> float:
        """For how many seconds the source has said nothing."""
        asked = self.asked
        return 0.0 if asked is None else time.monotonic() - asked

    def end(self, rows: int, *, changed: bool = True) -> None:
        """A load has reached its end; a refresh that found nothing new is none."""
        if self.state == REFRESHING:
            self.refreshes += changed
        else:
            self.loaded_seconds = time.monotonic() - self.started
        self.state, self.rows, self.error = READY, rows, ""

    def fail(self, error: str) -> None:
        """A load has ended before its end; a table that was ready before stays as it was."""
        self.error = error
        if self.state != REFRESHING:
            self.state = FAILED
        else:
            self.state = READY

    @property
    def bytes(self) -> int:
        """The bytes that were read."""
        read = self.done_bytes + self.step_bytes
        return min(read, self.total_bytes) if self.total_bytes else read

    @property
    def percent(self) -> float | None:
        """How much of what there is was read; None where that is not known."""
        return None if not self.total_bytes else min(100.0, 100.0 * self.bytes / self.total_bytes)

    @property
    def rate(self) -> float:
        """Records per second of the load that runs."""
        return self.read / max(time.monotonic() - self.started, 1e-6)

    @property
    def eta(self) -> float | None:
        """Seconds until it is there, if it goes on as it did."""
        if self.state not in (LOADING, REFRESHING) or not self.bytes or not self.total_bytes:
            return None
        return (time.monotonic() - self.started) * (self.total_bytes - self.bytes) / self.bytes

    def __str__(self) -> str:
        known = f" ({self.percent:.0f} % of {self.total_bytes:,} bytes)" if self.percent is not None else ""
        return f"{self.state}, {self.read:,} records read{known}"

    def live(self) -> dict[str, Any]:
        """All that is known now, as events have it."""
        return {
            "name": self.name,
            "state": self.state,
            "rows": self.rows,
            "read": self.read,
            "bytes": self.bytes,
            "total_bytes": self.total_bytes,
            "percent": None if self.percent is None else round(self.percent, 1),
            "rate": round(self.rate, 1) if self.state in (LOADING, REFRESHING) else 0.0,
            "eta_seconds": None if self.eta is None else round(self.eta, 1),
            "loaded_seconds": round(self.loaded_seconds, 3),
            "refreshes": self.refreshes,
            "dead_lettered": self.dead_lettered,
            "error": self.error,
        }

    def report(self) -> dict[str, Any]:
        """As the report of a run has it."""
        return {
            "name": self.name,
            "rows": self.rows,
            "state": self.state,
            "loaded_seconds": round(self.loaded_seconds, 3),
            "refreshes": self.refreshes,
            "dead_lettered": self.dead_lettered,
            **({"error": self.error} if self.error else {}),
        }
