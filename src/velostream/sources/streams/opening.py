"""Bytes of a file, decompressed by the ending of its name."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

BLOCK = 8 * 1024 * 1024


def _zstd(path: Path) -> Any:
    import pyarrow as pa

    return pa.input_stream(str(path), compression="zstd")


_OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _zstd,
}
COMPRESSED = tuple(_OPENERS)


def is_compressed(path: str) -> bool:
    """True where the ending of the name says so."""
    return Path(path).suffix.casefold() in _OPENERS


def open_bytes(path: str) -> IO[bytes]:
    """The bytes of a file."""
    opener = _OPENERS.get(Path(path).suffix.casefold())
    return cast("IO[bytes]", opener(Path(path)) if opener is not None else Path(path).open("rb"))


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
