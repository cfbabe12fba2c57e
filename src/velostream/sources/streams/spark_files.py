"""The list that Spark's own source of files keeps of what it has taken: read, and told of files that another job took.

Each look at the folder that found files is a file of the list, under its number; every tenth holds all before it too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from velostream.errors import VeloError
from velostream.files import replace_text

COMPACT = ".compact"
_EVERY = 10
_HEAD = "v1"


class FileList:
    """The files that a source of a job took, in the checkpoint of that job."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def upto(self, number: int) -> dict[str, int]:
        """The files that were found until then, each with the time of its last change."""
        return {path: changed for path, (changed, found) in self._entries().items() if found <= number}

    def add(self, number: int, files: Mapping[str, int]) -> int:
        """Lets more files follow those that were found until then; what else was found is found again. Answers with
        their number. Only while the job rests."""
        known = {path: told for path, told in self._entries().items() if told[1] <= number}
        for file, found in list(self._files()):
            if found > number:
                file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
                file.unlink()
        added = {path: (changed, number + 1) for path, changed in files.items() if path not in known}
        whole = (number + 2) % _EVERY == 0
        entries = {**known, **added} if whole else added
        lines = [
            json.dumps({"path": path, "timestamp": changed, "batchId": found}, separators=(",", ":"))
            for path, (changed, found) in entries.items()
        ]
        replace_text(self.folder / f"{number + 1}{COMPACT if whole else ''}", "\n".join([_HEAD, *lines]))
        return number + 1

    def _files(self) -> Iterator[tuple[Path, int]]:
        for file in self.folder.glob("[0-9]*"):
            name = file.name.removesuffix(COMPACT)
            if name.isdecimal():
                if file.name.endswith(COMPACT) != ((int(name) + 1) % _EVERY == 0):
                    message = f"Spark's list of files is gathered otherwise than every {_EVERY} times: '{file}'"
                    hint = "leave spark.sql.streaming.fileSource.log.compactInterval as it is"
                    raise VeloError(message, hint=hint, code="checkpoint-unreadable")
                yield file, int(name)

    def _entries(self) -> dict[str, tuple[int, int]]:
        """Every file with the time of its last change, and with the number under which it was found."""
        found: dict[str, tuple[int, int]] = {}
        for file, _ in sorted(self._files(), key=lambda each: each[1]):
            head, *lines = file.read_text().splitlines()
            if head != _HEAD:
                raise VeloError(f"'{file}' is a list of files of the form '{head}'", code="checkpoint-unreadable")
            for told in map(json.loads, lines):
                found[told["path"]] = (told["timestamp"], told["batchId"])
        return found
