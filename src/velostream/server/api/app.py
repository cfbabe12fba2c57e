"""The application that answers HTTP: all endpoints, the token before them, and the page beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.responses import Response

from velostream import __version__
from velostream.observability.exposition import CONTENT_TYPE
from velostream.server.api import advice, apps, asking, dlq, health, jobs, lineage, login, tables
from velostream.server.api.auth import TokenRequired
from velostream.server.api.document import install_document
from velostream.server.api.inside import Inside
from velostream.server.api.limits import BodyLimit
from velostream.server.api.page import install_page
from velostream.server.api.problems import documented, install
from velostream.server.api.quick import METRICS, QuickAnswers, ready_answers
from velostream.server.api.recent import install_recent

if TYPE_CHECKING:
    from velostream.server.plane import Plane

_ABOUT = "Deploys, watches, pauses, upgrades and explains streaming jobs. All but /health/live needs the token."


def create_app(plane: Plane) -> FastAPI:
    """All endpoints of a control plane."""
    app = FastAPI(
        title="Velostream",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.plane = plane
    for group in (health, advice, apps, jobs, tables, asking, dlq, lineage, login):
        app.include_router(group.ROUTES)
    app.add_api_route(METRICS, metrics, methods=["GET"], tags=["metrics"], responses=_METRICS, response_model=None)
    install(app)
    install_recent(app, plane)
    install_page(app)
    install_document(app)
    app.add_middleware(BodyLimit, most=plane.settings.body_limit)
    app.add_middleware(QuickAnswers, answers=ready_answers(plane))
    app.add_middleware(TokenRequired, token=plane.token)
    return app


_METRICS = {
    **documented(),
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "metrics"},
}


async def metrics(plane: Inside) -> Response:
    """The metrics of all jobs, as Prometheus reads them."""
    return Response(plane.figures.text, media_type=CONTENT_TYPE)
