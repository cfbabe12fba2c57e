"""The accounts of a job: every record in exactly one class, added up over micro-batches, each of them once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.jobs import seen as seen_by_stages
from velostream.jobs.measured import Measured, merged
from velostream.spark.lower.job import Role

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
    "hot_hits",
    "hot_misses",
    "hot_evictions",
)
_GAUGES = (
    *("open_windows", "windows_held", "state_bytes", "state_bytes_before_clearing", "state_rows"),
    "hot_state_size_bytes",
)
_HISTOGRAMS = ("lateness", "window_event_count", "window_size_bytes")
JOINED = ("matched", "missing", "skipped", "defaulted", "retried")
_MISSED = {"skip_record": "skipped", "use_defaults": "defaulted", "wait_and_retry": "retried"}
_FILTERED, _UNMATCHED = "filtered", "unmatched"


@dataclass(frozen=True)
class Counted:
    """Rows of a status; `expanded` where they are further rows of their records, `counted` by a stateful node,
    `replayed` where their records come again."""

    status: str
    expanded: bool
    counted: bool
    rows: int
    replayed: bool = False
    joined: int = 0
    """What they met in joins with tables (velostream.spark.lower.join_counts)."""


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
    lost: dict[str, int] = field(default_factory=dict)
    """Of each source, the records that it no longer had when they were to be read."""
    refused: int = 0
    """Rows that a sink did not take."""
    failed_rows: Counter[str] = field(default_factory=Counter)
    """Rows that failed behind a stateful node, by reason."""
    dropped: Counter[str] = field(default_factory=Counter)
    dead_lettered: Counter[str] = field(default_factory=Counter)
    emitted: Counter[str] = field(default_factory=Counter)
    """Rows that left the job, by kind: those that none of its sinks took have not."""
    fired: Counter[str] = field(default_factory=Counter)
    """Rows that the last stateful nodes said, by kind: HAVING may have hidden some of them."""
    windows: Counter[str] = field(default_factory=Counter)
    gauges: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)
    """Records in open state, by stateful node and bucket."""
    partitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of each `source/partition`: its largest event time, its lag, whether it is idle."""
    joins: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of each table that is joined: rows that found something in it, and what became of the others."""
    joins_until: int = -1
    """The last micro-batch whose joins in the stream were counted."""
    watermark: int | None = None
    first_watermark: int | None = None
    """Where it first stood."""
    holding: list[str] = field(default_factory=list)
    """The partitions that hold it back."""
    histograms: dict[str, dict[str, Any]] = field(default_factory=dict)
    seen: seen_by_stages.Seen = field(default_factory=seen_by_stages.nothing)
    """What stateful nodes and partitions have seen."""
    measured: Measured = field(default_factory=dict)
    """The values of @metric annotations."""
    seconds: float = 0.0

    def add(
        self,
        batch: int,
        stats: Iterable[Mapping[str, Any]],
        roles: Mapping[int, Role],
        counted: Iterable[Counted],
        measured: Measured | None = None,
        left: Mapping[str, int] | None = None,
    ) -> None:
        """Adds what the stateful nodes say of a micro-batch, the rows that none of them has counted, and its metrics.

        `left` are the rows that left the job by kind; None where these are all that its last stateful nodes said. A
        batch that was added before changes nothing.
        """
        if batch <= self.batch:
            return
        self.batch = batch
        self.measured = merged(self.measured, measured or {})
        gauges: Counter[str] = Counter()
        fired: Counter[str] = Counter()
        seen = seen_by_stages.begin(self.seen)
        for one in stats:
            seen_by_stages.add(seen, one, batch)
            role = roles[one["stage"]]
            self._add_records(one, role)
            fired.update(one["emitted"] if role.last else {})
            self.windows.update({name: one[name] for name in _SUMMED})
            gauges.update({name: one[name] for name in _GAUGES})
            self._add_time(one, role)
            self._add_histograms(one)
            self._add_joined(role.table, one["joined"])
        self.fired.update(fired)
        self.emitted.update(fired if left is None else left)
        seen_by_stages.end(seen)
        self.seen = seen
        self.gauges |= gauges
        self.gauges["state_bytes_largest"] = max(self.gauges.get("state_bytes_largest", 0), gauges["state_bytes"])
        for rows in counted:
            self._add_status(rows.status, rows.rows)
            self.in_results += rows.rows if not rows.status else 0
            self.expanded += rows.rows if rows.expanded else 0
            if rows.replayed and not rows.expanded:
                self.replayed += rows.rows
            else:
                self.read += 0 if rows.expanded else rows.rows

    def replay(self, count: int) -> None:
        """So many of the records that were added came again."""
        self.read -= count
        self.replayed += count

    def add_join(self, table: str, strategy: str, matched: int, missing: int) -> None:
        """Adds what a join counted."""
        held = self.joins.setdefault(table, dict.fromkeys(JOINED, 0))
        held["matched"] += matched
        held["missing"] += missing
        if strategy in _MISSED:
            held[_MISSED[strategy]] += missing

    def _add_joined(self, table: str, counted: Mapping[str, int]) -> None:
        """Adds what a join counted in which rows wait."""
        if table:
            held = self.joins.setdefault(table, dict.fromkeys(JOINED, 0))
            for name, count in counted.items():
                held[name] += count

    def refuse(self, rows: int, lost: Mapping[str, int], *, are_records: bool) -> None:
        """Counts rows that a sink did not take. Those that no other one took either are `lost`, by kind: they have not
        left, and where each is a record, it is in no result."""
        self.refused += rows
        self.emitted.subtract({kind: count for kind, count in lost.items() if kind})
        if lost and are_records:
            self.in_results -= sum(lost.values())
            self.dead_lettered["refused"] += sum(lost.values())

    def fail(self, reason: str, rows: int, *, are_records: bool) -> None:
        """Counts rows that failed behind the node that had counted their records; where each is a record, it is in no
        result."""
        self.failed_rows[reason] += rows
        if are_records:
            self.in_results -= rows
            self.dead_lettered[reason] += rows

    def _add_records(self, one: Mapping[str, Any], role: Role) -> None:
        """Records that reach a second stateful node were in the results of the first; there they are counted anew."""
        if not role.records:
            return
        arrived = sum(one["counts"].values())
        self.expanded += one["expanded"] + one["derived"] + one["multiplied"]
        if role.first:
            self.read += arrived - one["expanded"] - one.get("replayed", 0)
            self.replayed += one.get("replayed", 0)
        else:
            self.in_results -= arrived - one["expanded"]
        for status, count in one["counts"].items():
            self._add_status(status, count)
        self.in_results += one["in_results"]
        self.duplicates += one["duplicates"]
        self.unmatched += one["unmatched"]
        self.dropped.update(one["dropped"])
        self.dead_lettered.update(one["dead_lettered"])
        self.open[f"{one['stage']}/{one['bucket']}"] = one["open"]

    def _add_time(self, one: Mapping[str, Any], role: Role) -> None:
        """The watermark of a job is that of its input."""
        if not role.first:
            return
        if one["watermark"] is not None:
            self.watermark = max(self.watermark or one["watermark"], one["watermark"])
            if self.first_watermark is None:
                self.first_watermark = self.watermark
        self.partitions = _without_places(self.partitions, one["partitions"]) | one["partitions"]
        self.holding = one["holding"]

    def _add_histograms(self, one: Mapping[str, Any]) -> None:
        for name in _HISTOGRAMS:
            new = one[name]
            known = self.histograms.setdefault(
                name, {"bounds": new["bounds"], "counts": [0] * len(new["counts"]), "total": 0}
            )
            known["counts"] = [was + more for was, more in zip(known["counts"], new["counts"], strict=True)]
            known["total"] += new["total"]

    def _add_status(self, status: str, count: int) -> None:
        if status == _FILTERED:
            self.filtered += count
        elif status == _UNMATCHED:
            self.unmatched += count
        elif status:
            self.dead_lettered[status] += count

    @property
    def records(self) -> dict[str, Any]:
        """The classes, which add up: read + expanded + replayed = all others."""
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
        return self.read + self.expanded + self.replayed == kept + gone

    def save(self, file: Path) -> None:
        """Keeps them, so that a restart goes on counting."""
        replace_text(file, json.dumps(self.__dict__))

    @classmethod
    def load(cls, file: Path) -> Accounts:
        """Those kept, or new ones; what is damaged is told, not counted anew."""
        if not file.exists():
            return cls()
        try:
            data = json.loads(file.read_text())
        except ValueError:
            hint = "restore it from a copy, or start with another --checkpoint"
            message = f"the checkpoint cannot be read: '{file}' is damaged"
            raise VeloError(message, hint=hint, code="checkpoint-unreadable") from None
        data.setdefault("fired", data.get("emitted", {}))  # as long as nobody counted the rows that HAVING hides
        for name in ("dropped", "dead_lettered", "failed_rows", "emitted", "fired", "windows"):
            data[name] = Counter(data.get(name, {}))
        return cls(**data)


def _without_places(known: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Partitions without the places of those that were only counted (`?1`, once `-1`), where these have appeared under
    their names."""
    sources = {name.rpartition("/")[0] for name in told}
    gone = {
        name
        for name in known
        if name.rpartition("/")[2].startswith(("?", "-")) and name.rpartition("/")[0] in sources and name not in told
    }
    return {name: shown for name, shown in known.items() if name not in gone}
