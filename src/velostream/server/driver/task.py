"""What a driver is told at its start: which application, with which state, on which Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from velostream.files import replace_text
from velostream.server.folders import DriverFolder


@dataclass(frozen=True, slots=True)
class Task:
    """One deployment, for its driver."""

    app: str
    number: int
    version: str
    state: str
    """The folder of its checkpoints."""
    files: str
    """Where relative paths start."""
    master: str = "local[2]"
    spark: Mapping[str, str] = field(default_factory=dict)
    """Settings of the Spark session."""
    owners: Mapping[str, Any] = field(default_factory=dict)
    """What it owns of its jobs, where another version runs beside it."""

    def write(self, folder: DriverFolder) -> None:
        """Leaves it for the driver."""
        replace_text(folder.task, json.dumps(asdict(self), indent=2))

    @classmethod
    def read(cls, folder: DriverFolder) -> Task:
        """What was left."""
        return cls(**json.loads(folder.task.read_text()))

    @property
    def home(self) -> Path:
        """The folder of its checkpoints."""
        return Path(self.state)
