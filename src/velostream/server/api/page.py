"""The page: static files that hold no data, sent with what keeps a browser from running or loading anything else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Scope

PAGE = Path(__file__).parent.parent / "page"
_ALLOWED = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
HEADERS = {
    "Content-Security-Policy": "; ".join(_ALLOWED),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""No script, style or request but to this server, and no frame around it; a new version is seen at once."""


class PageFiles(StaticFiles):
    """The files of the page."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One of them, with the headers."""
        answer = await super().get_response(path, scope)
        answer.headers.update(HEADERS)
        return answer


def install_page(app: FastAPI) -> None:
    """Puts the page at `/`, and its files below `/page`."""
    app.mount("/page", PageFiles(directory=PAGE), name="page")

    @app.get("/", include_in_schema=False)
    async def index() -> FileResponse:
        return FileResponse(PAGE / "index.html", headers=HEADERS)

    @app.get("/favicon.ico", include_in_schema=False)
    async def favicon() -> FileResponse:
        return FileResponse(PAGE / "icon.svg", headers=HEADERS, media_type="image/svg+xml")
