"""Bytes of a file, decompressed by the ending of its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from velostream.formats.openers import OPENERS, plain
from velostream.stores import is_remote, opened

BLOCK = 8 * 1024 * 1024
_BY_ARROW = {".zst": "zstd", ".lz4": "lz4"}


def is_compressed(path: str) -> bool:
    """True where the ending of the name says so."""
    return Path(path).suffix.casefold() in OPENERS


def _object(path: str) -> Any:
    """The bytes of an object of a store."""
    import pyarrow as pa

    ending, found = Path(path).suffix.casefold(), opened(path)
    if ending in _BY_ARROW:
        return pa.CompressedInputStream(found, _BY_ARROW[ending])
    opener: Any = OPENERS.get(ending)
    return found if opener is None else opener(fileobj=found) if ending == ".gz" else opener(found)


def open_bytes(path: str) -> IO[bytes]:
    """The bytes of a file."""
    if is_remote(path):
        return cast("IO[bytes]", _object(path))
    opener = OPENERS.get(Path(path).suffix.casefold(), plain)
    return cast("IO[bytes]", opener(Path(path)))


def blocks(path: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """The bytes of a file from `start` up to `end` in pieces of whole lines; the last one may end without a newline."""
    with open_bytes(path) as file:
        if start:
            file.seek(start)
        left = None if end is None else end - start
        held: list[bytes] = []
        while left is None or left > 0:
            data = file.read(BLOCK if left is None else min(BLOCK, left))
            if not data:
                break
            left = None if left is None else left - len(data)
            cut = data.rfind(b"\n") + 1
            if not cut:
                held.append(data)
                continue
            yield b"".join((*held, data[:cut]))
            held = [data[cut:]] if cut < len(data) else []
        if held:
            yield b"".join(held)
