"""Memory as a sink: rows that the Python API and tests look at."""

from __future__ import annotations

from threading import Lock
from typing import Any

from velostream.sinks.base import Guarantee, Sink, always

MEMORY_SINK = Sink(
    name="memory_sink",
    doc="rows in memory, for tests and the Python API; they end with the process",
    options=(),
    guarantee=always(Guarantee.AT_LEAST_ONCE),
    aliases=("memory",),
)

_lock = Lock()
_kept: dict[str, dict[tuple[str, int], list[dict[str, Any]]]] = {}
"""By the sink's name: the rows of each query and micro-batch, in the order in which they came."""


def keep(name: str, query: str, batch: int, rows: list[dict[str, Any]]) -> None:
    """Keeps the rows of a micro-batch; kept again, they take the place of themselves."""
    with _lock:
        _kept.setdefault(name, {})[query, batch] = rows


def rows(name: str) -> list[dict[str, Any]]:
    """What was written to the sink of that name in this process, oldest batch first; timestamps are in UTC."""
    with _lock:
        return [dict(row) for batch in _kept.get(name, {}).values() for row in batch]


def clear(name: str | None = None) -> None:
    """Forgets the rows of a sink, or of all sinks."""
    with _lock:
        if name is None:
            _kept.clear()
        else:
            _kept.pop(name, None)
