"""Deduplication: the first record of a key wins, for as long as its time to live lasts in event time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.durations import show
from velostream.errors import InvalidProperty
from velostream.replayed import PASSED
from velostream.windows.accumulators.base import POSITION
from velostream.windows.emission.base import CHANGE
from velostream.windows.facts import Facts
from velostream.windows.outcome import Outcome, letters
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.state import Ledger
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark, WatermarkSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

HASH = "_dedup_hash"
"""A hash of the key, if the rows bring one: it spreads keys over cells."""


@dataclass(frozen=True, slots=True)
class DedupSettings:
    """`dedup.key` and `dedup.ttl`; without a time to live a key is remembered for ever."""

    keys: tuple[str, ...]
    ttl: int | None = None
    nulls_equal: bool = False
    """True where a NULL equals a NULL, as in DISTINCT; else such a key is a duplicate of nothing."""

    def __post_init__(self) -> None:
        if not self.keys:
            raise InvalidProperty("'dedup.key' names no column", hint="name one or more: 'dedup.key' = 'order_id'")
        if self.ttl is not None and self.ttl <= 0:
            message = f"'dedup.ttl' of {show(self.ttl)} remembers nothing"
            raise InvalidProperty(message, hint="give a time such as 1h, or leave it out")


class Dedup:
    """The keys seen so far. A key whose first record is older than the watermark by the time to live is forgotten."""

    def __init__(self, settings: DedupSettings, store: Store, snapshot: dict[str, Any] | None) -> None:
        self.settings = settings
        self.keys = list(settings.keys)
        self.horizon: int | None = None
        self.ledger = Ledger("seen", store, self._reduce, snapshot)

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        """A key may have been forgotten and seen anew; while blobs of it may lie elsewhere, the last one counts."""
        latest = frame.sort("_event_time").unique(["_cell", *self.keys], keep="last", maintain_order=True)
        return self._living(latest) if complete else latest

    def _living(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame if self.horizon is None else frame.filter(pl.col("_event_time") > self.horizon)

    def split(self, rows: pl.DataFrame, watermark: int | None) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Rows that are the first of their key, and duplicates. Within a batch the smallest position is first.

        A NULL in the key is a duplicate of nothing.
        """
        if self.settings.ttl is not None and watermark is not None:
            self.horizon = watermark - self.settings.ttl
        cell = pl.col(HASH).cast(pl.Int64) if HASH in rows.columns else pl.lit(0, pl.Int64)
        ordered = rows.with_columns(cell.alias("_cell")).sort(POSITION)
        unknown = pl.lit(value=False)
        if not self.settings.nulls_equal:
            unknown = pl.any_horizontal(pl.col(name).is_null() for name in self.keys)
        nth = pl.int_range(pl.len(), dtype=pl.Int64).over(self.keys)
        # A letter that is replayed may have been the first of its key itself.
        itself = pl.col("_source").str.ends_with(PASSED).fill_null(value=False)
        marked = ordered.with_columns(
            (unknown | itself | (nth == 0)).alias("_first"), unknown.alias("_unknown"), itself.alias("_itself")
        )
        held = self.ledger.look_up(marked["_cell"].unique().sort()) if marked.height else None
        if held is not None:
            seen = self._living(self._reduce(held, False)).select(
                "_cell", *self.keys, pl.lit(value=True).alias("_held")
            )
            on = ["_cell", *self.keys]
            marked = marked.join(seen, on=on, how="left", maintain_order="left", nulls_equal=self.settings.nulls_equal)
            new = pl.col("_itself") | pl.col("_held").is_null()
            marked = marked.with_columns((pl.col("_first") & new).alias("_first")).drop("_held")
        first = marked.filter("_first")
        self.ledger.append(first.filter(~pl.col("_unknown")).select("_cell", *self.keys, "_event_time"))
        inner = ["_cell", "_first", "_unknown", "_itself"]
        return first.drop(inner), marked.filter(~pl.col("_first")).drop(inner)


class DedupOperator:
    """Deduplication as a step of its own: first records go on as they are, others are counted as duplicates."""

    def __init__(self, settings: DedupSettings, watermark: WatermarkSettings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.made = Made({"operator": "deduplication", "keys": ", ".join(settings.keys)})
        saved = read_root(store, self.made)
        self.watermark = Watermark(watermark, saved.get("watermark"))
        self.dedup = Dedup(settings, store, saved.get("seen"))

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch: the records that are the first of their key come back."""
        stats = Stats(read=rows.height)
        hashed = rows.rename({"_hash": HASH}) if "_hash" in rows.columns else rows
        first, again = self.dedup.split(hashed, self.watermark.value)
        stats.in_results, stats.duplicates = first.height, again.height
        stats.emitted[CHANGE] = first.height
        stats.watermark = self.watermark.advance(facts)
        stats.partitions = self.watermark.report(facts.now)
        self.dedup.ledger.tidy()
        stats.weigh((self.dedup.ledger,), self.store.cached)
        saved = {"watermark": self.watermark.snapshot(), "seen": self.dedup.ledger.snapshot()}
        write_root(self.store, self.made, saved)
        none = letters(rows.clear(), "", None, dead=True)
        return Outcome(first.drop(HASH, strict=False), none, rows.clear(), stats)
