"""`/api/v1/advice`: what to change about jobs, with the figures that say so."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from velostream.errors import VeloError
from velostream.server.api.inside import Inside
from velostream.server.api.problems import documented
from velostream.server.control import Control
from velostream.server.models.base import Model
from velostream.server.registry.deployment import Deployment

ROUTES = APIRouter(prefix="/api/v1/advice", tags=["advice"], responses=documented(404))


class AdviceView(Model):
    """One piece of advice."""

    app: str
    job: str
    kind: str = Field(description="loses, grows, slow, odd or waste: the most urgent first")
    what: str = Field(description="what is not as it should be")
    figures: dict[str, Any] = Field(description="what says so")
    change: str = Field(description="what to change")
    guide: str = Field(description="the page of the documentation about it; empty without one")


class AdviceList(Model):
    """All advice, the most urgent first."""

    items: list[AdviceView]


@ROUTES.get("")
def advice(plane: Inside, app: Annotated[str, Query(max_length=100)] = "") -> AdviceList:
    """What to change about the jobs of an application, or of all: the same as `velo advise` says."""
    from velostream.observability.advice.base import KINDS

    wanted = [plane.control.app(app)] if app else plane.control.apps
    found = [each for one in wanted for each in _of(plane.control, one.deployment)]
    return AdviceList(items=sorted(found, key=lambda each: KINDS.index(each.kind)))


def _of(control: Control, deployment: Deployment) -> list[AdviceView]:
    """The advice for one application; one whose plan cannot be made any more has none."""
    from velostream.observability.advice import advise

    try:
        plan = control.plan_of(deployment).plan
    except VeloError:
        return []
    state = control.folders.state(deployment.app, deployment.state)
    found = advise(plan, state, control.folders.files)
    return [AdviceView(app=deployment.app, **_plain(one.data())) for one in found]


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Figures as JSON can have them."""
    return {**data, "figures": {name: _figure(value) for name, value in data["figures"].items()}}


def _figure(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_figure(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _figure(each) for name, each in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
