"""A micro-batch on its way to the sinks: which one it is, and its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

FEW = 100_000
"""Up to so many rows are taken to the driver and written there: a job of Spark costs more than they do."""


@dataclass(frozen=True)
class Batch:
    """Which micro-batch of which query. A query has a new id with every new checkpoint, batches count from 0 again."""

    query: str
    number: int
    folder: Path = Path()
    """Relative paths start here: the folder of the SQL file."""
    show: Callable[[object], None] = print
    """What the console shows; what it is given is readable as text."""


@dataclass
class BatchRows:
    """The rows of a micro-batch for one sink."""

    frame: DataFrame
    at_most: int | None = None
    """No more rows than this, where it is known without asking Spark."""
    given: pa.Table | None = None
    """The rows themselves, where they are in the driver already."""

    @cached_property
    def few(self) -> bool:
        """True where the rows fit into the driver with ease."""
        return (self.frame.count() if self.at_most is None else self.at_most) <= FEW

    @property
    def none(self) -> bool:
        """True where it is known that there is no row."""
        return self.at_most == 0

    def table(self) -> pa.Table:
        """All rows, in the driver."""
        return self.frame.toArrow() if self.given is None else self.given
