"""Progress of tables as events: six kinds, in order, and on from where a listener left off."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.server.api.health import _events, tables, wait
from velostream.server.models.tables import WaitRequest
from velostream.server.progress import ProgressEvents
from velostream.server.registry.deployment import RUNNING, STOPPED, Deployment
from velostream.server.views import Seen


def table(name: str, state: str, read: int = 0, **more: Any) -> dict[str, Any]:
    zeros = dict.fromkeys(("rows", "bytes", "total_bytes", "refreshes", "dead_lettered"), 0)
    times = {"percent": None, "rate": 0.0, "eta_seconds": None, "loaded_seconds": 0.0}
    return {**zeros, **times, "name": name, "state": state, "read": read, **more}


def control(*tables: dict[str, Any]) -> Any:
    return SimpleNamespace(apps=[SimpleNamespace(deployment=SimpleNamespace(app="shop"), tables=list(tables))])


def kinds(events: ProgressEvents, after: str) -> list[str]:
    return [event.kind for event in events.after(after) or []]


def test_a_table_that_loads_becomes_ready_or_fails() -> None:
    there = control(table("limits", "waiting"))
    events = ProgressEvents(there)
    start = events.position
    events.look()
    assert kinds(events, start) == ["TableUpdate", "SummaryUpdate"]
    for state, expected in (("loading", "TableUpdate"), ("ready", "TableCompleted"), ("refreshing", "TableUpdate")):
        before = events.position
        there.apps[0].tables = [table("limits", state, 5)]
        events.look()
        assert kinds(events, before) == [expected, "SummaryUpdate"]
    before = events.position
    events.look()
    assert kinds(events, before) == []
    there.apps[0].tables = [table("limits", "failed", 5, error="no such file")]
    events.look()
    told = events.after(before) or []
    assert told[0].kind == "TableFailed"
    assert json.loads(told[0].data)["error"] == "no such file"
    assert json.loads(told[1].data)["failed"] == 1


def test_a_listener_goes_on_after_the_event_it_names_or_begins_with_a_snapshot() -> None:
    there = control(table("limits", "loading", 1, bytes=20, total_bytes=80))
    events = ProgressEvents(there)
    events.look()
    first = list(events.first(""))
    assert [event.kind for event in first] == ["InitialSnapshot"]
    view = json.loads(first[0].data)
    assert view["summary"] == {
        **{"tables": 1, "ready": 0, "loading": 1, "waiting": 0, "failed": 0, "stopped": 0, "rows": 0},
        "percent": 25.0,
    }
    there.apps[0].tables = [table("limits", "ready", 2)]
    events.look()
    assert [event.kind for event in events.first(first[0].id)] == ["TableCompleted", "SummaryUpdate"]
    assert [event.kind for event in events.first("another-7")] == ["InitialSnapshot"]
    assert [event.kind for event in events.first(f"{first[0].id}000")] == ["InitialSnapshot"]
    for number in range(2_000):
        there.apps[0].tables = [table("limits", "loading", number)]
        events.look()
    assert [event.kind for event in events.first(first[0].id)] == ["InitialSnapshot"]
    assert events.keep_alive().kind == "KeepAlive"


def test_the_stream_sends_what_happens_with_ids() -> None:
    there = control(table("limits", "loading"))
    events = ProgressEvents(there)
    plane: Any = SimpleNamespace(progress=events)

    class Request:
        """Somebody who leaves after a few looks."""

        looks = 0

        async def is_disconnected(self) -> bool:
            self.looks += 1
            there.apps[0].tables = [table("limits", "ready" if self.looks > 1 else "loading", self.looks)]
            events.look()
            return self.looks > 2

    async def heard() -> list[Any]:
        request: Any = Request()
        return [event async for event in _events(request, plane, "")]

    told = asyncio.run(heard())
    assert [event.event for event in told] == ["InitialSnapshot", "TableCompleted", "SummaryUpdate"]
    assert told[-1].id == events.after(told[1].id)[0].id  # type: ignore[index]


@pytest.mark.parametrize(
    ("alive", "wanted", "ending", "state", "ready"),
    [
        (True, RUNNING, "", "ready", True),
        (False, STOPPED, "", "stopped", True),
        (False, RUNNING, "done", "stopped", True),
        (False, RUNNING, "", "waiting", False),
        (False, RUNNING, "failed", "failed", False),
    ],
)
def test_what_the_last_driver_said_of_a_table_holds_while_it_lives(
    alive: bool, wanted: str, ending: str, state: str, ready: bool
) -> None:
    deployment = Deployment("shop", 1, "1", "", "1", wanted=wanted, ending=ending, reason="the disk is full")
    seen = Seen(deployment, alive=alive, status={"state": "running", "tables": [table("limits", "ready", 5, rows=4)]})
    control: Any = SimpleNamespace(apps=[seen])
    plane: Any = SimpleNamespace(progress=ProgressEvents(control))
    told = tables(plane)
    assert (told.tables[0].state, told.ready) == (state, ready)
    assert told.tables[0].rows == 4
    assert told.summary.stopped == (state == "stopped")
    assert "the disk is full" in told.tables[0].error if state == "failed" else not told.tables[0].error
    if state == "stopped":
        with pytest.raises(VeloError, match="does not run") as refusal:
            asyncio.run(wait("limits", WaitRequest(timeout_seconds=30), plane))
        assert refusal.value.hint == "velo restart shop"
