"""What goes on beside the queries of a job for its sources, in the process of the job: asking, listening."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class Activity(Protocol):
    """Something that goes on until it is closed."""

    def start(self) -> None:
        """Begins."""

    def close(self) -> None:
        """Ends."""


_running: dict[tuple[str, str], Activity] = {}
"""By the folder of the job and the source."""


def begin(home: Path, source: str, activity: Activity) -> None:
    """Starts what goes on for a source of the job with that folder, in place of what did before."""
    close(home, source)
    activity.start()
    _running[str(home), source] = activity


def close(home: Path, source: str = "") -> None:
    """Ends what goes on for a job, or for one of its sources."""
    for key in [key for key in _running if key[0] == str(home) and source in ("", key[1])]:
        _running.pop(key).close()
