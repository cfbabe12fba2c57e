"""The client of a schema registry. A schema never changes under its number, so each is asked for once."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote

from velostream.config.secrets import masked
from velostream.errors import InvalidSchema, VeloError
from velostream.lazy import lazy

if TYPE_CHECKING:
    from urllib import request as http

    from velostream.config.settings import Settings
else:
    http = lazy("urllib.request")

_KIND = "application/vnd.schemaregistry.v1+json"
_TRIES, _PAUSE, _TIMEOUT = 4, 0.5, 10.0
_NOT_FOUND, _CONFLICT = 404, 409


@dataclass(frozen=True)
class Registered:
    """A schema of a registry: its kind (AVRO, PROTOBUF, JSON), its text, and the texts that it refers to, by name."""

    number: int
    kind: str
    text: str
    references: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Registry:
    """A registry and who asks it. It travels to workers; the password is not shown."""

    url: str
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        """Where it is, without secrets."""
        return masked("url", self.url)

    def by_number(self, number: int) -> Registered:
        """The schema of a number; InvalidSchema where the registry has none."""
        return _by_number(self, number)

    def latest(self, subject: str) -> Registered | None:
        """The newest schema of a subject; None where the subject is not there."""
        found = self._ask(f"subjects/{quote(subject, safe='')}/versions/latest")
        return None if found is None else self._registered(found["id"], found)

    def register(self, subject: str, kind: str, text: str) -> int:
        """Puts a schema under a subject, where it may have been before; gives its number."""
        body: dict[str, Any] = {"schema": text}
        if kind != "AVRO":
            body["schemaType"] = kind
        found = self._ask(f"subjects/{quote(subject, safe='')}/versions", body)
        assert found is not None
        return int(found["id"])

    def fetch(self, number: int) -> Registered:
        """Asks for the schema of a number."""
        found = self._ask(f"schemas/ids/{number}")
        if found is None:
            message = f"the schema registry '{self.shown}' has no schema of number {number}"
            raise InvalidSchema(message, hint="see that schema.registry.url is that of who wrote the records")
        return self._registered(number, found)

    def _registered(self, number: int, found: Mapping[str, Any]) -> Registered:
        texts: dict[str, str] = {}
        self._refer(found.get("references") or (), texts)
        return Registered(number, str(found.get("schemaType") or "AVRO"), found["schema"], tuple(texts.items()))

    def _refer(self, references: Any, texts: dict[str, str]) -> None:
        for one in references:
            if one["name"] not in texts:
                found = self._ask(f"subjects/{quote(one['subject'], safe='')}/versions/{one['version']}")
                if found is not None:
                    texts[one["name"]] = found["schema"]
                    self._refer(found.get("references") or (), texts)

    def _ask(self, path: str, body: object = None) -> Any:
        """The answer; None where there is no such thing. What may be over in a moment is asked again."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": f"{_KIND}, application/json", "Content-Type": _KIND}
        if self.username:
            login = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        request = http.Request(f"{self.url.rstrip('/')}/{path}", data, headers)
        for turn in range(_TRIES):
            try:
                with http.urlopen(request, timeout=_TIMEOUT) as answer:
                    return json.loads(answer.read())
            except HTTPError as error:
                if error.code == _NOT_FOUND and body is None:
                    return None
                if error.code < 500 or turn == _TRIES - 1:
                    raise self._refused(error) from None
            except (URLError, OSError, ValueError) as error:
                if turn == _TRIES - 1:
                    raise self._silent(error) from None
            time.sleep(_PAUSE * 2**turn)
        raise AssertionError("a loop that returns or raises")

    def _refused(self, error: HTTPError) -> VeloError:
        text = error.read().decode("utf-8", "replace")
        try:
            said = str(json.loads(text).get("message") or text)
        except ValueError:
            said = text
        what = " ".join(said.split())[:300] or error.reason
        message = f"the schema registry '{self.shown}' refuses ({error.code}): {what}"
        if error.code == _CONFLICT:
            hint = "keep the schema compatible with the earlier one, or use another schema.registry.subject"
            return InvalidSchema(message, hint=hint)
        return VeloError(message, hint="see schema.registry.username and .password", code="registry-unreachable")

    def _silent(self, error: Exception) -> VeloError:
        reason = error.reason if isinstance(error, URLError) else error
        message = f"the schema registry '{self.shown}' does not answer: {reason}"
        return VeloError(message, hint="see that it is up and that the address is right", code="registry-unreachable")


@cache
def _by_number(registry: Registry, number: int) -> Registered:
    return registry.fetch(number)


def registry_of(settings: Settings) -> Registry | None:
    """The registry that the settings name, if they do."""
    known = settings.known.find("schema.registry.url")
    url = settings.get("schema.registry.url") if known is not None else None
    if url is None:
        return None
    name, password = settings.get("schema.registry.username"), settings.get("schema.registry.password")
    return Registry(str(url), "" if name is None else str(name), "" if password is None else str(password))
