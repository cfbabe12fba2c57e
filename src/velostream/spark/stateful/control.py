"""The control source: the only clock and the only commands. They live in the offset, so a re-run sees the same."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow

from velostream.files import replace_text
from velostream.spark.stateful.clocks import given_clocks

KEPT = 100
"""How many commands are kept for batches that are run again."""


class ControlReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads commands, which are numbered files; each is one record. Where a test gives the clock, so is every batch."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Nothing commanded."""
        return {"command": 0, "clocks": 0}

    def getDefaultReadLimit(self) -> ReadAllAvailable:  # noqa: N802
        """Whatever is commanded."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A source that does not know how bounded runs go makes Spark read all others in one batch."""

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:  # noqa: N802
        """The newest command, and one more of the given times."""
        offset = start or self.initialOffset()
        ticks = min(offset["clocks"] + 1, len(given_clocks(self.folder)))
        return {"command": _newest(Path(self.folder)), "clocks": max(ticks, offset["clocks"])}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One record for each command, and for the clock where that is given."""
        numbers = range(start["command"] + 1, end["command"] + 1)
        facts = [_file(Path(self.folder), number).read_text() for number in numbers]
        times = given_clocks(self.folder)
        if times:
            facts.append(json.dumps({"clock": times[max(min(end["clocks"], len(times)) - 1, 0)]}))
        return [InputPartition(text) for text in facts] if end != start else []

    def read(self, partition: InputPartition) -> Iterator[tuple[str]]:
        """The command."""
        yield (partition.value,)


class ControlSource(DataSource):
    """`velo_control`: option `folder`."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_control"

    def schema(self) -> str:
        """One column of JSON."""
        return "facts STRING"

    def streamReader(self, schema: Any) -> ControlReader:  # noqa: N802
        """The reader."""
        return ControlReader(self.options["folder"])


def command(folder: Path, **facts: Any) -> None:
    """Gives a command: it reaches every bucket in the next micro-batch."""
    number = _newest(folder) + 1
    replace_text(_file(folder, number), json.dumps({"now": time.time_ns() // 1000, **facts}))
    _file(folder, number - KEPT).unlink(missing_ok=True)


def _newest(folder: Path) -> int:
    return max((int(file.stem) for file in folder.glob("[0-9]*.json")), default=0)


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:09d}.json"
