"""Rows as they leave a job with state, counted by kind after HAVING, joins and all else that lies behind its last
stateful node: some of what that said may be hidden, withdrawn, or there several times. A row that no sink took has not
left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from velostream.sinks.writers import Refusal
from velostream.sinks.writers.batch import LEFT, PLACE
from velostream.spark.lower.context import column
from velostream.spark.stateful import layout as names
from velostream.windows.emission.base import CHANGE, EARLY, FINAL, LATE, RETRACT

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, Observation

KINDS = (EARLY, FINAL, LATE, CHANGE, RETRACT)


@dataclass
class Leaving:
    """Those of a micro-batch."""

    observation: Observation | None = None
    counted: Counter[str] | None = None
    refused: list[Sequence[Refusal]] = field(default_factory=list)
    """Of each sink, the rows that it did not take; a table takes all."""

    def begin(self) -> None:
        """Another micro-batch."""
        self.observation = self.counted = None
        self.refused = []

    @property
    def lost(self) -> list[Refusal]:
        """The rows that no sink took."""
        if len(self.refused) < 2:
            return [one for refused in self.refused for one in refused]
        common = set.intersection(*({one.place for one in refused} for refused in self.refused))
        return [one for one in self.refused[0] if one.place in common]

    @property
    def counts(self) -> Counter[str] | None:
        """How many rows of each kind left; None where nobody had to look, since all went as they were said."""
        if self.observation is None:
            return self.counted
        return Counter({kind: count for kind, count in self.observation.get.items() if count})

    def observed(self, rows: DataFrame) -> DataFrame:
        """The rows of a frame, counted by the first thing that is done with all of them."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as F  # noqa: N812

        self.observation = Observation()
        leaves = column(names.STATUS).isNull() & column(names.MARK).isNull()
        counts = [F.count_if(leaves & (_kind(rows) == F.lit(kind))).alias(kind) for kind in KINDS]
        return rows.observe(self.observation, *counts)

    def columns(self, rows: DataFrame) -> list[Column]:
        """What is asked of rows that are taken to the driver."""
        return [_kind(rows).alias(LEFT)]

    def take(self, written: pa.Table) -> None:
        """Counts rows in the driver that leave, where these were asked."""
        if LEFT in written.column_names:
            self.counted = Counter({one["values"]: one["counts"] for one in written[LEFT].value_counts().to_pylist()})


def numbered(rows: pa.Table) -> pa.Table:
    """Rows in the driver, each with its place."""
    import numpy as np
    import pyarrow as pa

    return rows.append_column(PLACE, pa.array(np.arange(rows.num_rows)))


def placed(rows: DataFrame, *, stateful: bool) -> DataFrame:
    """Rows that workers write: as what each leaves where there is state, and its place."""
    from pyspark.sql import functions as F  # noqa: N812

    known = {LEFT: _kind(rows)} if stateful else {}
    return rows.withColumns({**known, PLACE: F.monotonically_increasing_id()})


def _kind(rows: DataFrame) -> Column:
    """As what a row goes out: one that something behind the node turned into a withdrawal is one. A row that no
    stateful node has said, beside others that one has, is a change."""
    from pyspark.sql import functions as F  # noqa: N812

    said = F.coalesce(column(names.KIND), F.lit(CHANGE)) if names.KIND in rows.columns else F.lit(CHANGE)
    gone = names.ORIGIN[2]
    return F.when(column(gone), F.lit(RETRACT)).otherwise(said) if gone in rows.columns else said
