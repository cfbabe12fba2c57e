"""`/api/v1/apps`: deploying, looking at and removing applications."""

from __future__ import annotations

import re

from fastapi import APIRouter, Response

from velostream.errors import VeloError
from velostream.server.api.answers import app_detail, app_view, savepoint_view, verdict_view
from velostream.server.api.inside import Inside, Limit, Offset, Patience
from velostream.server.api.problems import documented
from velostream.server.deploying import Wish, deployed, judged
from velostream.server.models.apps import AppDetail, AppView, DeployAnswer, DeployRequest, SavepointView
from velostream.server.models.asking import finding_of
from velostream.server.models.base import Page, page
from velostream.server.savepoints import listed, remove

ROUTES = APIRouter(prefix="/api/v1/apps", tags=["applications"], responses=documented())
_STRATEGY = re.compile(r"\s*([A-Za-z_]+)\s*(?:\(\s*(\d{1,3})\s*%?\s*\))?\s*")


@ROUTES.get("")
def apps(plane: Inside, limit: Limit = 100, offset: Offset = 0) -> Page[AppView]:
    """All applications, by name."""
    found = sorted((app_view(one) for one in plane.control.apps), key=lambda one: one.name)
    return page(found, offset, limit)


@ROUTES.post(
    "",
    status_code=201,
    responses={
        200: {"model": DeployAnswer, "description": "the verdict of a dry run"},
        **documented(404, 409, 502),
    },
)
def deploy_app(asked: DeployRequest, plane: Inside, response: Response) -> DeployAnswer:
    """Deploys a version of an application, or only says whether the state of the one before can be kept."""
    answer = judged(plane.control, wish_of(asked))
    new = None if asked.dry_run else deployed(plane.control, answer)
    response.status_code = 200 if new is None else 201
    return DeployAnswer(
        app=answer.wish.name,
        version=answer.version if new is None else new.version,
        number=None if new is None else new.number,
        deployed=new is not None,
        verdict=verdict_view(answer.verdict),
        findings=[finding_of(one) for one in answer.planned.findings],
    )


def wish_of(asked: DeployRequest) -> Wish:
    """A request as a wish."""
    found = _STRATEGY.fullmatch(asked.strategy)
    if found is None:
        hint = "REPLACE, BLUE_GREEN, CANARY(10) or ROLLING"
        raise VeloError(f"'{asked.strategy}' is not a strategy", hint=hint, code="usage")
    percent = None if found[2] is None else int(found[2])
    return Wish(asked.name, asked.sql, asked.version, found[1].upper(), percent, asked.fresh, asked.savepoint)


@ROUTES.get("/{name}", responses=documented(404))
def app(name: str, plane: Inside) -> AppDetail:
    """All about an application."""
    return app_detail(plane.control, plane.control.app(name))


@ROUTES.delete("/{name}", status_code=204, responses=documented(404, 409))
def delete(name: str, plane: Inside, patience: Patience = 30.0) -> Response:
    """Stops an application after its running batch, and forgets it with its state, versions and log."""
    plane.control.delete(name, patience=patience)
    return Response(status_code=204)


@ROUTES.get("/{name}/savepoints", responses=documented(404))
def savepoints(name: str, plane: Inside, limit: Limit = 100, offset: Offset = 0) -> Page[SavepointView]:
    """The savepoints of an application, newest first; `POST /api/v1/jobs/{name}/savepoint` makes one."""
    return page([savepoint_view(one) for one in listed(plane.control, name)], offset, limit)


@ROUTES.delete("/{name}/savepoints/{savepoint}", status_code=204, responses=documented(404))
def delete_savepoint(name: str, savepoint: str, plane: Inside) -> Response:
    """Forgets a savepoint. Versions that began with it are not touched."""
    remove(plane.control, name, savepoint)
    return Response(status_code=204)
