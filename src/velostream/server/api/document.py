"""The OpenAPI document: as FastAPI makes it, with the token, and with problems in their own media type only."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from velostream.server.api.auth import OPEN
from velostream.server.api.problems import MEDIA_TYPE


def install_document(app: FastAPI) -> None:
    """Lets the application describe itself."""
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemes = made.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["token"] = {"type": "http", "scheme": "bearer", "description": "the server's token"}
        for path, methods in made["paths"].items():
            for operation in methods.values():
                operation["security"] = [] if path in OPEN else [{"token": []}]
                _without_json(operation["responses"])
        app.openapi_schema = made
    return app.openapi_schema


def _without_json(responses: dict[str, Any]) -> None:
    for response in responses.values():
        if MEDIA_TYPE in response.get("content", {}):
            response["content"].pop("application/json", None)
