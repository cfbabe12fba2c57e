"""Files of a micro-batch as objects of a store: named by sink, query and batch, each there as a whole or not at all.

Written again, a batch writes the same names; what an earlier try left beyond them goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.stores import PREFIX, objects, put, remove

if TYPE_CHECKING:
    from velostream.sinks.writers.staging import Place


def publish_objects(folder: str, place: Place, files: Sequence[Path], ending: str) -> list[str]:
    """Puts files of the disk into a store; their names."""
    folder = folder.rstrip("/")
    targets = [f"{folder}/{place.prefix}{index:05d}.{ending}" for index in range(len(files))]
    for file, target in zip(files, targets, strict=True):
        put(target, file.read_bytes())
    for old in set(objects(f"{folder}/{place.prefix}*")) - set(targets):
        remove(old)
    return targets


def is_store(path: str) -> bool:
    """True where a sink writes to a store."""
    return path.startswith(PREFIX)
