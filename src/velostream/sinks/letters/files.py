"""Dead letters in files: one for each micro-batch that has some, which a re-run of the batch replaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from velostream.files import replace_text
from velostream.sinks.letters.letter import iso


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
