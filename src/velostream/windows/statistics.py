"""What a micro-batch did, in numbers that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from velostream.durations import DAY, HOUR, MINUTE, SECOND

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.state import Ledger
    from velostream.windows.store import CacheCounts
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

STATE_TTL = "state_ttl"
"""The reason of records that `state.ttl` let go before a row had counted them."""
LATENESS_BOUNDS = (SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, HOUR, DAY)
COUNT_BOUNDS = (1, 2, 5, 10, 50, 100, 500, 1_000, 10_000, 100_000)
MOST_FIRINGS = 40
"""So many lines about windows a bucket says in one micro-batch."""
BYTE_BOUNDS = (64, 256, 1_024, 4_096, 16_384, 65_536, 1 << 20, 1 << 24)


@dataclass(slots=True)
class Histogram:
    """Counts up to each bound, and one for all above."""

    bounds: tuple[int, ...]
    counts: list[int] = field(default_factory=list)
    total: int = 0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def add(self, values: pl.Series) -> None:
        """Count the values."""
        if values.is_empty():
            return
        places = pl.Series(self.bounds, dtype=pl.Int64).search_sorted(values.cast(pl.Int64), side="left")
        for place, number in places.value_counts().iter_rows():
            self.counts[place] += number
        self.total += int(values.sum())


@dataclass(slots=True)
class Stats:
    """The counters of one micro-batch, and the gauges at its end.

    Conservation: read = in_results + duplicates + Σ dropped + Σ dead_lettered + the growth of `open`.
    """

    read: int = 0
    in_results: int = 0
    duplicates: int = 0
    unmatched: int = 0
    multiplied: int = 0
    """Rows that went out beyond the first of their record."""
    joined: Counter[str] = field(default_factory=Counter)
    """What a join with a table counts."""
    dropped: Counter[str] = field(default_factory=Counter)
    dead_lettered: Counter[str] = field(default_factory=Counter)

    emitted: Counter[str] = field(default_factory=Counter)
    records_added: int = 0
    records_in_late_firing: int = 0
    windows_with_late_data: int = 0
    windows_created: int = 0
    windows_completed: int = 0
    late_events: int = 0
    dropped_after_lateness: int = 0
    allowed_lateness_violations: int = 0
    warnings: int = 0
    failed_groups: int = 0
    expired_groups: int = 0
    hot_hits: int = 0
    hot_misses: int = 0
    hot_evictions: int = 0
    lateness: Histogram = field(default_factory=lambda: Histogram(LATENESS_BOUNDS))
    window_event_count: Histogram = field(default_factory=lambda: Histogram(COUNT_BOUNDS))
    window_size_bytes: Histogram = field(default_factory=lambda: Histogram(BYTE_BOUNDS))

    open: int = 0
    open_windows: int = 0
    windows_held: int = 0
    state_bytes: int = 0
    state_bytes_before_clearing: int = 0
    state_rows: int = 0
    hot_state_size_bytes: int = 0
    firings: list[list[int | str | None]] = field(default_factory=list)
    """Of the newest windows that spoke: start, end, emission, rows, largest revision, records."""
    heaviest: list[dict[str, Any]] = field(default_factory=list)
    """The group with the most records among those that spoke: its keys as text, and how many."""
    watermark: int | None = None
    partitions: dict[str, dict[str, int | bool | None]] = field(default_factory=dict)
    holding: list[str] = field(default_factory=list)
    """The partitions that hold the watermark back."""

    def weigh(self, ledgers: Iterable[Ledger], cached: CacheCounts) -> None:
        """Take the size of state, and what a cache of it did."""
        tables = list(ledgers)
        self.state_bytes = sum(ledger.bytes for ledger in tables)
        self.state_rows = sum(ledger.rows for ledger in tables)
        self.hot_hits, self.hot_misses, self.hot_evictions = cached.hits, cached.misses, cached.evictions
        self.hot_state_size_bytes = cached.bytes

    def show(self, results: pl.DataFrame, keys: dict[str, str]) -> None:
        """Tell how windows spoke, and which group is the heaviest; `keys` says what each key column means."""
        if results.is_empty():
            return
        by = ["_window_start", "_window_end", "_emission"]
        spoke = results.filter(pl.col("_window_start").is_not_null()).group_by(by)
        rows = spoke.agg(pl.len(), pl.col("_revision").max(), pl.col("_event_count").sum())
        newest = rows.sort("_window_end", "_emission", descending=True).head(MOST_FIRINGS)
        self.firings = [list(row) for row in newest.iter_rows()]
        if keys:
            heavy = results.select(*keys, "_event_count").top_k(1, by="_event_count").row(0, named=True)
            shown = {meaning: str(heavy[key])[:100] for key, meaning in keys.items()}
            self.heaviest = [{"keys": shown, "records": int(heavy["_event_count"] or 0)}]

    @property
    def initial_firings(self) -> int:
        """Final rows."""
        return self.emitted["final"]

    @property
    def early_firings(self) -> int:
        """Rows before the close."""
        return self.emitted["early"]

    @property
    def late_firings(self) -> int:
        """Corrections after the close."""
        return self.emitted["late"]

    @property
    def emissions(self) -> int:
        """All rows that went out."""
        return sum(self.emitted.values())

    @property
    def idle_partitions(self) -> int:
        """Partitions that do not hold the watermark for now."""
        return sum(1 for shown in self.partitions.values() if shown["idle"])

    @property
    def dropped_events(self) -> int:
        """Records that a strategy chose to drop."""
        return sum(self.dropped.values())

    @property
    def accounted(self) -> int:
        """The records that have left open state in this batch, or never entered it."""
        gone = sum(self.dropped.values()) + sum(self.dead_lettered.values())
        return self.in_results + self.duplicates + gone

    def as_data(self) -> dict[str, Any]:
        """Plain data: what a stats row carries."""
        table: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Counter):
                value = dict(value)
            elif isinstance(value, Histogram):
                value = {"bounds": list(value.bounds), "counts": value.counts, "total": value.total}
            table[one.name] = value
        return table
