"""Peak memory of a process and all that it started, sampled while it runs."""

from __future__ import annotations

import os
import threading
from pathlib import Path

INTERVAL = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")


def tree_bytes(root: int) -> int:
    """Resident bytes of a process tree; 0 where the system has no /proc. Pages shared by forks count in each."""
    parents: dict[int, int] = {}
    resident: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        fields = stat.rpartition(")")[2].split()
        parents[int(entry.name)] = int(fields[1])
        resident[int(entry.name)] = int(fields[21]) * _PAGE
    members = {root}
    grown = True
    while grown:
        more = {process for process, parent in parents.items() if parent in members} - members
        members |= more
        grown = bool(more)
    return sum(resident.get(process, 0) for process in members)


class Peak:
    """`with Peak(pid) as peak: …; peak.bytes`"""

    def __init__(self, root: int) -> None:
        self.root = root
        self.bytes = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self) -> None:
        while not self._done.wait(INTERVAL):
            self.bytes = max(self.bytes, tree_bytes(self.root))

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._done.set()
        self._thread.join()
