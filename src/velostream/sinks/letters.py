"""Dead letters: records that are in no result, each with the reason, in files that outlive the job."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from velostream.files import replace_text

FIELDS = ("reason", "error", "source", "partition", "offset", "event_time", "watermark", "lateness_ms", "record")
"""What a letter says beside its job, its micro-batch and the time at which it was written."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(micros: int | None) -> str | None:
    """Microseconds since 1970 as text in ISO form; beyond the years that text can have, the number as text."""
    if micros is None:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return f"{micros} us"


def letter(**said: Any) -> dict[str, Any]:
    """A letter from what is known, with times and lateness in microseconds; what is not known is None."""
    lateness = said.pop("lateness", None)
    said |= {name: iso(said.get(name)) for name in ("event_time", "watermark")}
    said["lateness_ms"] = None if lateness is None else lateness // 1_000
    return {name: said.get(name) for name in FIELDS}


def write_letters(folder: Path, job: str, batch: int, letters: Iterable[Mapping[str, Any]]) -> int:
    """Writes the letters of a micro-batch as one file of that number; written again, it takes the place of itself."""
    written = iso(int(datetime.now(UTC).timestamp() * 1_000_000))
    lines = [json.dumps({**one, "job": job, "batch": batch, "written_at": written}) for one in letters]
    if lines:
        replace_text(folder / f"{batch:09d}.jsonl", "\n".join(lines) + "\n")
    return len(lines)


def read_letters(folder: Path) -> Iterator[dict[str, Any]]:
    """All letters of a job, oldest batch first."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)
