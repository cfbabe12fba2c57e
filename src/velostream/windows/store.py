"""What state is kept in: a map from names to bytes, the least that any state backend offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import polars as pl

ROOT = "root"
"""The one name that is written again and again, last in every micro-batch: the index of all else."""


@dataclass(slots=True)
class CacheCounts:
    """What a store that keeps decoded frames says of them: how often they were there, and how large they are."""

    hits: int = 0
    misses: int = 0
    evictions: int = 0
    bytes: int = 0


class Store(Protocol):
    """Named bytes, private to one bucket of keys, versioned and made durable by whoever provides it.

    A name is written once and never again, `ROOT` excepted: names carry the `token` of the store that wrote them. Where
    a micro-batch is run again after a failure, another store with another token writes; so a cache by name is never
    stale, and a store may answer with the decoded frame where it has kept one.
    """

    token: str
    cached: CacheCounts

    def get(self, name: str) -> bytes | pl.DataFrame | None:
        """The bytes or the frame that they hold, or None where nothing was put."""
        ...

    def put(self, name: str, blob: bytes, frame: pl.DataFrame | None = None) -> None:
        """Keep the bytes; `frame` is what they hold, for those who keep it decoded."""
        ...

    def delete(self, name: str) -> None:
        """Forget the bytes."""
        ...


class MemoryStore(dict[str, bytes]):
    """A store in a dict, for tests and the simulator. It counts its calls."""

    def __init__(self, *args: Any, token: str = "") -> None:
        super().__init__(*args)
        self.token = token
        self.cached = CacheCounts()
        self.reads = self.writes = 0

    def get(self, name: str, default: Any = None) -> Any:
        """The bytes, or None."""
        self.reads += 1
        return super().get(name, default)

    def put(self, name: str, blob: bytes, frame: pl.DataFrame | None = None) -> None:
        """Keep the bytes."""
        self.writes += 1
        self[name] = blob

    def delete(self, name: str) -> None:
        """Forget the bytes."""
        self.writes += 1
        self.pop(name, None)
