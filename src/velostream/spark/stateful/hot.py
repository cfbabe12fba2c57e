"""The hot tier: decoded state in shared memory, for whichever worker of the host has the bucket next.

Nothing depends on it. A file may be gone, or be broken, at any time: then the state store answers.
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.spark.stateful import hot_folders
from velostream.windows.store import CacheCounts

if TYPE_CHECKING:
    import polars as pl

SPARE = 10
"""One part in so many of the folder's file system stays free."""
_REMEMBERED = 10_000
_sound: dict[tuple[str, int, int], None] = {}
"""Files whose contents this worker has written or checked, by path, inode and time of change."""


@dataclass(frozen=True, slots=True)
class HotSettings:
    """`state.hot.*` for one stateful node of a job: `most` bytes over all of its buckets, kept for `ttl` seconds."""

    place: str
    most: int
    ttl: float
    buckets: int
    base: str = ""
    """The folder of all jobs; by default the host's shared memory."""

    def bucket(self, query: str, bucket: int) -> Hot | None:
        """The tier of one bucket of a running query; None where there is no folder for it."""
        folder = hot_folders.claimed(Path(self.base) if self.base else hot_folders.shared_memory(), query, self.ttl)
        return None if folder is None else Hot(folder / self.place / str(bucket), self.most // self.buckets, self.ttl)


@dataclass(slots=True)
class _File:
    """A kept frame: its file's name has the checksum and the size, so that one look at the folder tells all."""

    entry: str
    checksum: int
    size: int
    used: float


class Hot:
    """The frames of one bucket, as Arrow streams in files that are never changed once they have their name.

    A new frame pushes out those that were not used for longest; one that was only read again takes free room, or none:
    state larger than the tier is kept in part, instead of being moved through it in every micro-batch.
    """

    def __init__(self, folder: Path, most: int, ttl: float) -> None:
        self.folder = folder
        self.most = most
        self.counts = CacheCounts()
        self.files: dict[str, _File] = {}
        self._look(time.time() - ttl)

    def get(self, name: str) -> pl.DataFrame | None:
        """The frame, if it is there and sound."""
        file = self.files.get(_plain(name))
        frame = None if file is None else self._read(file)
        if frame is None:
            self.counts.misses += 1
            self.delete(name)
        else:
            self.counts.hits += 1
        return frame

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Keep a new frame."""
        self._keep(_plain(name), frame, push=True)

    def welcome(self, name: str, frame: pl.DataFrame) -> None:
        """Keep a frame that was missed, if there is room."""
        self._keep(_plain(name), frame, push=False)

    def delete(self, name: str) -> None:
        """Forget a frame."""
        file = self.files.pop(_plain(name), None)
        if file is not None:
            self._remove(file)

    def _look(self, oldest: float) -> None:
        """What is there; what was not used since `oldest` goes."""
        try:
            with os.scandir(self.folder) as entries:
                found = [(entry.name, entry.stat().st_atime) for entry in entries]
        except OSError:
            return
        for entry, used in found:
            label, _, rest = entry.rpartition("!")
            checksum, _, size = rest.partition("-")
            if not label or not size.isdecimal():
                self._forget(entry)
                continue
            file = _File(entry, int(checksum, 16), int(size), used)
            self.counts.bytes += file.size
            if used < oldest:
                self._evict(file)
            else:
                self.files[label] = file

    def _read(self, file: _File) -> pl.DataFrame | None:
        import polars as pl

        path = self.folder / file.entry
        try:
            with path.open("rb", buffering=0) as opened:
                held = os.fstat(opened.fileno())
                known = (str(path), held.st_ino, held.st_mtime_ns)
                if held.st_size != file.size or (known not in _sound and _checksum(opened) != file.checksum):
                    return None
                opened.seek(0)
                frame = pl.read_ipc_stream(opened)
            _remember(known)
            file.used = time.time()
            os.utime(path, ns=(time.time_ns(), held.st_mtime_ns))
        except (OSError, pl.exceptions.PolarsError):
            return None
        return frame

    def _keep(self, label: str, frame: pl.DataFrame, *, push: bool) -> None:
        stream = frame.write_ipc_stream(None)
        content = stream.getbuffer()
        size = len(content)
        unfinished = self.folder / f"{os.getpid()}.unfinished"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self._room(size, push=push):
                return
            checksum = zlib.crc32(content)
            file = _File(f"{label}!{checksum:08x}-{size}", checksum, size, time.time())
            with unfinished.open("wb", buffering=0) as opened:
                opened.write(content)
                held = os.fstat(opened.fileno())
            if held.st_size < size:
                unfinished.unlink()
                return
            path = unfinished.rename(self.folder / file.entry)
        except OSError:
            return
        _remember((str(path), held.st_ino, held.st_mtime_ns))
        self.files[label] = file
        self.counts.bytes += size

    def _room(self, size: int, *, push: bool) -> bool:
        """Whether a frame of this size fits, if need be after others have gone."""
        if size > self.most or not self._free(size):
            return False
        if self.counts.bytes + size <= self.most:
            return True
        if not push:
            return False
        for label in sorted(self.files, key=lambda each: self.files[each].used):
            self._evict(self.files.pop(label))
            if self.counts.bytes + size <= self.most:
                return True
        return False

    def _free(self, size: int) -> bool:
        there = os.statvfs(self.folder)
        return there.f_bavail * there.f_frsize - size >= there.f_blocks * there.f_frsize // SPARE

    def _evict(self, file: _File) -> None:
        self.counts.evictions += 1
        self._remove(file)

    def _remove(self, file: _File) -> None:
        self.counts.bytes -= file.size
        self._forget(file.entry)

    def _forget(self, entry: str) -> None:
        with suppress(OSError):
            (self.folder / entry).unlink()


def _checksum(opened: FileIO) -> int:
    return zlib.crc32(opened.readall())


def _plain(name: str) -> str:
    return name.replace("/", "+")


def _remember(known: tuple[str, int, int]) -> None:
    if len(_sound) >= _REMEMBERED:
        _sound.clear()
    _sound[known] = None
