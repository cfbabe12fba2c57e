"""How tables of a server load, as events (server-sent ones, which go on after the last that was seen)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from velostream.server.client import Client


@dataclass(frozen=True)
class Progress:
    """One event. `kind` is InitialSnapshot, TableUpdate, SummaryUpdate, TableCompleted, TableFailed or KeepAlive."""

    id: str
    kind: str
    data: dict[str, Any]


def followed(client: Client, after: str) -> Iterator[Progress]:
    """The events as they come; closing the iterator closes the connection."""
    with client.stream("/health/progress/stream", **({"Last-Event-ID": after} if after else {})) as lines:
        yield from events(lines)


def events(lines: Iterable[str]) -> Iterator[Progress]:
    """Lines of a stream as events: each ends with an empty line."""
    said: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            said[name] = said[name] + "\n" + value.strip() if name in said else value.strip()
        elif "data" in said:
            yield Progress(said.get("id", ""), said.get("event", ""), json.loads(said["data"]))
            said = {}
