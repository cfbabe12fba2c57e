"""A flush that all stateful nodes of a job hear in one micro-batch.

Each node that reads sources has a source of commands of its own, and Spark looks at one after another. A command that
is given between two looks reaches one node a micro-batch before the other, which would then flush without the rows of
the first. While a micro-batch is written nobody looks: so the nodes are asked first, and the flush is given from within
the micro-batch in which the last of them has answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any


@dataclass
class Flush:
    """One flush. `stages` are the numbers of the nodes that hear commands, `command` gives one."""

    stages: frozenset[int]
    command: Callable[..., None]
    _ready: set[int] = field(default_factory=set)
    _carried: Event = field(default_factory=Event)

    @property
    def done(self) -> bool:
        """True once a micro-batch has carried it."""
        return self._carried.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits until a micro-batch has carried it, for so long at most; answers as `done`."""
        return self._carried.wait(seconds)

    def begin(self) -> None:
        """Asks the nodes; where there is one only, it is told at once."""
        self.command(**({"ready": True} if len(self.stages) > 1 else {"flush": True}))

    def hear(self, stats: Iterable[Mapping[str, Any]]) -> None:
        """Takes what nodes say in a micro-batch, while that is written."""
        told = list(stats)
        if any(one["flush"] for one in told):
            self._carried.set()
        answered = {one["stage"] for one in told if one["ready"]} & self.stages
        if answered:
            self._ready |= answered
            if self._ready == self.stages:
                self._ready = set()
                self.command(flush=True)
