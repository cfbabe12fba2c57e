"""How files are decompressed, by the ending of their names."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
else:
    from velostream.lazy import lazy

    pa = lazy("pyarrow")


def _zstd(path: Path) -> Any:
    return pa.input_stream(str(path), compression="zstd")


def _lz4(path: Path) -> Any:
    return pa.input_stream(str(path), compression="lz4")


OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _zstd,
    ".lz4": _lz4,
}


def plain(path: Path) -> Any:
    """The bytes of a file as they are on disk."""
    return path.open("rb")
