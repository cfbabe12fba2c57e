"""Objects as a stream, in the order in which a queue told of them; those that were there before come first, by name."""

from __future__ import annotations

import json
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.sources.file import found_at
from velostream.sources.streams.files import FileOptions, FileStream, FileStreamReader
from velostream.sources.streams.manifest import Taken, look
from velostream.sources.streams.told import Heard, Told, failed_of, heard_of
from velostream.stores import about, fits

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class ToldReader(FileStreamReader):
    """Reads objects that a queue told of."""

    @cached_property
    def heard(self) -> Heard | None:
        """How far what was told is read; None before the first look."""
        return Heard.read(heard_of(self.manifest.file))

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """As files say; where nothing more is told, it says why."""
        failed = failed_of(self.manifest.file)
        if failed.exists():
            said = json.loads(failed.read_text())
            raise VeloError(said["message"], hint=said["hint"], code=said["code"])
        return super().latestOffset(start, limit)

    def _look(self, done: int) -> None:
        """Takes note of what was told since the last look, and first of all of what is there."""
        if self.until is not None or time.monotonic() - self.looked < self.options.interval:
            return
        self.looked = time.monotonic()
        self._reach()
        heard = self.heard
        if heard is None:
            heard = Heard()
            if self.options.existing or self.manifest.taken:
                self.manifest.take(sorted(found_at(self.options.path, Path())))
        paths, place = Told(Path(self.options.told)).since(heard.place)
        if not paths and self.heard is not None:
            return
        # What is taken is on disk before the place is: after a crash between them it is known, and not taken again.
        heard = heard.more(place, self._heard(paths, done))
        heard.save(heard_of(self.manifest.file))
        self.heard = heard

    def _heard(self, paths: list[str], done: int) -> dict[str, list[str]]:
        """What becomes of objects that were told."""
        found: dict[str, list[str]] = {"taken": [], "repeated": [], "elsewhere": [], "gone": []}
        new: dict[str, Taken] = {}
        for path in paths:
            if not fits(self.options.path, path):
                found["elsewhere"].append(path)
                continue
            try:
                if path in self.manifest.numbers or path in new:
                    self._refuse_changed({path: about(path)}, done)
                    found["repeated"].append(path)
                else:
                    new[path] = look(path)
                    found["taken"].append(path)
            except FileNotFoundError:
                kind = "repeated" if path in self.manifest.numbers else "gone"
                found[kind].append(path)
        self.manifest.add(list(new.values()))
        return found


class ToldStream(FileStream):
    """`velo_told`: option `files`, FileOptions as JSON."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_told"

    def streamReader(self, schema: StructType) -> ToldReader:  # noqa: N802
        """The reader."""
        return ToldReader(FileOptions.read(self.options["files"]), schema)
