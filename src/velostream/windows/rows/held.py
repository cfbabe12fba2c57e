"""The rows of partitions as they stand now, by their origin: corrected rows replace, withdrawn ones go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.windows.accumulators.base import POSITION
from velostream.windows.contents import ORIGIN, ORIGIN_GONE, ORIGIN_REVISION
from velostream.windows.state import Ledger
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class Held:
    """A ledger of rows with `_cell`, their partition, an origin, its revision, and whether it is gone."""

    def __init__(self, over: Sequence[str], store: Store, snapshot: dict[str, Any] | None) -> None:
        self.over = list(over)
        self.horizon: int | None = None
        """Partitions whose newest row is not younger are forgotten."""
        self.ledger = Ledger("rows", store, self._reduce, snapshot)

    def add(self, rows: pl.DataFrame, number: int) -> None:
        """Take rows of a micro-batch."""
        self.ledger.append(rows.drop("_record", strict=False).with_columns(pl.lit(number, pl.Int64).alias("_version")))

    def living(self, found: pl.DataFrame) -> pl.DataFrame:
        """The rows that stand, of what was found in the ledger."""
        return newest_of(found, self.over).filter(~pl.col(ORIGIN_GONE))

    def stale(self, found: pl.DataFrame, number: int) -> pl.DataFrame:
        """Rows of partitions that had been silent for longer than their time to live when this micro-batch came, as
        they stood then: whether they are found at all is left to when the ledger is tidied."""
        if self.horizon is None:
            return found.clear()
        old = self.living(found.filter(pl.col("_version") < number))
        return old.filter(pl.col("_event_time").max().over(self.over) <= self.horizon)

    def bury(self, rows: pl.DataFrame, number: int) -> None:
        """Rows that are kept no longer."""
        if rows.height:
            wanted = dict.fromkeys((*self.over, *POSITION, ORIGIN, ORIGIN_REVISION))
            gone = pl.lit(value=True).alias(ORIGIN_GONE)
            self.ledger.append(rows.select(*wanted, gone, pl.lit(number, pl.Int64).alias("_version")))

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        """What is withdrawn is needed only while older rows of it may lie elsewhere."""
        if not complete:
            return newest_of(frame, self.over)
        living = self.living(frame)
        if self.horizon is None or living.is_empty():
            return living
        return living.filter(pl.col("_event_time").max().over(self.over) > self.horizon)


def with_origin(rows: pl.DataFrame, number: int) -> pl.DataFrame:
    """Rows that know whose they are. Records are their own, by where they stand and the micro-batch that they came
    with, since the offsets of several files may be the same."""
    place = pl.int_range(pl.len(), dtype=pl.Int64)
    hashed = [pl.col("_hash")] if "_hash" in rows.columns else []
    parts = [*map(pl.col, POSITION[1:]), *hashed, pl.lit(number), place]
    own = pl.concat_str([part.cast(pl.String).fill_null("") for part in parts], separator="/")
    ordered = rows.sort(POSITION)
    if ORIGIN not in rows.columns:
        revision = pl.lit(1, pl.Int64).alias(ORIGIN_REVISION)
        return ordered.with_columns(own.alias(ORIGIN), revision, pl.lit(value=False).alias(ORIGIN_GONE))
    return ordered.with_columns(
        pl.coalesce(ORIGIN, own).alias(ORIGIN),
        pl.col(ORIGIN_REVISION).fill_null(1),
        pl.col(ORIGIN_GONE).fill_null(value=False),
    )


def newest_of(frame: pl.DataFrame, over: Sequence[str]) -> pl.DataFrame:
    """The newest revision of each row; of one revision the withdrawal, of two equal ones the later."""
    ordered = frame.sort(ORIGIN_REVISION, ORIGIN_GONE, "_version")
    return ordered.unique([*over, ORIGIN], keep="last", maintain_order=True)


def refuse_scattered(rows: pl.DataFrame, keys: Sequence[str]) -> None:
    """Ends a run over changes of one row in several partitions: offsets do not say which of them is the newest."""
    several = rows.group_by(keys).agg(pl.col("_partition").unique()).filter(pl.col("_partition").list.len() > 1)
    if several.height:
        *key, numbers = several.row(0)
        shown = ", ".join(map(str, key))
        where = ", ".join(str(number) for number in sorted(numbers))
        message = f"the changes of the row with the key '{shown}' are in partitions {where}: nothing orders them"
        hint = "write the changes anew to a topic that has its partitions from the beginning, each key in one of them"
        raise VeloError(message, hint=hint, code="unordered-changes")
