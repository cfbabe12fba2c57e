"""Who may ask: whoever has the token. It lies in a file that only its owner may read, and is shown nowhere."""

from __future__ import annotations

import hmac
import os
import secrets
import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from velostream.server.api.problems import problem_response
from velostream.server.tokens import token_checked

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

OPEN = ("/health/live", "/login", "/", "/favicon.ico")
"""What needs no token: whether the server lives, the exchange of a code, and the page, which holds no data."""
PAGE = "/page/"
CODE_SECONDS = 600.0


def token_of(file: Path, given: str = "") -> str:
    """The token: the one given (VELO_TOKEN), the one in the file, or a new one, which is kept there."""
    known = token_checked(given) or (token_checked(file.read_text(), f"'{file}'") if file.exists() else "")
    if known:
        return known
    file.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_urlsafe(32)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(token + "\n")
    file.chmod(0o600)
    return token


class LoginCodes:
    """Codes that a page exchanges for the token, each once, within ten minutes."""

    def __init__(self) -> None:
        self._codes: dict[str, float] = {}
        self._lock = Lock()

    def new(self) -> tuple[str, float]:
        """A code, and until when it works."""
        code, expires = secrets.token_urlsafe(24), time.time() + CODE_SECONDS
        with self._lock:
            self._codes = {known: until for known, until in self._codes.items() if until > time.time()}
            self._codes[code] = expires
        return code, expires

    def take(self, code: str) -> bool:
        """True where the code works; it does not any more then."""
        with self._lock:
            return self._codes.pop(code, 0.0) > time.time()


class TokenRequired:
    """Lets nobody past without the token, whatever they ask for."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or self._is_open(scope) or self._has_token(scope):
            await self.app(scope, receive, send)
            return
        given = any(name == b"authorization" for name, _ in scope["headers"])
        detail = "the token is not the one of this server" if given else "a token is needed"
        answer = problem_response(
            "unauthorized",
            detail,
            hint="send 'Authorization: Bearer TOKEN' (velo: VELO_TOKEN); the server names its file when it starts",
            path=scope["path"],
            headers={"WWW-Authenticate": 'Bearer realm="velostream"'},
        )
        await answer(scope, receive, send)

    @staticmethod
    def _is_open(scope: Scope) -> bool:
        return scope["path"] in OPEN or scope["path"].startswith(PAGE)

    def _has_token(self, scope: Scope) -> bool:
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        kind, _, token = given.partition(b" ")
        return hmac.compare_digest(kind.capitalize() + b" " + token.strip(), self._wanted)
