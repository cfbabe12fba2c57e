"""The facts of one micro-batch, put together from what every router and the control source said to a bucket."""

from __future__ import annotations

from typing import Any

from velostream.spark.stateful.layout import Layout
from velostream.windows.facts import Facts, Progress


class Gathered:
    """All that is known beside rows. What the routers send is the same for every bucket, counts excepted."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.now = 0
        self.set_clock: int | None = None
        self.flush = self.ready = False
        self.resumed = False
        self.clocked = not layout.bounded
        self.counts: dict[str, int] = {}
        self.expanded = self.derived = self.replayed = 0
        self.delivered: dict[str, int] = {}
        self.met: dict[str, int] = {}
        """How many rows met the same in the joins below the node."""
        self.known: dict[str, int | frozenset[int]] = dict(layout.known)
        self.seen: dict[tuple[str, int], list[int | None]] = {}
        self.finished: set[tuple[str, int]] = set()

    def take(self, facts: dict[str, Any]) -> None:
        """Adds what one row says."""
        self._hear(facts)
        self.derived += facts.get("derived", 0)
        self.expanded += facts.get("expanded", 0)
        self.replayed += facts.get("replayed", 0)
        for status, count in facts.get("counts", {}).items():
            self.counts[status] = self.counts.get(status, 0) + count
        for name, count in facts.get("delivered", {}).items():
            self.delivered[name] = self.delivered.get(name, 0) + count
        for bits, count in facts.get("met", {}).items():
            self.met[bits] = self.met.get(bits, 0) + count
        for mark in facts.get("marks", ()):
            self._hear(mark)
            self._mark(mark)

    def _hear(self, facts: dict[str, Any]) -> None:
        """The clock, commands, and how far partitions have come."""
        self.now = max(self.now, facts.get("now", 0))
        self.flush |= facts.get("flush", False)
        self.resumed |= facts.get("resumed", False)
        self.ready |= facts.get("ready", False)
        if "clock" in facts:  # a test gives the time: nothing else shows it
            self.set_clock, self.clocked = max(self.set_clock or 0, facts["clock"]), True
        for source, partition, *times in facts.get("progress", ()):
            held = self.seen.setdefault((source, partition), [None, None])
            for index, time in enumerate(times):
                known = held[index]
                if time is not None and (known is None or time > known):
                    held[index] = time

    def _mark(self, mark: dict[str, Any]) -> None:
        if "partitions" in mark:
            earlier = self.known.get(mark["source"])
            listed = frozenset(mark["partitions"])
            self.known[mark["source"]] = listed | earlier if isinstance(earlier, frozenset) else listed
        for partition in mark.get("finished", ()):
            self.finished.add((mark["source"], partition))

    def facts(self) -> Facts:
        """As an operator takes them."""
        keys = sorted({*self.seen, *self.finished})
        return Facts(
            tuple(self._progress(source, partition) for source, partition in keys),
            self.known,
            self.now if self.set_clock is None else self.set_clock,
            None,
            self.layout.bounded and self.set_clock is None,
            self.clocked,
            self.flush,
            self.resumed,
        )

    def _progress(self, source: str, partition: int) -> Progress:
        seen, mark = self.seen.get((source, partition), [None, None])
        return Progress(source, partition, seen, mark, finished=(source, partition) in self.finished)
