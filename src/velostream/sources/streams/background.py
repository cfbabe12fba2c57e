"""What goes on beside the queries of a job for its sources, in the process of the job: asking, listening.

It ends with the query, and begins again with it: a job may be paused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class Activity(Protocol):
    """Something that goes on until it is closed; it can be started again then."""

    def start(self) -> None:
        """Begins."""

    def close(self) -> None:
        """Ends."""


_known: dict[tuple[str, str], Activity] = {}
"""By the folder of the job and the source."""
_running: set[tuple[str, str]] = set()


def begin(home: Path, source: str, activity: Activity) -> None:
    """Starts what goes on for a source of the job with that folder, in place of what did before."""
    close(home, source)
    _known[str(home), source] = activity
    _start(str(home), source)


def resume(home: Path) -> None:
    """Starts what was closed for a job again."""
    for key in [key for key in _known if key[0] == str(home) and key not in _running]:
        _start(*key)


def close(home: Path, source: str = "") -> None:
    """Ends what goes on for a job, or for one of its sources."""
    for key in [key for key in _running if key[0] == str(home) and source in ("", key[1])]:
        _running.discard(key)
        _known[key].close()


def _start(home: str, source: str) -> None:
    _known[home, source].start()
    _running.add((home, source))
