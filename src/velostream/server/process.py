"""Processes that are known again: by number and start, so that another one that got the number is not taken for it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from velostream.files import replace_text

_PROC = Path("/proc")
_STATE, _SESSION, _START = 0, 3, 19
"""Places in /proc/PID/stat, counted behind the name of the program."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process, whoever is its parent by now."""

    pid: int
    mark: str
    """When it started, in words that only this machine understands until it is started anew."""

    @classmethod
    def of(cls, pid: int) -> Process:
        """The process that has this number now."""
        return cls(pid, started(pid) or "")

    def write(self, file: Path) -> None:
        """Leaves it in a file."""
        replace_text(file, json.dumps({"pid": self.pid, "mark": self.mark}))

    @property
    def alive(self) -> bool:
        """True while it runs; one that has ended and waits to be noticed does not."""
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)
        return bool(self.mark) and started(self.pid) == self.mark

    def ask_to_end(self) -> None:
        """SIGTERM."""
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Ends it and all that it started, at once; also what is left of it when it has ended itself."""
        if started(self.pid) not in (self.mark, None):
            return  # somebody else has the number, so nothing of its session is left
        for member in (*_session(self.pid), self.pid):
            with suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def started(pid: int) -> str | None:
    """When a process started; None where none has that number, or it has ended."""
    if not _PROC.is_dir():
        told = subprocess.run(
            ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        state, _, start = told.stdout.strip().partition(" ")
        return None if not start or state.startswith("Z") else start.strip()
    fields = _stat(pid)
    if fields is None or fields[_STATE] in ("Z", "X"):
        return None
    boot = _PROC / "sys/kernel/random/boot_id"
    return f"{fields[_START]}@{boot.read_text().strip() if boot.exists() else ''}"


def _stat(pid: int) -> list[str] | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def _session(leader: int) -> Iterator[int]:
    """The processes of a session: the number of a leader is given to nobody else while there is one of them."""
    for entry in _PROC.glob("[0-9]*") if _PROC.is_dir() else ():
        fields = _stat(int(entry.name))
        if fields is not None and int(fields[_SESSION]) == leader and int(entry.name) != leader:
            yield int(entry.name)
