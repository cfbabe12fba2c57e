"""What happens to the tables of a run, as events that anyone may follow, and go on following where they left off.

`InitialSnapshot` all tables as they are; `TableUpdate`, `TableCompleted`, `TableFailed` one table, as it is now;
`SummaryUpdate` all tables in a few numbers; `KeepAlive` that nothing happened for a while.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Condition
from typing import Any

from velostream.tables.progress import FAILED, LOADING, READY, REFRESHING, WAITING, Progress

SNAPSHOT, UPDATE, SUMMARY = "InitialSnapshot", "TableUpdate", "SummaryUpdate"
COMPLETED, FAILURE, KEEP_ALIVE = "TableCompleted", "TableFailed", "KeepAlive"
KEPT = 1_000
"""How many events a follower may miss before it gets a new snapshot instead."""


@dataclass(frozen=True, slots=True)
class TableEvent:
    """One event. Its number is what a follower names to go on after it."""

    number: int
    kind: str
    data: Mapping[str, Any]
    at: float = field(default_factory=time.time)


class TableEvents:
    """The events of the tables of a run. Whoever changes their progress calls `look`; any thread may follow."""

    def __init__(self, tables: Callable[[], Iterable[Progress]]) -> None:
        self._tables = tables
        self._events: deque[TableEvent] = deque(maxlen=KEPT)
        self._number = 0
        self._before: dict[str, dict[str, Any]] = {}
        self._changed = Condition()
        self._listeners: list[Callable[[TableEvent], None]] = []
        self._closed = False

    def subscribe(self, listener: Callable[[TableEvent], None]) -> None:
        """From now on, the listener hears of everything."""
        self._listeners.append(listener)

    def look(self) -> None:
        """Tells what has changed since the last look."""
        now = {about.name: about.live() for about in self._tables()}
        found = []
        for name, said in now.items():
            before = self._before.get(name)
            if before != said:
                found.append((kind_of(before["state"] if before is not None else WAITING, said["state"]), said))
        if found:
            found.append((SUMMARY, summary(now.values())))
        self._before = now
        for kind, said in found:
            self._add(kind, said)

    def _add(self, kind: str, said: Mapping[str, Any]) -> None:
        with self._changed:
            self._number += 1
            event = TableEvent(self._number, kind, said)
            self._events.append(event)
            self._changed.notify_all()
        for listener in self._listeners:
            listener(event)

    def follow(self, after: int | None = None, silence: float = 15.0) -> Iterator[TableEvent]:
        """Events as they come, until the run has ended. Those after number `after`, where these are still known; else a
        snapshot first. After so many seconds of silence a sign of life."""
        position = self._number if after is None else after
        if after is None or not self._knows(after):
            position = self._number
            yield TableEvent(position, SNAPSHOT, {"tables": [about.live() for about in self._tables()]})
        while True:
            with self._changed:
                if self._number == position and not self._closed:
                    self._changed.wait(silence)
                ahead = [event for event in self._events if event.number > position]
                closed = self._closed
            if not ahead and closed:
                return
            yield from ahead or [TableEvent(position, KEEP_ALIVE, {})]
            position = ahead[-1].number if ahead else position

    def _knows(self, number: int) -> bool:
        return self._number - len(self._events) <= number <= self._number

    def close(self) -> None:
        """Nothing more will happen: those who follow come to an end."""
        self.look()
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def kind_of(was: str, now: str) -> str:
    """What has happened to a table, by its state before and now."""
    if now == FAILED and was != FAILED:
        return FAILURE
    return COMPLETED if now == READY and was in (WAITING, LOADING) else UPDATE


def summary(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All tables in a few numbers."""
    told = list(tables)
    states = [one["state"] for one in told]
    total = sum(one["total_bytes"] for one in told)
    done = sum(one["total_bytes"] if one["state"] in (READY, REFRESHING) else one["bytes"] for one in told)
    return {
        "tables": len(told),
        "ready": sum(state in (READY, REFRESHING) for state in states),
        **{state: states.count(state) for state in (LOADING, WAITING, FAILED)},
        "rows": sum(one["rows"] for one in told),
        "percent": round(min(100.0, 100.0 * done / total), 1) if total else None,
    }
