"""How a browser gets the token: by a code that works once."""

from __future__ import annotations

from pydantic import Field

from velostream.server.models.base import Model, Moment


class LoginCode(Model):
    """A code that a page can exchange for the token, once."""

    code: str
    expires: Moment
    address: str = Field(description="the page's address with the code in it")


class LoginRequest(Model):
    """The code of an address that was opened."""

    code: str = Field(max_length=200)


class LoginAnswer(Model):
    """The token, which goes into `Authorization: Bearer …`."""

    token: str
