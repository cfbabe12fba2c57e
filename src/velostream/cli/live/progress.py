"""How far a bounded run is, where the offsets of its sources tell."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def progress(last: Any, rows: int | None) -> tuple[int, int] | None:
    """What is done of how much: files, or of `rows` generated rows; `last` is Spark's newest progress of a query."""
    if last is None:
        return None
    offsets = [_offset(source) for source in (last["sources"] if isinstance(last, Mapping) else last.sources)]
    files = [offset for offset in offsets if "files" in offset and "known" in offset]
    made = [offset for offset in offsets if "arrived" in offset]
    if files and not made:
        return sum(offset["files"] for offset in files), sum(offset["known"] for offset in files)
    if made and rows and not files:
        return sum(offset["arrived"] for offset in made), rows
    return None


def _offset(source: Any) -> Mapping[str, Any]:
    """The end of what a source has given: Spark keeps it as JSON."""
    end = source["endOffset"] if isinstance(source, Mapping) else source.endOffset
    try:
        read = json.loads(end) if isinstance(end, str) else end
    except ValueError:
        return {}
    return read if isinstance(read, Mapping) else {}


def rows_of(job: Any) -> int | None:
    """How many rows the generators of a job make in all."""
    counts = [scan.settings.get("rows") for scan in job.scans if scan.connector == "datagen_source"]
    return sum(counts) if counts and all(isinstance(count, int) for count in counts) else None
