"""The text of sample files: the beginning up to a limit, decompressed, without the line that the limit cuts."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import InvalidSchema

if TYPE_CHECKING:
    import pyarrow as pa
else:
    from velostream.lazy import lazy

    pa = lazy("pyarrow")

RECORDS = 1_000
BYTES = 1024 * 1024


def _plain(path: Path) -> Any:
    return path.open("rb")


def _zstd(path: Path) -> Any:
    return pa.input_stream(str(path), compression="zstd")


_OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _zstd,
}


def head(path: Path, limit: int = BYTES) -> tuple[str, bool]:
    """The first `limit` bytes of a file as text, and whether that is all of it."""
    opener = _OPENERS.get(path.suffix.casefold(), _plain)
    try:
        with opener(path) as file:
            data = file.read(limit + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise InvalidSchema(f"'{path.name}' cannot be read: {error}") from None
    complete = len(data) <= limit
    data = data[:limit]
    if not complete:
        data = data[: data.rfind(b"\n") + 1] or data
    try:
        # The limit may cut a character in half, which is not an error.
        return codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=complete), complete
    except UnicodeDecodeError as error:
        raise InvalidSchema(f"'{path.name}' is not UTF-8 text: {error.reason} at byte {error.start}") from None
