"""`/api/v1/lineage`: which column comes from which, over all applications."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from velostream.server.api.inside import Inside
from velostream.server.api.problems import documented
from velostream.server.lineage import graph_of
from velostream.server.models.asking import LineageView

ROUTES = APIRouter(prefix="/api/v1/lineage", tags=["lineage"], responses=documented(404))


@ROUTES.get("")
def lineage(plane: Inside, app: Annotated[str, Query(max_length=100)] = "") -> LineageView:
    """The graph of all columns, of one application or of all."""
    wanted = [plane.control.app(app)] if app else plane.control.apps
    return graph_of(plane.control, [one.deployment for one in wanted])
