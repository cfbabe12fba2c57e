"""What was written of each window of late: early, final and late rows with their revisions, for people who look.

A log beside the checkpoint, of the newest rows only: results are never read from it. A micro-batch that runs again
writes its lines again, and readers take each once. Of a micro-batch with very many rows the first are kept.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from velostream.events import LOGGER
from velostream.plan.nodes import Aggregate
from velostream.sinks.writers import Refusal
from velostream.sinks.writers.batch import LEFT, PLACE
from velostream.spark.lower.context import column
from velostream.spark.stateful.layout import OF_WINDOW, ORIGIN

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from velostream.jobs.home import Home
    from velostream.plan.job import Job

FOLDER = "emissions"
FULL = 2 << 20
"""A file of the log is left for a new one when it has so many bytes; the one before it stays, older ones go."""
MOST = 1_000
"""Rows of one micro-batch that are kept."""
_KEY = "k"
_WINDOW = ("_window_start", "_window_end", "_emission", "_revision")


@dataclass
class Emissions:
    """The log of one job."""

    folder: Path
    keys: tuple[str, ...]
    """The fields that rows are grouped by, in order."""
    _current: Path | None = field(default=None, init=False)

    columns: ClassVar[tuple[str, ...]] = (OF_WINDOW, ORIGIN[1])
    """What is asked of rows that something may have become of since windows said them."""

    def take(self, payloads: Sequence[bytes], number: int, lost: Sequence[Refusal] = ()) -> None:
        """Adds the rows of a micro-batch that were written as they were said, save those that no sink took."""
        from velostream.spark.stateful.payload import unpack

        gone = {one.place for one in lost}
        names = [f"{_KEY}{place}" for place in range(len(self.keys))]
        rows: list[tuple[Any, ...]] = []
        first = 0
        for payload in payloads:
            frame = unpack(payload)
            if len(rows) >= MOST or any(name not in frame.columns for name in _WINDOW):
                break
            some = frame.select(*names, *_WINDOW).head(MOST - len(rows) + len(gone)).iter_rows()
            rows += [row for place, row in enumerate(some, first) if place not in gone]
            first += frame.height
        self._add(rows[:MOST], number)

    def first(self, rows: DataFrame) -> pa.Table:
        """As many rows as are kept, of those that workers write."""
        known = [column(name) for name in self.columns if name in rows.columns]
        return rows.select(*known, column(LEFT), column(PLACE)).limit(MOST).toArrow()

    def take_rows(self, written: pa.Table, number: int, lost: Sequence[Refusal] = ()) -> None:
        """Adds rows that were written, save those that no sink took."""
        if OF_WINDOW not in written.column_names:
            return
        gone = {one.place for one in lost}
        asked = written.select([OF_WINDOW, LEFT, ORIGIN[1], PLACE]).slice(0, MOST + len(gone)).to_pylist()
        rows = [
            (*window.values(), left, revision)
            for window, left, revision, place in (each.values() for each in asked)
            if place not in gone
        ]
        self._add(rows[:MOST], number)

    def _add(self, rows: Sequence[tuple[Any, ...]], number: int) -> None:
        if not rows:
            return
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines = [json.dumps([number, at, *row], default=str, ensure_ascii=False) for row in rows]
        try:
            with self._file().open("a") as log:
                log.write("\n".join(lines) + "\n")
        except OSError as error:
            logging.getLogger(LOGGER).warning(
                "what micro-batch %d wrote of windows is not remembered: %s", number, error
            )

    def _file(self) -> Path:
        """The newest file, or a new one where it is full."""
        if self._current is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._current = max(self.folder.glob("*.jsonl"), default=self.folder / "000000001.jsonl")
        if self._current.exists() and self._current.stat().st_size >= FULL:
            for old in sorted(self.folder.glob("*.jsonl"))[:-1]:
                old.unlink()
            self._current = self.folder / f"{int(self._current.stem) + 1:09d}.jsonl"
        return self._current


def emissions_of(job: Job, home: Home) -> Emissions | None:
    """The log of a job whose rows come from windows; None for any other."""
    node = _windowed(job)
    return None if node is None else Emissions(home.folder / FOLDER, tuple(key.name for key in node.keys))


def _windowed(job: Job) -> Aggregate | None:
    """The stateful node whose rows the job writes, where that has windows."""
    node = next((node for node in job.root.walk() if node.keeps_state), None)
    return node if isinstance(node, Aggregate) and node.window is not None else None


@dataclass(frozen=True)
class Window:
    """A window of a key, with all that was written of it; times are microseconds."""

    key: tuple[Any, ...]
    start: int | None
    end: int | None
    emissions: tuple[tuple[str, int | None, str, int], ...]
    """Of each row: why, revision, when, and the number of its micro-batch."""

    @property
    def text(self) -> str:
        """The key as people write it: its parts joined with `|`."""
        return "|".join("NULL" if part is None else str(part) for part in self.key)


def windows(folder: Path, key: str = "") -> list[Window]:
    """The windows of a log, newest end first; with a key only those of it (one part of it, or all joined with `|`)."""
    found: dict[tuple[Any, ...], dict[tuple[str, int | None, int], str]] = {}
    for number, at, *row in _lines(folder):
        *parts, start, end, emission, revision = row
        held = found.setdefault((*map(_plain, parts), start, end), {})
        held.setdefault((emission, revision, number), at)
    all_of = [
        Window(where[:-2], where[-2], where[-1], tuple((e, r, at, n) for (e, r, n), at in held.items()))
        for where, held in found.items()
    ]
    wanted = [one for one in all_of if not key or _is_of(one, key)]
    return sorted(wanted, key=lambda one: (one.end or 0, one.emissions[-1][2], one.text), reverse=True)


def _is_of(window: Window, key: str) -> bool:
    folded = key.casefold()
    return folded in (window.text.casefold(), *(str(part).casefold() for part in window.key))


def _plain(part: Any) -> Any:
    return json.dumps(part, ensure_ascii=False) if isinstance(part, dict | list) else part


def _lines(folder: Path) -> Iterator[list[Any]]:
    """All lines, oldest first; one that a crash has cut is passed over."""
    for file in sorted(folder.glob("*.jsonl")):
        try:
            text = file.read_text()
        except FileNotFoundError:  # it was left for a newer one at this moment
            continue
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue
