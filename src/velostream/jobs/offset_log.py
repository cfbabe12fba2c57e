"""Spark's log of a job's micro-batches: how far each one reads, which are done, and what the next one is to read."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.jobs.home import Home
from velostream.sources.streams.positions import PREFIX, Standing

_HEAD = "v2"
_NOTHING = "-"


class OffsetLog:
    """The log of one job."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def standing(self) -> dict[str, Standing]:
        """Where each source stands behind the last micro-batch that is done; empty before the first one."""
        done = self.home.next_batch()[0] - 1
        told = self._read(done)[1] if done >= 0 else {}
        return {
            name: Standing(name, None if text == _NOTHING else json.loads(text), self.home.folder)
            for name, text in told.items()
            if name.startswith(PREFIX)
        }

    def check(self) -> None:
        """Names a file of the log that is cut or garbled: Spark would only say what it cannot make sense of."""
        number, begun = self.home.next_batch()
        for name, last in (("offsets", number if begun else number - 1), ("commits", number - 1)):
            file = self.home.checkpoint / name / str(last)
            if last >= 0 and file.exists() and not _is_whole(file):
                message = f"the checkpoint cannot be read: '{file}' is damaged"
                hint = "restore it from a copy, or start with another --checkpoint"
                raise VeloError(message, hint=hint, code="checkpoint-unreadable")

    def plan(self, offsets: Mapping[str, Any]) -> None:
        """Lets the next micro-batch read exactly up to these offsets; other sources, such as that of commands, stay
        where they are. Only while the job rests, behind a first micro-batch, and if the next one was not begun."""
        number = self.home.next_batch()[0]
        about, told = self._read(number - 1)
        about["batchTimestampMs"] = time.time_ns() // 1_000_000
        told |= {name: json.dumps(offset) for name, offset in offsets.items()}
        lines = [_HEAD, json.dumps(about, separators=(",", ":")), *(f"{name}:{text}" for name, text in told.items())]
        file = self._file(number)
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)  # the sum of what stood there before
        replace_text(file, "\n".join(lines))

    def _file(self, number: int) -> Path:
        return self.home.checkpoint / "offsets" / str(number)

    def _read(self, number: int) -> tuple[dict[str, Any], dict[str, str]]:
        """What Spark notes about a micro-batch, and the offset of each source as text."""
        head, about, *lines = self._file(number).read_text().splitlines()
        if head != _HEAD:
            message = f"'{self._file(number)}' is a log of the form '{head}'"
            raise VeloError(message, hint="deploy with REPLACE", code="checkpoint-unreadable")
        told = (line.partition(":") for line in lines)
        return json.loads(about), {name: text for name, _, text in told}


def _is_whole(file: Path) -> bool:
    """True where a file of the log has a version, what Spark notes, and behind the name of each source an offset."""
    try:
        head, about, *lines = file.read_text(encoding="utf-8").splitlines()
        offsets = [line.partition(":")[2] for line in lines]
        for text in (about, *(one for one in offsets if one != _NOTHING)):
            json.loads(text)
    except ValueError:
        return False
    return head.startswith("v")
