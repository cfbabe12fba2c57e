"""Loading a table, the same way for every source: all that is there in steps, then what is new since the last time.

Each step is a version that says where the source goes on, so that a load that was cut off does not begin again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from velostream.tables.newest import newest
from velostream.tables.progress import Progress
from velostream.tables.store import TableStore, Version

if TYPE_CHECKING:
    import pyarrow as pa

FULL, INCREMENTAL, NONE = "full", "incremental", "none"


@dataclass(frozen=True)
class Step:
    """What one look at a source gave: rows with their times, and where to go on."""

    rows: pa.Table
    offset: Mapping[str, Any]
    last: bool = True
    """True where nothing more is there now."""
    fresh: bool = False
    """True where these rows take the place of all that was read before."""
    letters: Sequence[Mapping[str, Any]] = ()
    size: int = 0
    """Bytes that were read."""


class TableSource(Protocol):
    """Where a table comes from."""

    def measure(self, since: Mapping[str, Any]) -> int:
        """The bytes that are to be read; 0 where that is not known."""

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """What comes after `since`, which is empty at first; None where nothing does."""


@dataclass
class Loader:
    """Brings a table up to what its source has."""

    store: TableStore
    source: TableSource
    key: tuple[str, ...]
    progress: Progress
    keeps: int | None = None
    """Rows older than the newest by more than this many microseconds go."""
    letters: list[Mapping[str, Any]] = field(default_factory=list)
    """Records that could not be used, since the last time that somebody took them."""

    def load(self, mode: str) -> Version:
        """Loads what is there, or what is new; the newest version in the end."""
        base = self.store.newest(complete=False)
        cut_off = base is not None and not base.complete
        if base is not None and mode == NONE and not cut_off:
            return base
        goes_on = base is not None and (cut_off or mode == INCREMENTAL)
        since: Mapping[str, Any] = base.offset if base is not None and goes_on else {}
        self.progress.total_bytes = self.source.measure(since)
        rows = None
        while (step := self.source.step(since)) is not None:
            if rows is None and goes_on and base is not None and not step.fresh:
                rows = base.read()
            rows = newest(None if step.fresh else rows, step.rows, self.key, self.keeps)
            base = self.store.publish(rows, complete=step.last, offset=step.offset)
            since = step.offset
            self._count(step)
            if step.last:
                break
        assert base is not None, "a source that has nothing gives a step without rows at first"
        return base

    def _count(self, step: Step) -> None:
        self.letters += step.letters
        self.progress.read += step.rows.num_rows + len(step.letters)
        self.progress.dead_lettered += len(step.letters)
        self.progress.bytes += step.size
