"""Rows of several micro-batches in one file: kept aside on the disk until the first of them is old, or all are large.

In `.rotating/OWNER` of the folder every micro-batch has a folder of pieces, which appears in one step, and a note says
up to which micro-batch pieces have become files. The note is written before the files appear, so that whoever comes
after a crash finishes what was begun, and a micro-batch that is written again after its rows have appeared is known.
"""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock, Timer
from typing import Any

from velostream.errors import VeloError
from velostream.events import LOGGER
from velostream.files import replace_text
from velostream.sinks.writers.encoding import Encoding
from velostream.sinks.writers.staging import ABANDONED, Place, synced

ASIDE, NOTE = ".rotating", "appeared.json"
AGAIN = 10.0
"""Seconds after which files that could not be written, as where the disk is full, are tried again."""
_log = logging.getLogger(LOGGER)
_open: dict[tuple[str, str], Rotation] = {}
"""By query and sink."""
_opening = RLock()


@dataclass
class Rotation:
    """What is kept aside for one sink of a query; used by the thread that writes and by a timer."""

    place: Place
    encoding: Encoding
    limit: int
    interval: float
    """Seconds that rows may be kept aside."""
    lock: RLock = field(default_factory=RLock)
    timer: Timer | None = None

    @property
    def aside(self) -> Path:
        """Where pieces are."""
        return self.place.folder / ASIDE / self.place.owner

    def take(self, number: int, files: Sequence[Path]) -> None:
        """Keeps the files of a micro-batch; then all that is due appears."""
        with self.lock:
            self._finish()
            if files and number > self._noted()["last"]:
                new, folder = self.aside / ".new", self.aside / f"{number:09d}"
                for old in (new, folder):
                    shutil.rmtree(old, ignore_errors=True)
                new.mkdir(parents=True)
                for index, file in enumerate(files):
                    synced(file).replace(new / f"{index:05d}")
                synced(new).replace(folder)
                synced(self.aside)
            self.look()

    def look(self) -> None:
        """Lets what is due appear, and looks again when the rest is."""
        with self.lock:
            self.close()
            due = self._due()
            if due is not None and due <= 0:
                self.appear()
            elif due is not None:
                self._wake(due)

    def appear(self) -> None:
        """Makes files of all that is kept aside."""
        with self.lock:
            self._finish()
            held = self._held()
            if not held:
                return
            last = int(held[-1].name)
            for left in self.aside.glob(".made-*"):  # of a try that failed
                left.unlink()
            moved = []
            for index, group in enumerate(self._groups(held)):
                # by its last micro-batch: the note still names those of before, which must not be taken for these
                made = self.aside / f".made-{last:09d}-{index:05d}"
                self.encoding.join(group, made)
                synced(made)
                moved.append((made.name, f"{self.place.at(last).prefix}{index:05d}.{self.encoding.ending}"))
            replace_text(self.aside / NOTE, json.dumps({"last": last, "files": moved}))
            self._finish()

    def adopt(self) -> None:
        """Lets appear what queries before this one kept aside for the sink, and never came back for."""
        for left in (self.place.folder / ASIDE).glob(replace(self.place, query="*").owner):
            query = left.name.rpartition("-")[2]
            if left != self.aside and time.time() - left.stat().st_mtime > ABANDONED:
                replace(self, place=replace(self.place, query=query)).appear()

    def close(self) -> None:
        """Looks no more by itself."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _wake(self, seconds: float) -> None:
        self.timer = Timer(seconds, self.look_later)
        self.timer.daemon = True
        self.timer.start()

    def look_later(self) -> None:
        """Looks beside everything else: what cannot be written now is tried again."""
        try:
            self.look()
        except OSError as error:
            _log.warning("files of sink '%s' cannot be written now: %s", self.place.sink, error)
            self._wake(AGAIN)

    def _noted(self) -> dict[str, Any]:
        file = self.aside / NOTE
        return dict(json.loads(file.read_text())) if file.exists() else {"last": -1, "files": []}

    def _finish(self) -> None:
        """Renames what the note says into place, and removes the pieces that it is made of."""
        noted = self._noted()
        for name, target in noted["files"]:
            with suppress(FileNotFoundError):  # it is there already
                (self.aside / name).replace(self.place.folder / target)
        if noted["files"]:
            synced(self.place.folder)
        for folder in self._held():
            if int(folder.name) <= noted["last"]:
                shutil.rmtree(folder)

    def _held(self) -> list[Path]:
        """The folders of micro-batches, oldest first."""
        if not self.aside.exists():
            return []
        return sorted(folder for folder in self.aside.iterdir() if folder.name.isdecimal())

    def _due(self) -> float | None:
        """In how many seconds what is kept aside is to appear; None where there is nothing."""
        held = self._held()
        if not held:
            return None
        size = sum(file.stat().st_size for folder in held for file in folder.iterdir())
        return 0.0 if size >= self.limit else held[0].stat().st_mtime + self.interval - time.time()

    def _groups(self, held: Sequence[Path]) -> Iterator[list[Path]]:
        """Pieces that make a file: of one form, and together near the limit."""
        group: list[Path] = []
        size, kind = 0, ""
        for piece in (piece for folder in held for piece in sorted(folder.iterdir())):
            form, more = self.encoding.kind(piece), piece.stat().st_size
            if group and (form != kind or size + more > self.limit):
                yield group
                group, size = [], 0
            group.append(piece)
            size, kind = size + more, form
        if group:
            yield group


def rotation_of(place: Place, encoding: Encoding, limit: int, interval: float | None) -> Rotation | None:
    """How a sink rotates; None where every micro-batch has files of its own, and nothing is left of another way."""
    key = (place.query, place.sink)
    with _opening:
        if key not in _open:
            made = Rotation(place, encoding, limit, interval or 0.0)
            made.adopt()
            if interval is None and not made.aside.exists():
                return None
            _open[key] = made
        return _open[key]


def release(query: str) -> None:
    """What is kept aside for a query appears; nothing is looked at by itself any more."""
    for key in [key for key in _open if key[0] == query]:
        rotation = _open.pop(key)
        rotation.close()
        try:
            rotation.appear()
        except OSError as error:
            message = f"the last files of sink '{rotation.place.sink}' cannot be written: {error.strerror or error}"
            hint = f"make room; their rows are kept in '{rotation.aside}', and appear at the next start"
            raise VeloError(message, hint=hint, code="file-unusable") from None
