"""What a process and all that it started use: memory at its peak, and CPU time of the JVM and of Python.

CPU time says what a run costs even where other programs have the cores for half of the time. Where the system has no
/proc, both are 0.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """A line of /proc: times are in seconds, those of children that have ended apart."""

    parent: int
    java: bool
    resident: int
    cpu: float
    ended: float


def tree(root: int) -> list[Process]:
    """A process and all below it."""
    found: dict[int, Process] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        name, _, rest = stat.partition("(")[2].rpartition(")")
        fields = rest.split()
        own, ended = sum(map(int, fields[11:13])) / _TICK, sum(map(int, fields[13:15])) / _TICK
        found[int(entry.name)] = Process(int(fields[1]), name == "java", int(fields[21]) * _PAGE, own, ended)
    members = {root}
    grown = True
    while grown:
        more = {number for number, process in found.items() if process.parent in members} - members
        members |= more
        grown = bool(more)
    return [found[number] for number in members if number in found]


def cpu_seconds(root: int) -> dict[str, float]:
    """CPU seconds so far. Children that have ended were Python's: a JVM starts nothing else."""
    members = tree(root)
    java = sum(process.cpu for process in members if process.java)
    python = sum(process.ended + (0 if process.java else process.cpu) for process in members)
    return {"jvm": java, "python": python}


class Peak:
    """`with Peak(pid) as peak: …; peak.bytes`. Pages that forked processes share count in each of them."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.bytes = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while not self._done.wait(INTERVAL):
            self.bytes = max(self.bytes, sum(process.resident for process in tree(self.root)))

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._done.set()
        self._thread.join()
