"""An address of the web that is asked again and again; what changed since the last time is put into an inbox."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread

from velostream.config.connections.json_path import steps
from velostream.config.connections.requests import send
from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.inbox import Inbox
from velostream.sources.streams.json_parts import part


@dataclass
class Poller:
    """Asks `url` every `interval` seconds. Only a server that says so, or another content, brings new records."""

    source: str
    url: str
    headers: Mapping[str, str]
    timeout: float
    interval: float
    inbox: Inbox
    calls: Calls
    path: str = ""
    """The JSON path to the records; empty where the whole answer is records."""
    _ended: Event = field(default_factory=Event)

    def look(self) -> bool:
        """Asks once; True where something new came."""
        last = self.inbox.last
        headers = dict(self.headers)
        headers |= {"If-None-Match": last.etag} if last.etag else {}
        headers |= {"If-Modified-Since": last.modified} if last.modified and not last.etag else {}
        answer = send("GET", self.url, headers, self.timeout)
        if answer.status == 304:
            return False
        shown = masked("url", self.url)
        if answer.status == 404:
            message = f"there is nothing at '{shown}' for '{self.source}'"
            raise VeloError(message, hint="correct the address", code="http-unreachable")
        if answer.status >= 300:
            message = f"'{shown}' answers with {answer.status} {answer.reason}"
            raise VeloError(message, hint="see to the address and the headers", code="http-refused")
        content = self._records(answer.data, shown)
        try:
            return self.inbox.put(content, answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", ""))
        except OSError as error:
            message = f"what '{shown}' answers cannot be kept for '{self.source}': {error.strerror or error}"
            hint = "see to the folder of the checkpoint, its rights and the room on its disk"
            raise VeloError(message, hint=hint, code="file-unusable") from None

    def _records(self, content: bytes, shown: str) -> bytes:
        if not self.path:
            return content
        try:
            found = part(content.decode(), steps(self.path))
        except ValueError:
            message = f"'{shown}' does not answer with JSON, in which '{self.path}' could be looked for"
            raise VeloError(message, hint="see what it answers, or remove records.path", code="http-refused") from None
        if found is None:
            message = f"there is nothing at '{self.path}' in the answer of '{shown}'"
            raise VeloError(message, hint=f"it begins with {content[:200]!r}", code="http-refused")
        return found.encode()

    def start(self) -> None:
        """Goes on asking, beside everything else, until it is closed or what it asks has failed often enough."""
        self._ended = Event()
        Thread(target=self._go_on, args=(self._ended,), name=f"velo-poll-{self.source}", daemon=True).start()

    def _go_on(self, ended: Event) -> None:
        while not ended.wait(self.interval):
            try:
                self.calls(self.look)
            except VeloError as error:
                with suppress(OSError):  # a disk without any room: it is asked again
                    self.inbox.fail(error)
                    return

    def close(self) -> None:
        """Asks no more."""
        self._ended.set()
