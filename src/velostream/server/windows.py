"""The windows of a job: figures of now, and what was written of each window."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from velostream.jobs.emissions import FOLDER, Window, windows
from velostream.server.control import Control, Meant
from velostream.server.models.jobs import Emission, Histogram, Windows, WindowView

_NONE: Mapping[str, Any] = {"bounds": [], "counts": [], "count": 0, "sum": 0}


def windows_of(control: Control, meant: Meant, job: Mapping[str, Any], key: str, limit: int, offset: int) -> Windows:
    """Windows of a job."""
    said = job.get("windows", {})
    state = control.folders.state(meant.deployment.app, meant.deployment.state)
    found = windows(state / meant.job / FOLDER, key)
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
        items=[_view(one) for one in found[offset : offset + limit]],
        total=len(found),
        offset=offset,
        limit=limit,
    )


def _view(one: Window) -> WindowView:
    return WindowView(
        key=one.text,
        window_start=_time(one.start),
        window_end=_time(one.end),
        emissions=[
            Emission(emission=emission, revision=revision, at=at, batch=batch)
            for emission, revision, at, batch in one.emissions
        ],
    )


def _time(micros: int | None) -> str:
    """Microseconds since 1970 as text; empty where a window has no bound."""
    if micros is None:
        return ""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    return moment.isoformat().replace("+00:00", "Z")
