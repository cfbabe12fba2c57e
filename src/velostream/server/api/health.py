"""`/health/…`: whether the server lives, what runs, how far tables are, and metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from velostream.errors import VeloError
from velostream.observability.exposition import CONTENT_TYPE
from velostream.registry import did_you_mean
from velostream.server.api.inside import Inside
from velostream.server.api.problems import documented
from velostream.server.api.quick import LIVE
from velostream.server.connections import connections
from velostream.server.models.tables import (
    Connection,
    Live,
    ProgressView,
    Ready,
    TablesHealth,
    TableView,
    WaitRequest,
)
from velostream.server.plane import Plane
from velostream.server.progress import summary_of

ROUTES = APIRouter(tags=["health"], responses=documented())
LOOK = 0.2
KEEP_ALIVE = 15.0
App = Annotated[str, Query(max_length=100, description="the application, where several have a table of that name")]


@ROUTES.get(LIVE, responses={401: {"description": "never"}}, include_in_schema=True)
async def live() -> Live:
    """The control plane answers. Needs no token."""
    return Live()


@ROUTES.get("/health/ready", responses={503: {"model": Ready, "description": "not everything runs that should"}})
def ready(plane: Inside, response: Response) -> Ready:
    """Whether all applications are in the state that is wanted of them."""
    states = {one.deployment.app: one.state for one in plane.control.apps}
    known = plane.control.supervisor.ready.is_set()
    fine = known and all(state not in ("failed", "restarting", "starting") for state in states.values())
    response.status_code = 200 if fine else 503
    return Ready(ready=fine, apps=states)


@ROUTES.get("/health/tables")
def tables(plane: Inside) -> TablesHealth:
    """Whether all tables are there that should be."""
    found = plane.progress.tables()
    is_ready = all(table.state in ("ready", "refreshing", "stopped") for table in found)
    return TablesHealth(ready=is_ready, summary=summary_of(found), tables=found)


@ROUTES.get("/health/table/{name}", responses=documented(404, 409))
def table(name: str, plane: Inside, app: App = "") -> TableView:
    """One table."""
    return table_of(plane, name, app)


@ROUTES.post("/health/table/{name}/wait", responses=documented(404, 409, 503))
async def wait(name: str, asked: WaitRequest, plane: Inside, app: App = "") -> TableView:
    """Waits until a table is ready. One that has failed or stopped, or is not ready in time, is a problem."""
    until = time.monotonic() + asked.timeout_seconds
    while True:
        found = table_of(plane, name, app)
        if found.state in ("ready", "refreshing"):
            return found
        if found.state == "failed":
            message = f"table '{name}' has failed: {found.error}"
            raise VeloError(message, hint="see to its source; it is tried again", code="table-not-ready")
        if found.state == "stopped":
            message, hint = f"the application of table '{name}' does not run", f"velo restart {found.app}"
            raise VeloError(message, hint=hint, code="table-not-ready")
        if time.monotonic() >= until:
            hint = f"it is {found.state}, {found.read:,} records read; wait longer with timeout_seconds"
            message = f"table '{name}' is not ready after {asked.timeout_seconds:g} s"
            raise VeloError(message, hint=hint, code="table-not-ready")
        await asyncio.sleep(LOOK)


def table_of(plane: Plane, name: str, app: str) -> TableView:
    """The table of that name."""
    found = [
        each
        for each in plane.progress.tables()
        if each.name.casefold() == name.casefold() and (not app or each.app.casefold() == app.casefold())
    ]
    if not found:
        hint = did_you_mean(name, [each.name for each in plane.progress.tables()], "tables")
        raise VeloError(f"no application has a table '{name}'", hint=hint or "none has any", code="unknown-table")
    if len(found) > 1:
        apps = ", ".join(f"'{each.app}'" for each in found)
        raise VeloError(f"several applications have a table '{name}'", hint=f"app={apps}", code="ambiguous-job")
    return found[0]


@ROUTES.get("/health/progress")
def progress(plane: Inside) -> ProgressView:
    """How far all tables are."""
    return plane.progress.view()


@ROUTES.get(
    "/health/progress/stream",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "events"}},
)
async def stream(
    request: Request, plane: Inside, last_event_id: Annotated[str, Header(max_length=100)] = ""
) -> EventSourceResponse:
    """Server-sent events: InitialSnapshot (all tables), TableUpdate, TableCompleted, TableFailed (a table),
    SummaryUpdate (the numbers), KeepAlive (the time). With Last-Event-ID it goes on after that event."""
    return EventSourceResponse(_events(request, plane, last_event_id), ping=3600)


async def _events(request: Request, plane: Plane, last_id: str) -> AsyncIterator[ServerSentEvent]:
    position, silent = last_id, time.monotonic()
    first = True
    while not await request.is_disconnected():
        events = list(plane.progress.first(position)) if first else plane.progress.after(position)
        if events is None:
            events = list(plane.progress.first(""))
        first = False
        if not events and time.monotonic() - silent >= KEEP_ALIVE:
            events = [plane.progress.keep_alive()]
        for event in events:
            position, silent = event.id, time.monotonic()
            yield ServerSentEvent(data=event.data, event=event.kind, id=event.id)
        if not position:
            position = plane.progress.position
        await asyncio.sleep(LOOK)


@ROUTES.get("/health/connections")
def listed(plane: Inside) -> list[Connection]:
    """The sources and sinks of all jobs, and the tables that are loaded from outside, with their circuit breakers."""
    return list(connections(plane.control))


@ROUTES.get(
    "/health/metrics",
    response_model=None,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "metrics"}},
)
def metrics(
    plane: Inside, form: Annotated[Literal["prometheus", "json"], Query(alias="format")] = "prometheus"
) -> Response | dict[str, Any]:
    """The metrics of all jobs, as Prometheus reads them or as data."""
    if form == "json":
        return {"jobs": plane.figures.snapshots(), "tables": plane.figures.tables()}
    return Response(plane.figures.text, media_type=CONTENT_TYPE)
