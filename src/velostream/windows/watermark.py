"""How far event time has come: the slowest active partition decides, minus the disorder that its source may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import count, islice
from typing import Any

from velostream.durations import MILLISECOND, MINUTE, SECOND, show
from velostream.errors import InvalidProperty
from velostream.windows.facts import Facts, Progress


class Strategy(Enum):
    """Where the watermark comes from."""

    BOUNDED = "bounded_out_of_orderness"
    ASCENDING = "ascending"
    PUNCTUATED = "punctuated"
    PERIODIC = "periodic"
    PROCESSING = "processing"
    """The clock itself: `time.semantics = processing`."""


class Scope(Enum):
    """Whose largest event time counts: that of each partition, or that of the source as a whole."""

    PARTITION = "partition"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class WatermarkSettings:
    """The `watermark.*` properties of a job. `per_source` overrides the out-of-orderness of a source, `sources` all."""

    max_out_of_orderness: int = 0
    per_source: Mapping[str, int] = field(default_factory=dict)
    strategy: Strategy = Strategy.BOUNDED
    scope: Scope = Scope.PARTITION
    idle_timeout: int | None = MINUTE
    emit_interval: int = SECOND
    sources: Mapping[str, WatermarkSettings] = field(default_factory=dict)

    def __post_init__(self) -> None:
        delays = {"watermark.max_out_of_orderness": self.max_out_of_orderness}
        delays |= {f"{source}.watermark.max_out_of_orderness": delay for source, delay in self.per_source.items()}
        for name, delay in delays.items():
            if delay < 0:
                raise InvalidProperty(f"'{name}' is negative: {show(delay)}", hint="give zero or more, such as 5s")
            if delay and self.strategy is Strategy.ASCENDING:
                message = f"'{name}' is {show(delay)}, but an ascending watermark allows no disorder"
                hint = "leave it out, or use bounded_out_of_orderness"
                raise InvalidProperty(message, hint=hint, code="conflicting-properties")

    def of(self, source: str) -> WatermarkSettings:
        """The settings of a source."""
        found = self.sources.get(source)
        return self.sources.get(whole(source), self) if found is None else found

    def delay(self, source: str) -> int:
        """How much disorder a source may have."""
        return self.of(source).per_source.get(source, self.of(source).max_out_of_orderness)


def whole(source: str) -> str:
    """The source that a part of it belongs to: `trades` of `trades/topic`."""
    return source.rpartition("/")[0] or source


def shown_name(source: str, number: int) -> str:
    """A partition as reports name it: `trades/3`; one of which only the count is known so far is `trades/?1`."""
    return f"{source}/{number}" if number >= 0 else f"{source}/?{-number}"


@dataclass(slots=True)
class Partition:
    """What is remembered of one partition: `held` is where it may hold the watermark before it has spoken."""

    seen: int | None = None
    held: int | None = None
    heard: int = 0
    idle: bool = False


class Watermark:
    """The watermark of a job, advanced once at the end of every micro-batch. It never goes back.

    Partitions that are known but silent hold it back; so do those that only a number speaks of, which are remembered
    under negative numbers until they appear. What is kept is a few numbers per partition (`snapshot`).
    """

    def __init__(self, settings: WatermarkSettings, snapshot: Mapping[str, Any] | None = None) -> None:
        self.settings = settings
        self.value: int | None = None
        self.partitions: dict[tuple[str, int], Partition] = {}
        self.largest: dict[str, int] = {}
        self.gone: dict[str, int] = {}
        self.ended: dict[str, set[int]] = {}
        self.advanced_at: int | None = None
        self.ran: int = 0
        self.looked_at: int | None = None
        if snapshot:
            self.value = snapshot["value"]
            self.largest, self.gone = dict(snapshot["largest"]), dict(snapshot["gone"])
            self.ended = {source: set(numbers) for source, numbers in snapshot["ended"].items()}
            self.advanced_at = snapshot["advanced_at"]
            self.ran, self.looked_at = snapshot.get("ran", 0), snapshot.get("looked_at")
            self.partitions = {(row[0], row[1]): Partition(*row[2:]) for row in snapshot["partitions"]}

    def snapshot(self) -> dict[str, Any]:
        """All that a restart needs, as plain data."""
        rows = [[*key, p.seen, p.held, p.heard, p.idle] for key, p in sorted(self.partitions.items())]
        return {
            "value": self.value,
            "partitions": rows,
            "largest": self.largest,
            "gone": self.gone,
            "ended": {source: sorted(numbers) for source, numbers in self.ended.items()},
            "advanced_at": self.advanced_at,
            "ran": self.ran,
            "looked_at": self.looked_at,
        }

    def advance(self, facts: Facts) -> int | None:
        """Take the facts of a micro-batch, and answer where the watermark stands at its end."""
        if self.settings.strategy is Strategy.PROCESSING:
            self.value = facts.now if self.value is None else max(self.value, facts.now)
            return self.value
        running = self._running(facts)
        self._expect(facts, running)
        for progress in facts.progress:
            self._hear(progress, running)
        self._rest(running, bounded=facts.bounded)
        if self._is_time(running):
            self._move()
        for progress in facts.progress:
            if progress.finished:
                self._leave(progress, named=isinstance(facts.known.get(progress.source), frozenset))
        return self.value

    def next_look(self, now: int) -> int | None:
        """When the clock should be looked at lest a silent partition holds the watermark longer than it may."""
        waits = [
            max(timeout - (self.ran - partition.heard), 0)
            for (source, _), partition in self.partitions.items()
            if (timeout := self.settings.of(source).idle_timeout) is not None and not partition.idle
        ]
        if not waits or self.settings.strategy is Strategy.PROCESSING:
            return None
        return now + max(min(waits), self.settings.emit_interval)

    def _running(self, facts: Facts) -> int:
        """Time that the job has run. Of the time between two looks no more counts than half of the shortest patience,
        so that one long batch makes nobody idle; where the job was resumed, none."""
        if facts.running is not None:
            self.ran = facts.running
            return self.ran
        spent = 0 if self.looked_at is None or facts.resumed else max(facts.now - self.looked_at, 0)
        patience = [one.idle_timeout for one in (self.settings, *self.settings.sources.values()) if one.idle_timeout]
        self.ran += min([spent, *(time // 2 for time in patience)])
        self.looked_at = facts.now if self.looked_at is None else max(self.looked_at, facts.now)
        return self.ran

    def report(self, now: int) -> dict[str, dict[str, int | bool | None]]:
        """Each partition as reports show it, by `source/partition`: its largest time, its lag, whether it is idle."""
        table: dict[str, dict[str, int | bool | None]] = {}
        for (source, number), partition in sorted(self.partitions.items()):
            lag = None if partition.seen is None else (now - partition.seen) // MILLISECOND
            shown = {"max_event_time": partition.seen, "lag_ms": lag, "idle": partition.idle}
            table[shown_name(source, number)] = shown
        return table

    def holders(self) -> list[str]:
        """The partitions that hold the watermark back, as reports name them."""
        return [shown_name(*key) for key in self.holding()]

    def holding(self) -> list[tuple[str, int]]:
        """The partitions that hold the watermark back: silent ones first, else the slowest."""
        active = {key: self._limit(key[0], p) for key, p in self.partitions.items() if not p.idle}
        silent = sorted(key for key, limit in active.items() if limit is None)
        if silent or not active:
            return silent
        least = min(limit for limit in active.values() if limit is not None)
        return sorted(key for key, limit in active.items() if limit == least)

    def _expect(self, facts: Facts, running: int) -> None:
        """Partitions that a source is known to have join at the current watermark, and hold it until they speak."""
        for source, known in facts.known.items():
            present = {number for name, number in self.partitions if name == source}
            if isinstance(known, int):
                missing = known - len(present) - self.gone.get(source, 0)
                free = (number for number in count(-1, -1) if number not in present)
                wanted = list(islice(free, max(missing, 0)))
            else:
                ended = self.ended.get(source, set())
                ended.intersection_update(() if facts.resumed else known)
                wanted = sorted(known - present - ended)
                for number in [number for number in present if number < 0]:  # they have names now
                    del self.partitions[(source, number)]
            for number in wanted:
                self.partitions[(source, number)] = Partition(held=self.value, heard=running)

    def _hear(self, progress: Progress, running: int) -> None:
        key = (progress.source, progress.partition)
        if key not in self.partitions:
            self.partitions[key] = self._newcomer(progress.source, running)
        partition = self.partitions[key]
        punctuated = self.settings.of(progress.source).strategy is Strategy.PUNCTUATED
        time = progress.mark if punctuated else progress.event_time
        if time is not None:
            partition.seen = time if partition.seen is None else max(partition.seen, time)
            source = whole(progress.source)
            self.largest[source] = max(self.largest.get(source, time), time)
        if progress.event_time is not None or progress.backlog:
            partition.heard = running

    def _leave(self, progress: Progress, *, named: bool) -> None:
        """One that is read to its end counts once more, in the batch that ends it, and is forgotten.

        Where the source names its partitions, the name is remembered as long as the source lists it, lest it join anew.
        """
        self.partitions.pop((progress.source, progress.partition), None)
        self.gone[progress.source] = self.gone.get(progress.source, 0) + 1
        if named:
            self.ended.setdefault(progress.source, set()).add(progress.partition)

    def _newcomer(self, source: str, running: int) -> Partition:
        """One that was not named before takes the place of one that was only counted, or joins at the watermark."""
        counted = [key for key in self.partitions if key[0] == source and key[1] < 0]
        return self.partitions.pop(max(counted)) if counted else Partition(held=self.value, heard=running)

    def _rest(self, running: int, *, bounded: bool) -> None:
        for (source, _), partition in self.partitions.items():
            timeout = None if bounded else self.settings.of(source).idle_timeout
            partition.idle = timeout is not None and running - partition.heard >= timeout

    def _is_time(self, running: int) -> bool:
        if self.settings.strategy is not Strategy.PERIODIC:
            return True
        due = self.advanced_at is None or running - self.advanced_at >= self.settings.emit_interval
        if due:
            self.advanced_at = running
        return due

    def _limit(self, source: str, partition: Partition) -> int | None:
        """How far a partition lets the watermark go."""
        if self.settings.of(source).scope is Scope.SOURCE:
            largest = self.largest.get(whole(source))
            return None if largest is None else largest - self.settings.delay(source)
        if partition.seen is None:
            return partition.held
        return partition.seen - self.settings.delay(source)

    def _move(self) -> None:
        limits = [self._limit(key[0], partition) for key, partition in self.partitions.items() if not partition.idle]
        if not limits or any(limit is None for limit in limits):
            return
        least = min(limit for limit in limits if limit is not None)
        self.value = least if self.value is None else max(self.value, least)
