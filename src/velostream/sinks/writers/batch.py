"""A micro-batch on its way to the sinks: which one it is, and its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.sinks.writers.crossing import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

FEW = 100_000
"""Up to so many rows are taken to the driver and written there: a job of Spark costs more than they do."""
LEFT, PLACE = "_left", "_at"
"""Columns that rows may have beside those that are written: as what a row leaves the job, and its number among all of
its micro-batch."""


@dataclass(frozen=True)
class Batch:
    """Which micro-batch of which query. A query has a new id with every new checkpoint, batches count from 0 again."""

    query: str
    number: int
    folder: Path = Path()
    """Relative paths start here: the folder of the SQL file."""
    show: Callable[[object], None] = print
    """What the console shows; what it is given is readable as text."""
    strict: bool = False
    """True where a row that a sink does not take is an error, and nothing of the micro-batch is written."""
    age: float = 0.0
    """How many seconds ago it was begun, maybe by another process."""


@dataclass(frozen=True)
class Refusal:
    """A row that a sink does not take whatever is tried: why, and the row as JSON."""

    error: str
    row: str
    left: str = ""
    """As what it would have left the job, where rows say so."""
    place: int = -1
    """Its number among the rows of the micro-batch, where rows have one."""

    @classmethod
    def of(cls, error: str, row: str, rows: Any, at: int = 0) -> Refusal:
        """Of the row at a place of a table."""
        left, place = (rows.column(name)[at].as_py() if name in rows.schema.names else None for name in (LEFT, PLACE))
        return cls(error, row, left or "", -1 if place is None else place)


@dataclass(frozen=True)
class Shape:
    """What the rows of a sink are like, for one that does more than append the columns."""

    columns: tuple[tuple[str, str], ...] = ()
    """What is written: names, and types as SQL writes them."""
    key: tuple[str, ...] = ()
    """What names a row: the message key, or the key of a table."""
    identity: tuple[str, ...] = ()
    """What an upsert finds the row by that it replaces: the key, for windowed rows with the window."""
    upserts: bool = False
    once: bool = False
    """True where each row must be there exactly once, whatever is repeated."""
    emission: str = ""
    """The column that tells a withdrawal; empty where rows are never corrected."""
    revision: str = ""
    """The column by which of two rows of one identity the newer one holds; empty where nothing tells."""
    headers: str = ""
    """The column of headers, where they are written."""
    time: str = ""
    """The column of event time, where it is written as the time of a message."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are written."""
        return tuple(name for name, _ in self.columns)

    @property
    def needs(self) -> tuple[str, ...]:
        """All columns that the writer looks at."""
        beside = (*self.key, *self.identity, self.emission, self.headers, self.time)
        return tuple(name for name in dict.fromkeys((*self.names, *beside)) if name)


@dataclass
class BatchRows:
    """The rows of a micro-batch for one sink."""

    spark: DataFrame | None
    """The rows in Spark; None where they are given."""
    at_most: int | None = None
    """No more rows than this, where it is known without asking Spark."""
    given: pa.Table | None = None
    """The rows themselves, where they are in the driver already."""

    @property
    def frame(self) -> DataFrame:
        """The rows in Spark, for a sink that has workers write them."""
        assert self.spark is not None
        return self.spark

    @cached_property
    def few(self) -> bool:
        """True where the rows fit into the driver with ease, or are there."""
        return self.given is not None or (self.frame.count() if self.at_most is None else self.at_most) <= FEW

    @property
    def none(self) -> bool:
        """True where it is known that there is no row."""
        return self.at_most == 0

    def table(self) -> pa.Table:
        """All rows, in the driver."""
        return to_arrow(self.frame) if self.given is None else self.given
