"""Rows counted by status: at once or, where a large micro-batch without state is read once and kept nowhere, while they
are written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from velostream.jobs.accounts import Counted
from velostream.spark.lower.context import column
from velostream.spark.lower.join_counts import counters, of_counters
from velostream.spark.stateful import layout as names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation

FAULT = "fault"
_AGAIN = "again"
_COUNTS = "counts"
_MET = {
    "": f"{names.STATUS} IS NULL",
    **{name: f"{names.STATUS} <=> '{name}'" for name in names.NO_FAULT},
    FAULT: f"{names.STATUS} NOT IN {names.NO_FAULT}",
}
"""When a row is of a kind, as text: to Spark that is one word instead of thirty, in every micro-batch."""


class Counting:
    """What is counted of the rows of a job by status: made once, so that a micro-batch has nothing to parse."""

    def __init__(self, columns: Collection[str], joins: int = 0) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        self.flags: tuple[bool, ...] = (False, True) if "_expanded" in columns else (False,)
        self.joins = joins
        texts = {
            _name(kind, further=flag): f"{met}{_further(flag) if len(self.flags) > 1 else ''}"
            for kind, met in _MET.items()
            for flag in self.flags
        }
        if "_replayed" in columns:
            texts[_AGAIN] = f"_replayed{_further(False) if len(self.flags) > 1 else ''}"
        met = {name: f"{names.MARK} IS NULL AND {text}" for name, text in texts.items()} | counters(joins)
        # count_if would have each of its answers laid into every row, beside all columns, before it is counted
        counts = ", ".join(f"'{name}', count(CASE WHEN {text} THEN 1 END)" for name, text in met.items())
        self._counts = F.expr(f"named_struct({counts})").alias(_COUNTS)
        self._fine = F.expr(f"{names.MARK} IS NULL AND {names.STATUS} IS NULL")

    def observed(self, batch: DataFrame) -> Observed:
        """The rows of a micro-batch, counted when something is done with all of them."""
        from pyspark.sql import Observation

        observation = Observation()
        return Observed(self, observation, batch.observe(observation, self._counts).filter(self._fine))


@dataclass
class Observed:
    """A micro-batch whose rows are counted when `fine`, those that nothing is wrong with, are written."""

    counting: Counting
    observation: Observation
    fine: DataFrame

    @cached_property
    def _found(self) -> dict[str, int]:
        return dict(self.observation.get[_COUNTS].asDict())

    @property
    def replayed(self) -> int:
        """How many records came again, among all those that are counted."""
        return int(self._found.get(_AGAIN, 0))

    @property
    def joined(self) -> list[tuple[int, int]]:
        """How many rows met something in each join, and how many did not."""
        return of_counters(self._found, self.counting.joins)

    def counts(self) -> list[Counted]:
        """The rows by status, after they were written; those that something is wrong with under one name."""
        told = [
            Counted(kind, flag, False, int(self._found[_name(kind, further=flag)]))
            for kind in _MET
            for flag in self.counting.flags
        ]
        return [one for one in told if one.rows]


def by_status(batch: DataFrame) -> list[Counted]:
    """The rows of a micro-batch, counted at once."""
    from pyspark.sql import functions as F  # noqa: N812

    def flag(name: str) -> Column:
        known = column(name) if name in batch.columns else F.lit(None).cast("boolean")
        return F.coalesce(known, F.lit(False)).alias(name)

    rows = batch.filter(column(names.MARK).isNull())
    told = column(names.JOINED) if names.JOINED in batch.columns else F.lit(0)
    joined = F.coalesce(told, F.lit(0)).alias(names.JOINED)
    keyed = rows.groupBy(column(names.STATUS), flag("_expanded"), flag(names.COUNTED), flag("_replayed"), joined)
    return [Counted(row[0] or "", row[1], row[2], row["count"], row[3], row[4]) for row in keyed.count().collect()]


def _further(flag: bool) -> str:
    return f" AND coalesce(_expanded, false) = {flag}"


def _name(kind: str, *, further: bool) -> str:
    return f"{kind or 'fine'}{'_more' if further else ''}"
