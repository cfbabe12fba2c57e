"""The files of a cold tier: small ones of many micro-batches become one, and those beyond their retention go.

Rows may be there twice for a moment, or after a crash in between; whoever asks takes each once.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from velostream.sinks.writers.encoding import Encoding
from velostream.sinks.writers.staging import Place, synced

MANY = 200
"""From so many small files on they are joined."""
SMALL = 8 << 20
"""Bytes below which a file is small."""
ENCODING = Encoding("parquet", "zstd")
_NUMBER = re.compile(r"-(\d{9,})-\d+\.parquet$")


def forget(folder: Path, oldest: datetime) -> None:
    """Removes files whose newest row is older than that."""
    for file in folder.glob("part-*.parquet"):
        if file.stat().st_mtime < oldest.timestamp():
            file.unlink(missing_ok=True)


def join(place: Place) -> None:
    """Joins the small files of micro-batches before that of `place`, none of which can be written again."""
    found = sorted(place.folder.glob(f"part-{place.owner}-*.parquet"))
    small = [each for each in found if _number(each) < place.number and each.stat().st_size < SMALL]
    if len(small) < MANY:
        return
    kinds: dict[str, list[Path]] = {}
    for file in small:
        kinds.setdefault(ENCODING.kind(file), []).append(file)
    for files in (each for each in kinds.values() if len(each) > 1):
        newest = max(file.stat().st_mtime for file in files)
        whole = place.folder / f".{files[-1].name}.joined"
        ENCODING.join(files, whole)
        os.utime(synced(whole), (newest, newest))
        whole.replace(files[-1])
        synced(place.folder)
        for file in files[:-1]:
            file.unlink(missing_ok=True)


def _number(file: Path) -> int:
    found = _NUMBER.search(file.name)
    return int(found[1]) if found is not None else -1
