"""A job's report in the figures that people look at while it runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RECENT = 10.0
"""Seconds over which the rate of now is taken."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One job at one moment."""

    name: str
    state: str
    read: int
    rate: float
    """Records a second, of late."""
    average: float
    """Records a second since the start."""
    open: int
    open_windows: int
    late: int
    dead: Mapping[str, int]
    dropped: int
    emitted: int
    watermark: str
    behind: float | None
    """Seconds by which the watermark is behind the newest event."""
    held_by: str
    """The partition that holds the watermark back; empty where none lags behind the others."""
    idle: int
    """Partitions that deliver nothing and are not waited for."""


@dataclass
class Meter:
    """Turns the reports of one job into figures; rates need the reports before."""

    started: float
    before: int = 0
    """Records that an earlier process had read."""
    seen: deque[tuple[float, int]] = field(default_factory=deque)

    def figures(self, report: Mapping[str, Any], now: float) -> Figures:
        """The figures of a report at the time `now`."""
        records, windows = report["records"], report["windows"]
        read = records["read"]
        held, behind = held_back(report)
        return Figures(
            report["name"],
            report["state"],
            read,
            self._rate(read, now),
            (read - self.before) / max(now - self.started, 1e-9),
            records["open"],
            windows.get("open_windows", 0),
            windows.get("late_events_total", 0),
            dict(records["dead_lettered"]),
            sum(records["dropped"].values()),
            rows_out(report),
            report["watermark"] or "",
            behind,
            held,
            sum(1 for shown in report["partitions"].values() if shown["idle"]),
        )

    def _rate(self, read: int, now: float) -> float:
        self.seen.append((now, read))
        while len(self.seen) > 2 and self.seen[1][0] <= now - RECENT:
            self.seen.popleft()
        first, count = self.seen[0] if len(self.seen) > 1 else (self.started, self.before)
        return (read - count) / max(now - first, 1e-9)


def held_back(report: Mapping[str, Any]) -> tuple[str, float | None]:
    """The partition that holds the watermark back, and how many seconds that is behind the newest event."""
    from velostream.observability.inside import watermark_behind

    holding = report.get("held_back_by", []) if len(report["partitions"]) > 1 else []
    more = f" and {len(holding) - 1} more" if len(holding) > 1 else ""
    return (holding[0] + more if holding else ""), watermark_behind(report)


def rows_out(report: Mapping[str, Any]) -> int:
    """Rows that went out; of a job without state those are the records in results."""
    return sum(report["emitted"].values()) if report["stateful"] else report["records"]["in_results"]


def amount(number: float) -> str:
    """A number for a narrow column: 950, 12.3k, 4.56M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= size:
            return f"{number / (1e3 if unit == 'k' else size):.3g}{unit}"
    return f"{number:,.0f}" if number >= 10 or number == int(number) else f"{number:.1f}"


def span(seconds: float | None) -> str:
    """A length of time for a narrow column: 0.4s, 12s, 3m20s, 5h10m, 12d."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.1f}s"
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes, left = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{left:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours < 48 else f"{hours // 24}d"


def clock(text: str) -> str:
    """A time in ISO form, without what a reader knows: `2026-01-31 10:05:00`."""
    return text[:19].replace("T", " ")
