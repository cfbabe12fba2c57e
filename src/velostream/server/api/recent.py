"""`/api/v1/recent`: the last hour of jobs, for charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from velostream.server.api.problems import documented
from velostream.server.models.base import Model, Moment, moment
from velostream.server.recent import EVERY, Recent

if TYPE_CHECKING:
    from fastapi import FastAPI

    from velostream.server.plane import Plane

ROUTES = APIRouter(prefix="/api/v1/recent", tags=["jobs"], responses=documented())
Name = Annotated[str, Query(max_length=200)]


class RecentJob(Model):
    """A job of late: lists of one length, oldest first."""

    app: str
    job: str
    at: list[Moment]
    rate: list[float] = Field(description="records a second")
    watermark_lag_seconds: list[float | None]
    state_bytes: list[int]


class RecentJobs(Model):
    """The last hour, as far as this server has seen it."""

    every_seconds: float
    jobs: list[RecentJob]


@ROUTES.get("")
def recent(request: Request, app: Name = "", job: Name = "") -> RecentJobs:
    """What jobs did in the last hour."""
    past: Recent = request.app.state.recent
    return RecentJobs(
        every_seconds=EVERY,
        jobs=[
            RecentJob(
                app=key[0],
                job=key[1],
                at=[moment(each[0]) for each in moments],
                rate=[each[1] for each in moments],
                watermark_lag_seconds=[each[2] for each in moments],
                state_bytes=[each[3] for each in moments],
            )
            for key, moments in past.of(app, job).items()
        ],
    )


def install_recent(app: FastAPI, plane: Plane) -> None:
    """Begins to remember."""
    app.state.recent = Recent(plane.control)
    plane.control.supervisor.each_look.append(app.state.recent.look)
    app.include_router(ROUTES)
