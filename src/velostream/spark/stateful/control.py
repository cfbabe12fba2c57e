"""The control source: the only clock and the only commands. They live in the offset, so a re-run sees the same."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow

COMMAND = "command.json"


class ControlReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads the command file; each change of it is one record."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Nothing commanded."""
        return {"command": ""}

    def getDefaultReadLimit(self) -> ReadAllAvailable:  # noqa: N802
        """Whatever is commanded."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A source that does not know how bounded runs go makes Spark read all others in one batch."""

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:  # noqa: N802
        """The newest command."""
        file = Path(self.folder, COMMAND)
        return {"command": file.read_text()} if file.exists() else (start or self.initialOffset())

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One record where the command changed."""
        return [InputPartition(end["command"])] if end != start else []

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
    folder.mkdir(parents=True, exist_ok=True)
    now = time.time_ns() // 1000
    temporary = folder / f"{COMMAND}.new"
    temporary.write_text(json.dumps({"now": now, "id": now, **facts}))
    temporary.replace(folder / COMMAND)
