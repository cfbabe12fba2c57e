"""Dead letters in files: one for each micro-batch that has some, which a re-run of the batch replaces."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from velostream.files import replace_text
from velostream.sinks.letters.letter import iso


@dataclass(frozen=True)
class FileLetters:
    """Letters of a job in a folder. One that outlives checkpoints is `shared` by several queries."""

    folder: Path
    job: str
    shared: bool = False

    @property
    def shown(self) -> str:
        """Where they are, for people."""
        return str(self.folder)

    def write(self, query: str, batch: int, letters: Iterable[Mapping[str, Any]]) -> None:
        """Writes the letters of a micro-batch; written again, they take the place of themselves."""
        name = f"{batch:09d}-{query[:8]}" if self.shared else f"{batch:09d}"
        write_letters(self.folder, self.job, batch, letters, name)

    def read(self) -> Iterator[dict[str, Any]]:
        """All letters, oldest batch first."""
        return read_letters(self.folder)

    def purge(self, ids: Collection[str]) -> int:
        """Takes letters out; answers how many."""
        gone = 0
        for file in sorted(self.folder.glob("*.jsonl")):
            letters = list(_of_file(file))
            kept = [one for one in letters if one["id"] not in ids]
            if len(kept) == len(letters):
                continue
            gone += len(letters) - len(kept)
            if kept:
                replace_text(file, "".join(json.dumps(one) + "\n" for one in kept))
            else:
                file.unlink()
        return gone


def write_letters(folder: Path, job: str, batch: int, letters: Iterable[Mapping[str, Any]], name: str = "") -> int:
    """Writes the letters of a micro-batch as one file; answers how many there are."""
    written = iso(int(datetime.now(UTC).timestamp() * 1_000_000))
    name = name or f"{batch:09d}"
    lines = [
        json.dumps({"id": f"{name}-{place:06d}", **one, "job": job, "batch": batch, "written_at": written})
        for place, one in enumerate(letters)
    ]
    if lines:
        replace_text(folder / f"{name}.jsonl", "\n".join(lines) + "\n")
    return len(lines)


def read_letters(folder: Path) -> Iterator[dict[str, Any]]:
    """All letters of a folder, oldest batch first."""
    for file in sorted(folder.glob("*.jsonl")):
        yield from _of_file(file)


def _of_file(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
