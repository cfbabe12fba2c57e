"""A client of the job server: what `velo` and Python programs speak to it with."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

from velostream.codes import CODES
from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.server.tokens import token_checked

DEFAULT_URL = "http://127.0.0.1:8700"
DEFAULT_DATA = Path(".velo/server")
PATIENCE = 320.0
"""Seconds that an answer may take: a verb may wait for the end of a batch."""

MOST = 1_000
"""Items of a list that are asked for at once."""


class ServerRefused(VeloError):
    """A problem that the server answered with, and the findings in it."""

    def __init__(self, message: str, findings: list[dict[str, Any]], *, hint: str, code: str) -> None:
        super().__init__(message, hint=hint, code=code)
        self.findings = findings


@dataclass(frozen=True)
class Client:
    """One server, by its address and its token."""

    url: str = DEFAULT_URL
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "token", token_checked(self.token, "the token"))

    @classmethod
    def of(cls, url: str = "", token: str = "", data: Path = DEFAULT_DATA) -> Client:
        """The server that is meant: as given, by VELO_URL and VELO_TOKEN, or the one of this folder."""
        token = token or token_checked(os.environ.get("VELO_TOKEN", ""))
        file = data / "token"
        if not token and file.exists():
            token = file.read_text()
        return cls((url or os.environ.get("VELO_URL", "") or DEFAULT_URL).rstrip("/"), token)

    def get(self, path: str, **query: Any) -> Any:
        """What is at a path."""
        return self._ask("GET", path, query, None)

    def items(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """All items of a list, page by page."""
        found: list[dict[str, Any]] = []
        while True:
            page = self.get(path, limit=MOST, offset=len(found), **query)
            found += page["items"]
            if len(found) >= page["total"] or not page["items"]:
                return found

    def post(self, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """What the server answers to a body."""
        return self._ask("POST", path, query, {} if body is None else body)

    def delete(self, path: str, **query: Any) -> None:
        """Removes what is at a path."""
        self._ask("DELETE", path, query, None)

    @contextmanager
    def stream(self, path: str, **headers: str) -> Iterator[Iterator[str]]:
        """The lines of an answer that goes on, as they come."""
        with self._opened("GET", path, {}, None, headers) as answer:
            yield (line.decode().rstrip("\r\n") for line in answer)

    def _ask(self, method: str, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None) -> Any:
        with self._opened(method, path, query, body, {}) as answer:
            text = answer.read().decode("utf-8", "replace")
        try:
            return json.loads(text) if text else None
        except ValueError:
            message = f"what answers at '{masked('url', self.url)}' is no job server"
            hint = "see where VELO_URL or --url leads"
            raise VeloError(message, hint=hint, code="server-unreachable") from None

    @contextmanager
    def _opened(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Mapping[str, Any] | None,
        more: Mapping[str, str],
    ) -> Iterator[HTTPResponse]:
        wanted = {name: value for name, value in query.items() if value not in ("", None)}
        address = f"{self.url}{path}" + (f"?{urllib.parse.urlencode(wanted)}" if wanted else "")
        headers = {"Accept": "application/json", **more}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if not _leads_somewhere(self.url):
            hint = "for example http://127.0.0.1:8700"
            raise VeloError(f"'{masked('url', self.url)}' is not the address of a server", hint=hint, code="usage")
        request = urllib.request.Request(address, data, headers, method=method)
        with self._reached(), urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            yield answer

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """What goes wrong on the way to the server, and what it refuses, as errors of ours."""
        try:
            yield
        except urllib.error.HTTPError as error:
            raise _refused(error) from None
        except (OSError, ValueError, HTTPException) as error:
            reason = getattr(error, "reason", None) or str(error) or type(error).__name__
            message = f"no server answers at '{masked('url', self.url)}': {reason}"
            hint = "start one with velo serve, or set VELO_URL"
            raise VeloError(message, hint=hint, code="server-unreachable") from None


def quoted(name: str) -> str:
    """A name as a part of a path."""
    return urllib.parse.quote(name, safe="")


def _leads_somewhere(url: str) -> bool:
    """Whether this can be the address of a server."""
    try:
        parts = urllib.parse.urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or too large
        return False


def _refused(error: urllib.error.HTTPError) -> VeloError:
    """A problem as an error."""
    text = error.read().decode("utf-8", "replace")
    error.close()
    try:
        said = json.loads(text)
        code = said["code"] if said["code"] in CODES else "server-unreachable"
        return ServerRefused(said["detail"], said.get("findings", []), hint=said.get("hint", ""), code=code)
    except (ValueError, KeyError, TypeError):
        message = f"the server answered {error.code} {error.reason}"
        return VeloError(message, hint="see whether VELO_URL leads to a job server", code="server-unreachable")
