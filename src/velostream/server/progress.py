"""How far tables are, as a stream of events that goes on where a listener left off."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from velostream.server.control import Control
from velostream.server.models.tables import ProgressSummary, ProgressView, TableView
from velostream.tables.events import KEEP_ALIVE, KEPT, SNAPSHOT, SUMMARY, kind_of, summary


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `id` is what a listener names to go on after it."""

    id: str
    kind: str
    data: str
    """As JSON."""


class ProgressEvents:
    """What happened to tables since the server started."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._origin = uuid.uuid4().hex[:8]
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._number = 0
        self._before: dict[tuple[str, str], TableView] = {}

    def tables(self) -> list[TableView]:
        """All tables of applications that are not of the past."""
        return [table_view(one.deployment.app, table) for one in self._control.apps for table in one.tables]

    def view(self) -> ProgressView:
        """All at once."""
        tables = self.tables()
        return ProgressView(summary=summary_of(tables), tables=tables)

    def look(self) -> None:
        """Tells what has changed since the last look."""
        now = {(table.app, table.name): table for table in self.tables()}
        changed = [table for key, table in now.items() if self._before.get(key) != table]
        gone = self._before.keys() - now.keys()
        for table in changed:
            before = self._before.get((table.app, table.name))
            # One that is ready when it is seen for the first time was completed before this control plane was there.
            self._add(kind_of(before.state if before is not None else "", table.state), table.model_dump_json())
        if changed or gone:
            self._add(SUMMARY, summary_of(list(now.values())).model_dump_json())
        self._before = now

    def _add(self, kind: str, data: str) -> None:
        self._number += 1
        self._events.append(Event(f"{self._origin}-{self._number}", kind, data))

    def first(self, last_id: str) -> Iterator[Event]:
        """What a listener gets first: what it missed, or a snapshot where that is not known any more."""
        missed = self.after(last_id)
        if missed is not None:
            yield from missed
            return
        yield Event(self.position, SNAPSHOT, self.view().model_dump_json())

    @property
    def position(self) -> str:
        """The id of the newest event."""
        return f"{self._origin}-{self._number}"

    def after(self, last_id: str) -> list[Event] | None:
        """The events after one; None where it is not known here."""
        origin, _, number = last_id.rpartition("-")
        if origin != self._origin or not number.isdecimal() or int(number) > self._number:
            return None
        held = list(self._events)
        oldest = self._number - len(held)
        if int(number) < oldest:
            return None
        return held[int(number) - oldest :]

    def keep_alive(self) -> Event:
        """What is sent while nothing happens."""
        return Event(self.position, KEEP_ALIVE, f'{{"at":{time.time():.3f}}}')


def table_view(app: str, said: Mapping[str, Any]) -> TableView:
    """What a driver says of a table."""
    known = {name: said[name] for name in TableView.model_fields if name in said}
    return TableView(**{"error": "", **known, "app": app})


def summary_of(tables: list[TableView]) -> ProgressSummary:
    """All tables in a few numbers."""
    stopped = sum(table.state == "stopped" for table in tables)
    return ProgressSummary(**summary(table.model_dump() for table in tables), stopped=stopped)
