"""Which files a source has taken, in which order: a file of its own in the checkpoint, written before Spark's offsets.

The place of a file in it is its number, whatever other files appear later, so a re-run of a batch reads the same ones.
Files that are gone for good may be let go: a line at the beginning says how many they were.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import overload

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.stores import about, is_remote

_EDGE = 64 * 1024
_GONE = "gone"
"""In the first line: how many files were let go."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A file as it was when it was taken: `modified` is nanoseconds, `mark` a digest of its beginning and its end."""

    path: str
    size: int
    modified: int
    mark: str


def look(path: str) -> Taken:
    """A file as it is now; an object is known by its size and time."""
    if is_remote(path):
        size, modified = about(path)
        return Taken(path, size, modified, str(modified))
    try:
        state = Path(path).stat()
        with Path(path).open("rb") as file:
            digest = blake2b(file.read(_EDGE), digest_size=16)
            file.seek(max(0, state.st_size - _EDGE))
            digest.update(file.read(_EDGE))
    except OSError as error:
        message = f"'{path}' cannot be read: {error.strerror}"
        raise VeloError(message, hint="see to its rights, or take it away", code="source-unreadable") from None
    return Taken(path, state.st_size, state.st_mtime_ns, digest.hexdigest())


def _state(path: str) -> tuple[int, int]:
    state = Path(path).stat()
    return state.st_size, state.st_mtime_ns


@dataclass
class Numbered(Sequence[Taken]):
    """Files by their numbers, of which the first ones may be gone: those are in no slice, and nobody comes by them."""

    first: int = 0
    held: list[Taken] = field(default_factory=list)

    def __len__(self) -> int:
        return self.first + len(self.held)

    def __iter__(self) -> Iterator[Taken]:
        return iter(self.held)

    @overload
    def __getitem__(self, number: int) -> Taken: ...
    @overload
    def __getitem__(self, number: slice) -> list[Taken]: ...
    def __getitem__(self, number: int | slice) -> Taken | list[Taken]:
        if isinstance(number, slice):
            start, stop, step = number.indices(len(self))
            return self.held[max(start - self.first, 0) : max(stop - self.first, 0) : step]
        if not self.first <= number < len(self):
            raise IndexError(number)
        return self.held[number - self.first]


class Manifest:
    """The files taken so far."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.taken = Numbered()
        self.numbers: dict[str, int] = {}
        self.size = 0
        """How many bytes of the file are whole lines."""
        if file.exists():
            # A line without an end was being written when the process died: nothing can refer to it.
            data = file.read_bytes()
            self.size = data.rfind(b"\n") + 1
            for line in data[: self.size].splitlines():
                told = json.loads(line)
                if _GONE in told:
                    self.taken.first = told[_GONE]
                else:
                    self._add(Taken(**told))

    def take(self, paths: Iterable[str]) -> None:
        """Files that are new, in order of name."""
        self.add([look(path) for path in sorted(paths) if path not in self.numbers])

    def add(self, new: Sequence[Taken]) -> None:
        """Files that are new, in this order."""
        if not new:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(asdict(one)) + "\n" for one in new).encode()
        with self.file.open("r+b" if self.file.exists() else "xb") as file:
            file.truncate(self.size)
            file.seek(self.size)
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        self.size += len(lines)
        for one in new:
            self._add(one)

    def let_go(self, upto: int) -> None:
        """Forgets files whose numbers are below `upto`; they must be gone for good, or they would be taken anew."""
        gone = self.taken[:upto]
        for one in gone:
            del self.numbers[one.path]
        self.taken = Numbered(self.taken.first + len(gone), self.taken[upto:])

    def save(self) -> None:
        """Writes anew what was not let go."""
        lines = [{_GONE: self.taken.first}, *map(asdict, self.taken.held)]
        text = "".join(json.dumps(one) + "\n" for one in lines)
        replace_text(self.file, text)
        self.size = len(text.encode())

    def changed(self, found: Mapping[str, tuple[int, int] | None], below: int) -> str | None:
        """A file with a number under `below` that is not what it was; None where all are. Of objects it is known what
        they are now; a file that has just gone was read, and is none."""
        for path, state in found.items():
            number = self.numbers.get(path)
            if number is None or number >= below:
                continue
            before = self.taken[number]
            with suppress(FileNotFoundError):
                size, modified = state or _state(path)
                same = (size, modified) == (before.size, before.modified)
                if not same and (state is not None or size != before.size or look(path).mark != before.mark):
                    return path
        return None

    def _add(self, one: Taken) -> None:
        self.numbers[one.path] = len(self.taken)
        self.taken.held.append(one)
