"""Files that appear whole and once: written aside under the name of their batch, then renamed into place.

A driver that dies before the renaming leaves only what `.staging` holds, which the next start removes; one that dies
after it writes the batch again, over the files of the same names.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

STAGING = ".staging"
_AT_ONCE = 8
ABANDONED = 86_400.0
"""Seconds after which what another query left is nobody's any more."""
_swept: set[tuple[str, str, str]] = set()
"""The folders that were swept for a sink of a query in this process."""
_published: dict[tuple[str, str], int] = {}
"""The last micro-batch that ever came into a folder, by what owns its files."""


def beginning(sink: str) -> str:
    """How the names of a sink's files begin, whatever query writes them."""
    return f"part-{_plain(sink)}-"


def _plain(sink: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", sink)


@dataclass(frozen=True)
class Place:
    """Where the files of one micro-batch of one sink go."""

    folder: Path
    sink: str
    query: str
    number: int

    @property
    def owner(self) -> str:
        """The sink of a query, as file names have it."""
        return f"{_plain(self.sink)}-{self.query[:8]}"

    @property
    def prefix(self) -> str:
        """How the names of the batch's files begin; they sort by batch."""
        return f"part-{self.owner}-{self.number:09d}-"

    @property
    def staging(self) -> Path:
        """The folder in which they are written; not made yet."""
        return self.folder / STAGING / f"{self.owner}-{self.number:09d}"

    def sweep(self) -> None:
        """At a start: removes what an earlier process of this sink left unfinished, and what nobody came back for."""
        once = (str(self.folder.absolute()), self.owner, self.query)
        if once in _swept:
            return
        _swept.add(once)
        for left in (self.folder / STAGING).glob("*"):
            if left.name.startswith(f"{self.owner}-") or time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)

    def publish(self, files: list[Path], ending: str) -> list[Path]:
        """Renames the files into place, removes what an earlier try of the batch left, and the staging folder."""
        targets = [self.folder / f"{self.prefix}{index:05d}.{ending}" for index in range(len(files))]
        if self._may_be_again():
            for old in set(self.folder.glob(f"{self.prefix}*")) - set(targets):
                old.unlink()
        for file, target in zip(files, targets, strict=True):
            file.replace(target)
        if files:
            synced(self.folder)
        self.clear()
        return targets

    def _may_be_again(self) -> bool:
        """True where the folder may have files of the batch: of a try before, or of a checkpoint that was put back. It
        is looked through once, and then only for batches up to the last one that was ever there."""
        owner = (str(self.folder.absolute()), self.owner)
        begin = f"part-{self.owner}-"
        if owner not in _published:
            found = (file.name[len(begin) :].partition("-")[0] for file in self.folder.glob(f"{begin}*"))
            _published[owner] = max((int(number) for number in found if number.isdecimal()), default=-1)
        last = _published[owner]
        _published[owner] = max(last, self.number)
        return self.number <= last

    def clear(self) -> None:
        """Removes the folder in which files were written."""
        shutil.rmtree(self.staging, ignore_errors=True)
        with suppress(OSError):  # other batches and sinks may be at work there
            self.staging.parent.rmdir()

    def at(self, number: int) -> Place:
        """The place of another micro-batch."""
        return replace(self, number=number)


def synced(path: Path) -> Path:
    """The file, or the names in the folder, on the disk for good."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
    return path


def all_synced(files: list[Path]) -> list[Path]:
    """The same for several files, side by side: a disk takes hardly longer for many than for one."""
    if len(files) < 2:
        return [synced(file) for file in files]
    with ThreadPoolExecutor(min(len(files), _AT_ONCE)) as pool:
        return list(pool.map(synced, files))
