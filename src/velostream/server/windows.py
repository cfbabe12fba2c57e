"""The windows of a job: figures of now, and what was written of each window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from velostream.server.control import Control, Meant
from velostream.server.models.jobs import Histogram, Windows

_NONE: Mapping[str, Any] = {"bounds": [], "counts": [], "count": 0, "sum": 0}


def windows_of(control: Control, meant: Meant, job: Mapping[str, Any], key: str, limit: int, offset: int) -> Windows:
    """Windows of a job."""
    said = job.get("windows", {})
    counts = (
        *("open_windows", "windows_held_by_lateness", "windows_created_total", "windows_completed_total"),
        *("late_events_total", "dropped_after_lateness", "state_bytes"),
    )
    return Windows(
        job=meant.job,
        app=meant.deployment.app,
        watermark=job.get("watermark"),
        **{name: said.get(name, 0) for name in counts},
        lateness_seconds=Histogram(**said.get("lateness_seconds", _NONE)),
        window_event_count=Histogram(**said.get("window_event_count", _NONE)),
        items=[],
        total=0,
        offset=offset,
        limit=limit,
    )
