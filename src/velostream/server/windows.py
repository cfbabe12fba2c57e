"""The windows of a job: figures of now, what was written of each of late, and those that its cold tier keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from velostream.jobs.closed_rows import Wanted
from velostream.jobs.emissions import FOLDER, Window, windows
from velostream.server.control import Control, Meant
from velostream.server.models.jobs import Emission, Histogram, Windows, WindowView
from velostream.server.put_away import Place, PutAway, put_away

_NONE: Mapping[str, Any] = {"bounds": [], "counts": [], "count": 0, "sum": 0}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOST = 100_000
"""Rows of a cold tier that are looked at: a control plane stays small."""


@dataclass(frozen=True)
class Asked:
    """Which windows somebody wants to see: of a key, that begin within bounds, and which part of their list."""

    wanted: Wanted
    limit: int
    offset: int
    closed: bool = True
    """False for those alone of which something was written of late."""


def windows_of(control: Control, meant: Meant, job: Mapping[str, Any], asked: Asked) -> Windows:
    """Windows of a job, those that end last first."""
    said = job.get("windows", {})
    state = control.folders.state(meant.deployment.app, meant.deployment.state)
    late = {_place(one): one for one in windows(state / meant.job / FOLDER, asked.wanted.key)}
    late = {place: one for place, one in late.items() if _within(place[1], asked.wanted)}
    away = put_away(control, meant, asked.wanted, MOST) if asked.closed else PutAway()
    at = {place: away.last_said(place) for place in away.windows if place not in late}
    at |= {place: one.emissions[-1][2] for place, one in late.items()}
    shown = sorted(at, key=lambda place: (place[2] or 0, at[place], place[0]), reverse=True)
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
        types=dict(away.types),
        closed_since=None if away.since is None else time_of(micros(away.since)),
        items=[_view(place, late, away) for place in shown[asked.offset : asked.offset + asked.limit]],
        total=len(shown),
        offset=asked.offset,
        limit=asked.limit,
    )


def _place(one: Window) -> Place:
    return one.text, one.start, one.end


def _within(start: int | None, wanted: Wanted) -> bool:
    begin, end = micros(wanted.begin), micros(wanted.end)
    if start is None:
        return begin is None and end is None
    return (begin is None or start >= begin) and (end is None or start < end)


def _view(place: Place, late: Mapping[Place, Window], away: PutAway) -> WindowView:
    """All that is known of a window; what only the cold tier knows comes before what was written of late."""
    if place not in late:
        return away.view(place)
    written = [
        Emission(emission=emission, revision=revision, at=at, batch=batch)
        for emission, revision, at, batch in late[place].emissions
    ]
    if place not in away.windows:
        key, start, end = place
        bounds = {"window_start": time_of(start), "window_end": time_of(end)}
        return WindowView(key=key, **bounds, emissions=written, values=None)
    kept = away.view(place)
    known = {(each.emission, each.revision) for each in written}
    before = [each for each in kept.emissions if (each.emission, each.revision) not in known]
    return kept.model_copy(update={"emissions": [*before, *written]})


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970."""
    return None if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def time_of(micros: int | None) -> str:
    """Microseconds since 1970 as text; empty where a window has no bound."""
    if micros is None:
        return ""
    return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
