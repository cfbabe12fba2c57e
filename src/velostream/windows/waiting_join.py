"""Joins of a stream with a table in which rows wait: for the time that they ask about, or for a row that is to come.

A row that asks for a time (`as_of`) waits until all that the table was up to then is known. A row that finds nothing is
tried again, so often and after so long as is set. Rows that wait are open, and hold the watermark for those above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

from velostream.errors import VeloError
from velostream.windows.emission.base import CHANGE
from velostream.windows.facts import Facts
from velostream.windows.forms import computed
from velostream.windows.outcome import Outcome, no_letters
from velostream.windows.panes import LEAST, MOST
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.state import Ledger, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark, WatermarkSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

HIT = "_hit"
FROM, GONE, ORDER = "_from", "_gone", "_order"
"""Of the versions of a table's rows: since when each holds, whether it is a deletion, which came later."""
MATCHED, MISSING, RETRIED, SKIPPED, DEFAULTED = "matched", "missing", "retried", "skipped", "defaulted"
__all__ = ["LEAST", "WaitingJoin", "WaitingSettings"]
_ROW, _TRIES, _ASKED = "_nth_row", "_tries", "_asked"


class Side(Protocol):
    """What is known of the table in this micro-batch, and in its re-run."""

    def watermark(self) -> int | None:
        """Up to when all that the table was is known, in microseconds; None where that is not."""
        ...

    def rows(self, hashed: int) -> pl.DataFrame:
        """Rows of the table, those of a key of this hash among them: keys, values; in an as-of join all versions of
        them in the order of FROM and ORDER."""
        ...


@dataclass(frozen=True, slots=True)
class WaitingSettings:
    """Keys of the rows and of the table in the same order, columns that go on, and what becomes of rows without one."""

    keys: tuple[str, ...]
    table_keys: tuple[str, ...]
    columns: tuple[str, ...]
    found: tuple[str, ...]
    """The columns of the table that go on."""
    as_of: str = ""
    """The column of rows that says which time they ask about; empty where the newest is taken."""
    conditions: tuple[tuple[Any, ...], ...] = ()
    """What must hold beside the keys (velostream.plan.forms)."""
    outer: bool = False
    """Whether a row that finds nothing goes on."""
    tries: int = 0
    delay: int = 0
    counts: str = ""
    """What a row without a match is counted as beside `missing`."""
    fails: str = ""
    """The table that every row must be found in; empty where none must."""
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)


class WaitingJoin:
    """The join of one bucket of keys."""

    def __init__(self, settings: WaitingSettings, side: Side, store: Store) -> None:
        self.settings = settings
        self.side = side
        self.store = store
        as_of = "by time" if settings.as_of else "by newest version"
        self.made = Made({"operator": "join with a table", "keys": ", ".join(settings.keys), "versions": as_of})
        saved = read_root(store, self.made)
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.ahead = Ledger("ahead", store, _all, saved.get("ahead"))
        """Rows that ask for a time up to which the table is not known yet, by that time."""
        self.again = Ledger("again", store, _all, saved.get("again"))
        """Rows that found nothing, by the time at which they are tried again."""

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch: the rows that found something, and those that waited long enough."""
        stats = Stats(read=rows.height)
        after = self.watermark.advance(facts)
        asked = self._asking(rows, facts)
        tried = stacked([asked, *self._due(facts)])
        hits, misses = self._looked_up(tried)
        gone = self._kept_waiting(misses, facts, stats)
        results = self._results(tried, hits, gone, stats)
        stats.emitted[CHANGE] = results.height
        stats.watermark = after
        stats.partitions = self.watermark.report(facts.now)
        stats.holding = self.watermark.holders()
        held = [frame for ledger in (self.ahead, self.again) if (frame := ledger.read()) is not None]
        stats.open = sum(frame.height for frame in held)
        outgoing = self._outgoing(after, held)
        self._save(stats)
        waits = self.again.read()
        tick = None if waits is None else int(waits["_cell"].min())  # type: ignore[arg-type]
        return Outcome(results, no_letters(rows), rows.clear(), stats, next_tick=tick, outgoing=outgoing)

    def _asking(self, rows: pl.DataFrame, facts: Facts) -> pl.DataFrame:
        """New rows that can be looked up now; those that ask about a time still to come are put by."""
        settings = self.settings
        time = pl.col(settings.as_of).cast(pl.Int64) if settings.as_of else pl.lit(None, pl.Int64)
        asked = rows.with_columns(time.alias(_ASKED), pl.lit(0, pl.Int32).alias(_TRIES)).drop("_record", strict=False)
        if not settings.as_of or facts.bounded or facts.flush:
            return asked
        known = self.side.watermark()
        early = pl.col(_ASKED).is_not_null() if known is None else (pl.col(_ASKED) > known).fill_null(value=False)
        self.ahead.append(asked.filter(early).with_columns(pl.col(_ASKED).alias("_cell")))
        return asked.filter(~early)

    def _due(self, facts: Facts) -> list[pl.DataFrame]:
        """Rows that have waited for now."""
        found = []
        known = MOST if facts.flush or facts.bounded else self.side.watermark() if self.settings.as_of else None
        now = MOST if facts.flush else facts.now
        for ledger, end in ((self.ahead, known), (self.again, now)):
            ready = None if end is None else ledger.read([(LEAST, end)])
            if ready is None:
                continue
            found.append(ready.drop("_cell"))
            if end == MOST:
                ledger.clear()
            else:
                ledger.drop_below(end + 1)  # type: ignore[operator]
        return found

    def _looked_up(self, tried: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Rows with what they found, each as often as it did; and rows that found nothing."""
        settings = self.settings
        numbered = tried.with_row_index(_ROW)
        if tried.is_empty():
            return numbered, numbered
        table = self.side.rows(int(tried["_hash"][0]))
        keys, theirs = list(settings.keys), list(settings.table_keys)
        if settings.as_of:
            hits = self._at_their_time(numbered, table)
        else:
            hits = numbered.join(table, left_on=keys, right_on=theirs, how="inner", maintain_order="left")
        if settings.conditions:
            hits = hits.filter(reduce(lambda one, other: one & other, map(computed, settings.conditions)))
        return hits, numbered.join(hits.select(_ROW), on=_ROW, how="anti", maintain_order="left")

    def _at_their_time(self, rows: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
        """Each row with the version that held at the time that it asks about."""
        keys, theirs = list(self.settings.keys), list(self.settings.table_keys)
        known = pl.all_horizontal(pl.col(name).is_not_null() for name in (*keys, _ASKED))
        found = (
            rows.filter(known)
            .sort(_ASKED, maintain_order=True)
            .join_asof(
                table.with_columns(pl.lit(value=False).alias("_none")),
                left_on=_ASKED,
                right_on=FROM,
                by_left=keys,
                by_right=theirs,
                strategy="backward",
                check_sortedness=False,
            )
        )
        return found.filter(pl.col("_none").is_not_null() & ~pl.col(GONE).fill_null(value=False)).sort(_ROW)

    def _kept_waiting(self, misses: pl.DataFrame, facts: Facts, stats: Stats) -> pl.DataFrame:
        """Puts rows by that are to be tried again; those that found nothing for good come back."""
        settings = self.settings
        if misses.is_empty():
            return misses
        if settings.fails:
            keys = ", ".join(str(misses[name][0]) if misses[name][0] is not None else "NULL" for name in settings.keys)
            message = f"the join with '{settings.fails}' found no row for '{keys}' (fail_fast)"
            raise VeloError(message, hint="add the row, or choose another missing.data.strategy", code="no-match")
        left = pl.col(_TRIES) < (0 if facts.flush else settings.tries)
        again = misses.filter(left)
        due = max(facts.now + settings.delay, self.again.floor or LEAST)
        self.again.append(
            again.drop(_ROW).with_columns(pl.lit(due, pl.Int64).alias("_cell"), (pl.col(_TRIES) + 1).alias(_TRIES))
        )
        stats.joined[RETRIED] += again.filter(pl.col(_TRIES) == 0).height
        return misses.filter(~left)

    def _results(self, tried: pl.DataFrame, hits: pl.DataFrame, gone: pl.DataFrame, stats: Stats) -> pl.DataFrame:
        """The rows that go on."""
        settings = self.settings
        found = hits[_ROW].n_unique() if hits.height else 0
        stats.joined[MATCHED] += found
        stats.joined[MISSING] += gone.height
        if settings.counts:
            stats.joined[settings.counts] += gone.height
        stats.multiplied += hits.height - found
        stats.in_results += hits.height
        if settings.outer:
            stats.in_results += gone.height
        else:
            stats.unmatched += gone.height
        origin = [name for name in tried.columns if name.startswith("_origin")]
        kept = [*settings.columns, "_event_time", "_source", "_partition", "_offset", *origin]
        if hits.is_empty() and (gone.is_empty() or not settings.outer):
            hits = gone.clear()
        table = self.side.rows(int(tried["_hash"][0])) if tried.height else None
        parts = []
        if table is not None and hits.height:
            if "_origin" in origin and hits.height != found:
                nth = pl.int_range(pl.len()).over(_ROW).cast(pl.String)
                hits = hits.with_columns(pl.concat_str("_origin", pl.lit("/"), nth).alias("_origin"))
            parts.append(hits.select(*kept, *settings.found, pl.lit(value=True).alias(HIT)))
        if table is not None and settings.outer and gone.height:
            nothing = [pl.lit(None, table.schema[name]).alias(name) for name in settings.found]
            parts.append(gone.select(*kept, *nothing, pl.lit(value=False).alias(HIT)))
        if parts:
            return stacked(parts).sort("_event_time", "_source", "_partition", "_offset", maintain_order=True)
        return tried.clear().select(*kept, pl.lit(value=False).alias(HIT))

    def _outgoing(self, after: int | None, held: list[pl.DataFrame]) -> int | None:
        """No row still to come lies below the watermark, nor below those that wait."""
        if after is None:
            return None
        times = [time for frame in held if isinstance(time := frame["_event_time"].min(), int)]
        return min([after, *times])

    def _save(self, stats: Stats) -> None:
        for ledger in (self.ahead, self.again):
            ledger.tidy()
        stats.weigh((self.ahead, self.again), self.store.cached)
        saved = {"ahead": self.ahead.snapshot(), "again": self.again.snapshot()}
        write_root(self.store, self.made, {"watermark": self.watermark.snapshot(), **saved})


def _all(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    return frame
