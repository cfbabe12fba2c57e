"""Which rows a version of a job writes while another version runs beside it: a share of the keys, from a window on or,
without windows, from a point on at which both versions have read the same (velostream.jobs.meeting).

Both versions compute all rows. Of each key and window exactly one of them is the owner, whatever is corrected later,
since ranges change only for windows that have no record yet. Rows without windows have no ranges: what is owned changes
for all of them at once, between two micro-batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from velostream.plan.job import Job
from velostream.plan.nodes import Sinks
from velostream.plan.nodes.base import WINDOW_END
from velostream.spark.lower.context import SLOT, column
from velostream.spark.lower.slots import SLOTS, slot_of
from velostream.spark.stateful import layout as names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from velostream.spark.lower.job import LoweredJob

WHOLE = SLOTS
"""Keys are spread over so many places."""
OTHERS = "_others"
"""The column that is true of rows whose dead letter another version writes."""


@dataclass(frozen=True, slots=True)
class Range:
    """From the windows that end after `after` (microseconds) on, the keys with places from `low` up to `high`."""

    after: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Ownership:
    """What a version owns of a job. Without ranges, all windows have the keys of `before`."""

    before: tuple[int, int] = (0, WHOLE)
    ranges: tuple[Range, ...] = ()
    letters: Ownership | None = None
    """What is owned of dead letters, where that is not the same: windows of a version that has ended are closed for
    good, and whoever is left writes the letters of records that still come for them."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Ownership:
        """From plain data."""
        letters = data.get("letters")
        ranges = tuple(Range(*each) for each in data["ranges"])
        return cls(tuple(data["before"]), ranges, None if letters is None else cls.of(letters))

    def data(self) -> dict[str, Any]:
        """As plain data."""
        told = {"before": list(self.before), "ranges": [[one.after, one.low, one.high] for one in self.ranges]}
        return told if self.letters is None else {**told, "letters": self.letters.data()}

    def then(self, after: int, low: int, high: int) -> Ownership:
        """The same with other keys from a window on."""
        letters = None if self.letters is None else self.letters.then(after, low, high)
        return replace(self, ranges=(*self.ranges, Range(after, low, high)), letters=letters)

    def alone(self) -> Ownership:
        """The same where no other version is left that would write a letter."""
        return self if self.is_whole else replace(self, letters=Ownership())

    @property
    def of_letters(self) -> Ownership:
        """What is owned of dead letters."""
        return self if self.letters is None else self.letters

    @property
    def now(self) -> tuple[int, int]:
        """The places of the keys that are owned from now on."""
        return (self.ranges[-1].low, self.ranges[-1].high) if self.ranges else self.before

    def at(self, end: int) -> tuple[int, int]:
        """The places of the keys that are owned of windows with that end."""
        found = [(one.low, one.high) for one in self.ranges if end > one.after]
        return found[-1] if found else self.before

    @property
    def is_whole(self) -> bool:
        """True where everything is owned, always."""
        return not self.ranges and self.before == (0, WHOLE)

    def column(self, end: Column, place: Column) -> Column:
        """True for rows that are owned."""
        from pyspark.sql import functions as F  # noqa: N812

        owned = (place >= self.before[0]) & (place < self.before[1])
        for one in self.ranges:
            owned = F.when(end > one.after, (place >= one.low) & (place < one.high)).otherwise(owned)
        return owned


def key_of(job: Job) -> tuple[str, ...]:
    """The fields by which the rows of a job are spread over places."""
    return job.root.targets[0].key if isinstance(job.root, Sinks) else ()


@dataclass
class Owners:
    """What this process owns of each of its jobs."""

    of_jobs: dict[str, Ownership] = field(default_factory=dict)

    def goes_by_slots(self, job: Job) -> bool:
        """True where rows are owned by where their record stood, since they have no key."""
        owner = self.of_jobs.get(job.name)
        return owner is not None and not owner.is_whole and not key_of(job) and not job.stateful

    def applied(self, job: Job, lowered: LoweredJob) -> LoweredJob:
        """The job with only its own rows going out; what is wrong with other rows is counted nevertheless, and marked
        as another one's letter."""
        owner = self.of_jobs.get(job.name)
        if owner is None or owner.is_whole:
            return lowered
        letters = owner.of_letters
        by_slots, rows, local = self.goes_by_slots(job), lowered.rows, lowered.local
        place = column(SLOT) if by_slots else slot_of(*map(column, key_of(job)))

        def own(made: DataFrame) -> DataFrame:
            from pyspark.sql import functions as F  # noqa: N812

            wrong = column(names.STATUS).isNotNull()
            mine = made.filter(wrong | owner.column(_end(), place))
            return mine.withColumn(OTHERS, wrong & ~letters.column(_end(), F.coalesce(place, F.lit(0))))

        owned = None if local is None else lambda payloads: own(local(payloads))
        return replace(lowered, rows=lambda batch: own(rows(batch)), local=owned, table=None, shared=True)


def _end() -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.unix_micros(column(WINDOW_END).cast("timestamp"))
