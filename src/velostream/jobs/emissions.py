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
from typing import TYPE_CHECKING, Any

from velostream.events import LOGGER
from velostream.plan.nodes import Aggregate

if TYPE_CHECKING:
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

    def take(self, payloads: Sequence[bytes], number: int) -> None:
        """Adds the rows that a micro-batch wrote."""
        from velostream.spark.stateful.payload import unpack

        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines: list[str] = []
        for payload in payloads:
            frame = unpack(payload)
            if len(lines) >= MOST or any(name not in frame.columns for name in _WINDOW):
                break
            names = [f"{_KEY}{place}" for place in range(len(self.keys))]
            for row in frame.select(*names, *_WINDOW).head(MOST - len(lines)).iter_rows():
                lines.append(json.dumps([number, at, *row], default=str, ensure_ascii=False))
        if not lines:
            return
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
