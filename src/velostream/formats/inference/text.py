"""The text of sample files: the beginning up to a limit, decompressed, without the line that the limit cuts."""

from __future__ import annotations

import codecs
import lzma
from pathlib import Path

from velostream.errors import InvalidSchema
from velostream.formats.openers import OPENERS, plain

RECORDS = 1_000
BYTES = 1024 * 1024


def head(path: Path, limit: int = BYTES) -> tuple[str, bool]:
    """The first `limit` bytes of a file as text, and whether that is all of it."""
    opener = OPENERS.get(path.suffix.casefold(), plain)
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
