"""How far files that grow can be read: up to the end of their last whole line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from velostream.errors import VeloError
from velostream.sources.streams.decoding import FileForm, text_records
from velostream.sources.streams.manifest import Taken
from velostream.sources.streams.missing import vanished
from velostream.sources.streams.opening import BLOCK


def grown(
    files: Sequence[Taken], read: Mapping[str, tuple[int, int]], form: FileForm, ends: Mapping[int, int]
) -> dict[str, list[int]]:
    """For each file by its number: the bytes to read up to, and how many records there are until then.

    `read` says the same of what is read already. `ends` are the sizes at which a bounded run stops: there a last line
    without an end is a record too.
    """
    found: dict[str, list[int]] = {}
    for number, one in enumerate(files):
        start, records = read.get(str(number), (0, 0))
        last = number in ends
        size = ends[number] if last else _size(one, start)
        if size < start:
            message = f"'{one.path}' has become shorter than what was read of it"
            raise VeloError(message, hint="give new data a new name", code="source-unreadable")
        end = size if last or size == start else _last_line(one.path, start, size)
        if end > start:
            records += sum(1 for _ in text_records(one.path, form, start, end))
        found[str(number)] = [end, records]
    return found


def whole_lines(path: str, start: int) -> int:
    """The place behind the last whole line of a file; `start` where there is none behind that, or no file."""
    try:
        return _last_line(path, start, Path(path).stat().st_size)
    except FileNotFoundError:
        return start


def _size(one: Taken, read: int) -> int:
    """The size of a file; one that is gone has nothing more to read, as far as anybody knows that it had more."""
    try:
        return Path(one.path).stat().st_size
    except FileNotFoundError:
        if read < one.size:
            raise vanished(one.path) from None
        return read


def _last_line(path: str, start: int, size: int) -> int:
    """The place behind the last newline from `start` to `size`; `start` where there is none."""
    with Path(path).open("rb") as file:
        end = size
        while end > start:
            begin = max(start, end - BLOCK)
            file.seek(begin)
            found = file.read(end - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            end = begin
    return start
