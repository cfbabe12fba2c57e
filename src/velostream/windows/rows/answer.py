"""What rows of a partition say together: the protocol of answers, and when they are asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from velostream.windows.accumulators.base import POSITION
from velostream.windows.lateness import Lateness
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import polars as pl


class Answer(Protocol):
    """What the rows of partitions say together."""

    @property
    def kind(self) -> str:
        """In the words of an error."""
        ...

    @property
    def results(self) -> list[str]:
        """The columns that it adds."""
        ...

    def answered(self, rows: pl.DataFrame, over: list[str]) -> pl.DataFrame:
        """The rows in the order in which they go out, with results and `_listed`: whether a row stands at all.

        It may add `_fixed` (what was said of the row holds, whatever comes), `_late` (it comes after its place has been
        passed) and `_leaves` (the row need not be kept). Rows have `_revision`, 0 where nothing was said of them yet,
        and `_new` where they came with this micro-batch.
        """
        ...


class Due(Enum):
    """When partitions are answered."""

    AT_ONCE = "with every change"
    AT_CLOSE = "when the watermark has passed their window, then with every change"
    AT_FLUSH = "when the input ends"


@dataclass(frozen=True)
class StandingSettings:
    """`columns` go out beside the results. `close` is the column that says when a partition is complete, `kind` that
    which says as what a row came (final, change …); both may be missing. With `changes` windows do not wait.

    With `by_partition` a partition has one row, known by the partition; with `whole` all of it is said again where
    something changed. With `withdraws` false nobody can take a row back, so none is withdrawn. `ttl` forgets partitions
    that have been silent for so long: a row of one then counts from 1 again, and nodes above order what it says by the
    micro-batch. With `in_one_partition` offsets say which revision of a row a record is, so that
    all of them must be in one partition of their source.
    """

    answer: Answer
    columns: tuple[str, ...]
    partition: tuple[str, ...] = ()
    due: Due = Due.AT_ONCE
    close: str = ""
    kind: str = ""
    changes: bool = False
    by_partition: bool = False
    whole: bool = False
    withdraws: bool = True
    keeps_previous: bool = False
    in_one_partition: bool = False
    ttl: int | None = None
    lateness: Lateness = field(default_factory=Lateness)
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)

    @property
    def shown(self) -> list[str]:
        """All that a row says."""
        return [*self.columns, *self.answer.results, *POSITION]
