"""`/login`: how a page gets the token without anybody typing it."""

from __future__ import annotations

from fastapi import APIRouter

from velostream.errors import VeloError
from velostream.server.api.inside import Inside
from velostream.server.api.problems import documented
from velostream.server.models.base import moment
from velostream.server.models.login import LoginAnswer, LoginCode, LoginRequest
from velostream.server.serving import address

ROUTES = APIRouter(tags=["login"], responses=documented())


@ROUTES.post("/login")
def login(asked: LoginRequest, plane: Inside) -> LoginAnswer:
    """Exchanges a code for the token. A code works once, for ten minutes."""
    if not plane.codes.take(asked.code):
        hint = "open a new address: velo page, or give the token itself"
        raise VeloError("the code is not valid, or was used before", hint=hint, code="unauthorized")
    return LoginAnswer(token=plane.token)


@ROUTES.post("/api/v1/login-codes", status_code=201)
def code(plane: Inside) -> LoginCode:
    """A new code, for a browser of somebody who has the token."""
    new, expires = plane.codes.new()
    page = address(plane.settings.host, plane.settings.port)
    return LoginCode(code=new, expires=moment(expires), address=f"{page}#login={new}")
