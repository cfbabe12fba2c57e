"""What monitoring asks for all the time, answered before anything else is looked at: a scrape costs next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from velostream.observability.exposition import CONTENT_TYPE
from velostream.server.models.tables import Live

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from velostream.server.plane import Plane

LIVE, METRICS = "/health/live", "/metrics"
Ready = tuple[str, Callable[[], bytes]]
"""The media type of an answer, and what has it ready."""


def ready_answers(plane: Plane) -> Mapping[str, Ready]:
    """The answers that are ready whenever somebody asks, by path."""
    live = Live().model_dump_json().encode()
    return {LIVE: ("application/json", lambda: live), METRICS: (CONTENT_TYPE, lambda: plane.figures.text)}


class QuickAnswers:
    """Sends answers that are ready; all other requests go on. The routes of these paths only describe them."""

    def __init__(self, app: ASGIApp, answers: Mapping[str, Ready]) -> None:
        self.app = app
        self._answers = {path: ([(b"content-type", kind.encode())], answer) for path, (kind, answer) in answers.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        found = self._answers.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        headers, answer = found
        body = answer()
        headers = [*headers, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})
