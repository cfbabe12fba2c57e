"""Errors as answers: problem+json with our codes, the same words that `velo` shows."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from velostream.codes import CODES, Domain
from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.server.models.asking import finding_of
from velostream.server.models.base import Problem
from velostream.server.planning import Refused

LOG = logging.getLogger("velostream.server")
MEDIA_TYPE = "application/problem+json"
_STATUS = {
    "unauthorized": 401,
    "unknown-app": 404,
    "unknown-job": 404,
    "unknown-version": 404,
    "unknown-savepoint": 404,
    "unknown-table": 404,
    "unknown-key": 404,
    "unknown-letter": 404,
    "unknown-path": 404,
    "ambiguous-job": 409,
    "job-state": 409,
    "state-mismatch": 409,
    "body-too-large": 413,
    "invalid-request": 422,
    "table-not-ready": 503,
}
_BY_DOMAIN = {Domain.USER: 400, Domain.EXTERNAL: 502, Domain.INTERNAL: 500}
_MOST = 5
"""Mistakes of a request that an answer names."""
_OF_HTTP = {404: "unknown-path", 405: "wrong-method", 401: "unauthorized", 413: "body-too-large"}


def status_of(code: str) -> int:
    """The HTTP status of an error."""
    return _STATUS.get(code) or _BY_DOMAIN[CODES[code].domain]


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What the OpenAPI document says of the problems that an endpoint may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    words = {401: "no token, or a wrong one", 404: "not there", 409: "not in this state", 422: "not such a request"}
    everywhere = (400, 401, 413, 422)
    return {
        status: {"model": Problem, "description": words.get(status, "a problem"), "content": content}
        for status in sorted({*everywhere, *statuses})
    }


def problem_response(
    code: str,
    detail: str,
    *,
    hint: str = "",
    path: str = "",
    status: int = 0,
    headers: Mapping[str, str] | None = None,
    findings: list[Any] | None = None,
) -> JSONResponse:
    """An error as an answer."""
    status = status or status_of(code)
    said = Problem(
        type=f"urn:velostream:error:{code}",
        title=CODES[code].meaning,
        status=status,
        detail=masked("", detail),
        code=code,
        hint=masked("", hint),
        instance=path,
        findings=[finding_of(one) for one in findings or ()],
    )
    return JSONResponse(said.model_dump(mode="json"), status, headers=headers, media_type=MEDIA_TYPE)


def _of_request(errors: Sequence[Any], content_type: str) -> tuple[str, str]:
    """What is wrong with a request, and what to do: all of its fields, or that its body is no JSON at all."""
    first, *more = errors
    if first["type"] == "json_invalid":
        return f"the body is no JSON: {first['ctx']['error']} at character {first['loc'][-1]}", "send a JSON object"
    if first["loc"] == ("body",) and "json" not in content_type.lower():
        return "the body is not sent as JSON", "send a JSON object with the header 'Content-Type: application/json'"
    said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors[:_MOST]]
    rest = f"; and {len(errors) - _MOST} more" if len(more) >= _MOST else ""
    return "; ".join(said) + rest, "the OpenAPI document at /openapi.json shows what it takes"


def install(app: FastAPI) -> None:
    """Turns whatever goes wrong into such an answer."""

    @app.exception_handler(VeloError)
    async def _ours(request: Request, error: VeloError) -> JSONResponse:
        findings = error.findings if isinstance(error, Refused) else None
        return problem_response(
            error.error_code, error.message, hint=error.hint, path=request.url.path, findings=findings
        )

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        message, hint = _of_request(error.errors(), request.headers.get("content-type", ""))
        return problem_response("invalid-request", message, hint=hint, path=request.url.path)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        code = _OF_HTTP.get(error.status_code, "invalid-request")
        return problem_response(
            code,
            str(error.detail),
            hint="the OpenAPI document at /openapi.json lists what there is",
            path=request.url.path,
            status=error.status_code,
            headers=error.headers,
        )

    @app.exception_handler(Exception)
    async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
        LOG.error("a request failed: %s %s", request.method, request.url.path, exc_info=error)
        summary = f"{type(error).__name__} while answering {request.method} {request.url.path}"
        hint = "this is a defect of Velostream: the server's log has the whole of it"
        return problem_response("internal", summary, hint=hint, path=request.url.path)
