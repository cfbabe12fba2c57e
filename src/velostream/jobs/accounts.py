"""The accounts of a job: every record in exactly one class, added up over micro-batches, each of them once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from velostream.files import replace_text

_SUMMED = (
    "records_added",
    "records_in_late_firing",
    "windows_with_late_data",
    "windows_created",
    "windows_completed",
    "late_events",
    "dropped_after_lateness",
    "allowed_lateness_violations",
    "failed_groups",
)
_GAUGES = ("open_windows", "windows_held", "state_bytes", "state_rows")
_FILTERED, _UNMATCHED = "filtered", "unmatched"


@dataclass
class Accounts:
    """What a job has counted, up to and including the micro-batch `batch`."""

    batch: int = -1
    read: int = 0
    filtered: int = 0
    unmatched: int = 0
    duplicates: int = 0
    in_results: int = 0
    expanded: int = 0
    replayed: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    dead_lettered: Counter[str] = field(default_factory=Counter)
    emitted: Counter[str] = field(default_factory=Counter)
    windows: Counter[str] = field(default_factory=Counter)
    gauges: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)
    """Records in open state, by bucket."""
    partitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of each `source/partition`: its largest event time, its lag, whether it is idle."""
    watermark: int | None = None
    seconds: float = 0.0

    def add_stateful(self, batch: int, stats: Iterable[Mapping[str, Any]]) -> None:
        """Adds what the buckets say of a micro-batch; one that was added before changes nothing."""
        if batch <= self.batch:
            return
        self.batch = batch
        gauges: Counter[str] = Counter()
        for one in stats:
            self._add_counts(one["counts"])
            self.in_results += one["in_results"]
            self.duplicates += one["duplicates"]
            self.dropped.update(one["dropped"])
            self.dead_lettered.update(one["dead_lettered"])
            self.emitted.update(one["emitted"])
            self.windows.update({name: one[name] for name in _SUMMED})
            gauges.update({name: one[name] for name in _GAUGES})
            self.open[str(one["bucket"])] = one["open"]
            self._add_time(one)
        self.gauges |= gauges

    def _add_time(self, one: Mapping[str, Any]) -> None:
        if one["watermark"] is not None:
            self.watermark = max(self.watermark or one["watermark"], one["watermark"])
        self.partitions |= one["partitions"]

    def add_stateless(self, batch: int, counts: Mapping[str, int]) -> None:
        """Adds the rows of a micro-batch by status; those without one are results."""
        if batch <= self.batch:
            return
        self.batch = batch
        self._add_counts(counts)
        self.in_results += counts.get("", 0)

    def _add_counts(self, counts: Mapping[str, int]) -> None:
        for status, count in counts.items():
            self.read += count
            if status == _FILTERED:
                self.filtered += count
            elif status == _UNMATCHED:
                self.unmatched += count
            elif status:
                self.dead_lettered[status] += count

    @property
    def records(self) -> dict[str, Any]:
        """The classes, which add up: read + expanded = all others."""
        return {
            "read": self.read,
            "filtered": self.filtered,
            "in_results": self.in_results,
            "duplicates": self.duplicates,
            "unmatched": self.unmatched,
            "open": sum(self.open.values()),
            "dropped": dict(self.dropped),
            "dead_lettered": dict(self.dead_lettered),
            "expanded": self.expanded,
            "replayed": self.replayed,
        }

    @property
    def adds_up(self) -> bool:
        """The law of conservation."""
        gone = sum(self.dropped.values()) + sum(self.dead_lettered.values())
        kept = self.filtered + self.in_results + self.duplicates + self.unmatched + sum(self.open.values())
        return self.read + self.expanded == kept + gone

    def save(self, file: Path) -> None:
        """Keeps them, so that a restart goes on counting."""
        replace_text(file, json.dumps(self.__dict__))

    @classmethod
    def load(cls, file: Path) -> Accounts:
        """Those kept, or new ones."""
        if not file.exists():
            return cls()
        data = json.loads(file.read_text())
        for name in ("dropped", "dead_lettered", "emitted", "windows"):
            data[name] = Counter(data[name])
        return cls(**data)
