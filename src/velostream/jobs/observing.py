"""Rows counted by status: at once or, where a large micro-batch without state is read once and kept nowhere, while they
are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.jobs.accounts import Counted
from velostream.spark.lower.context import JOINED, column
from velostream.spark.lower.join_counts import counters, of_counters
from velostream.spark.stateful import layout as names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

FAULT = "fault"
_AGAIN = "again"
_KINDS = ("", names.FILTERED, names.UNMATCHED, FAULT)


class Observed:
    """A frame whose rows are counted by status when something is done with all of them."""

    def __init__(self, batch: DataFrame, joins: int = 0) -> None:
        from pyspark.sql import Observation
        from pyspark.sql import functions as F  # noqa: N812

        self.observation = Observation()
        status, more = column(names.STATUS), F.lit(False)
        self._flags: tuple[bool, ...] = (False,)
        if "_expanded" in batch.columns:
            self._flags, more = (False, True), F.coalesce(column("_expanded"), F.lit(False))
        is_row = column(names.MARK).isNull()
        no_fault = status.isNull() | status.isin(*names.NO_FAULT)
        kinds: dict[str, Any] = {
            "": status.isNull(),
            names.FILTERED: status == names.FILTERED,
            names.UNMATCHED: status == names.UNMATCHED,
            FAULT: ~no_fault,
        }
        counts = [
            F.count_if(is_row & F.coalesce(met, F.lit(False)) & (more == F.lit(flag))).alias(_name(kind, further=flag))
            for kind, met in kinds.items()
            for flag in self._flags
        ]
        if "_replayed" in batch.columns:
            counts.append(F.count_if(is_row & column("_replayed") & ~more).alias(_AGAIN))
        counts += [count.alias(name) for name, count in counters(joins).items()]
        self._joins = joins
        self.frame = batch.observe(self.observation, *counts)

    @property
    def replayed(self) -> int:
        """How many records came again, among all those that are counted."""
        return int(self.observation.get.get(_AGAIN, 0))

    @property
    def joined(self) -> list[tuple[int, int]]:
        """How many rows met something in each join, and how many did not."""
        return of_counters(self.observation.get, self._joins)

    def counts(self) -> list[Counted]:
        """The rows by status, after the frame was written; those that something is wrong with under one name."""
        found = self.observation.get
        told = [
            Counted(kind, flag, False, int(found[_name(kind, further=flag)])) for kind in _KINDS for flag in self._flags
        ]
        return [one for one in told if one.rows]


def by_status(batch: DataFrame) -> list[Counted]:
    """The rows of a micro-batch, counted at once."""
    from pyspark.sql import functions as F  # noqa: N812

    def flag(name: str) -> Column:
        known = column(name) if name in batch.columns else F.lit(None).cast("boolean")
        return F.coalesce(known, F.lit(False)).alias(name)

    rows = batch.filter(column(names.MARK).isNull())
    told = column(JOINED) if JOINED in batch.columns else F.lit(0)
    joined = F.coalesce(told, F.lit(0)).alias(JOINED)
    keyed = rows.groupBy(column(names.STATUS), flag("_expanded"), flag(names.COUNTED), flag("_replayed"), joined)
    return [Counted(row[0] or "", row[1], row[2], row["count"], row[3], row[4]) for row in keyed.count().collect()]


def _name(kind: str, *, further: bool) -> str:
    return f"{kind or 'fine'}{'_more' if further else ''}"
