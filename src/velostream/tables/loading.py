"""Loading a table, the same way for every source: all that is there in steps, then what is new since the last time.

Each step is a version that says where the source goes on, so that a load that was cut off does not begin again.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from velostream.errors import VeloError
from velostream.tables.progress import Progress
from velostream.tables.store import About, Version
from velostream.tables.writer import TableWriter

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
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
    settled: bool = False
    """True where changes hold whatever their times say, each key once or after its deletion."""
    past: pa.Table | None = None
    """All that the rows of a fresh step were, where the source knows that itself."""


class TableSource(Protocol):
    """Where a table comes from."""

    reading: Callable[[int], None]
    """Called with the bytes that were read since the last call, as near as can be told."""

    def measure(self, since: Mapping[str, Any]) -> int:
        """The bytes that are to be read; 0 where that is not known."""

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """What comes after `since`, which is empty at first; None where nothing does."""


@dataclass
class Loader:
    """Brings a table up to what its source has."""

    writer: TableWriter
    source: TableSource
    progress: Progress
    keep: Callable[[int, Sequence[Mapping[str, Any]]], object] | None = None
    """Writes records that could not be used, with the number of the version that goes without them. It is called before
    that is there: what is read is never read again, so a crash in between must not lose them."""
    until: Callable[[int], int | None] = lambda looked: looked
    """Up to when all is known, by when the source was looked at, where everything was read."""
    left: Event = field(default_factory=Event)
    """Set when nobody waits for it any more: what its source says after that is not written."""
    _told: Counter[str] = field(default_factory=Counter, init=False)
    """The letters of the last load that was one step."""

    def __post_init__(self) -> None:
        self.source.reading = self._reading

    def _reading(self, size: int) -> None:
        about = self.progress
        about.step_bytes += size
        more = not about.total_bytes or about.done_bytes + about.step_bytes < about.total_bytes
        about.asked = time.monotonic() if more else None  # from then on it is we who take time

    def _asked(self, ask: Callable[[Mapping[str, Any]], T], since: Mapping[str, Any]) -> T:
        """What the source says; how long it takes can be seen from outside."""
        self.progress.asked = time.monotonic()
        try:
            answer = ask(since)
        finally:
            self.progress.asked = None
        if self.left.is_set():
            message = "the table is no longer waited for"
            raise VeloError(message, hint="what its source says is read at the next start", code="table-not-ready")
        return answer

    def load(self, mode: str) -> Version:
        """Loads what is there, or what is new; the newest version in the end."""
        base = self.writer.newest()
        cut_off = base is not None and not base.complete
        if base is not None and mode == NONE and not cut_off:
            return base
        goes_on = base is not None and (cut_off or mode == INCREMENTAL)
        since: Mapping[str, Any] = base.about.offset if base is not None and goes_on else {}
        looked = time.time_ns() // 1000
        self.progress.total_bytes = self._asked(self.source.measure, since)
        while (step := self._asked(self.source.step, since)) is not None:
            about = About(step.last, step.offset, watermark=self._watermark(looked, step.last))
            anew = step.fresh or not goes_on
            letters = self._untold(step.letters) if anew and step.last else step.letters
            if letters and self.keep is not None:
                self.keep(self.writer.store.next_number, letters)
            change = self.writer.put if step.settled else self.writer.change
            base = self.writer.replace(step.rows, about, step.past) if anew else change(step.rows, about)
            since, goes_on = step.offset, True
            self._count(step, len(letters))
            if step.last:
                return base
        assert base is not None, "a source that has nothing gives a step without rows at first"
        if self.writer.past:  # that nothing has changed up to now is news for those who wait
            return self.writer.unchanged(base, self._watermark(looked, last=True))
        return base

    def _watermark(self, looked: int, last: bool) -> int | None:
        """Where all was read, whatever a row was before that look is known."""
        return self.until(looked) if last and self.writer.past else None

    def _untold(self, letters: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Of the letters of a whole load those that the one before has not told: it read the same records."""
        found = [json.dumps(one, sort_keys=True, default=str) for one in letters]
        fresh = Counter(found) - self._told
        self._told = Counter(found)
        kept = []
        for one, text in zip(letters, found, strict=True):
            if fresh[text]:
                fresh[text] -= 1
                kept.append(one)
        return kept

    def _count(self, step: Step, letters: int) -> None:
        self.progress.read += step.rows.num_rows + len(step.letters)
        self.progress.dead_lettered += letters
        self.progress.done_bytes += step.size
        self.progress.step_bytes = 0
