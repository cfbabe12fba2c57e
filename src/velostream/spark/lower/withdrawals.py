"""Rows that correct others, each behind a row that withdraws what the other said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.spark.lower.context import column
from velostream.spark.stateful import layout as names
from velostream.windows.rows.said import PREVIOUS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def with_withdrawals(frame: DataFrame) -> DataFrame:
    """Before each row that corrects another a row that withdraws what the other said: the correction may belong to
    another group, in another bucket, which knows nothing of it."""
    from pyspark.sql import functions as F  # noqa: N812

    said = frame.select(f"{PREVIOUS}.*").columns
    _, revision, gone = names.ORIGIN
    corrects = F.col(PREVIOUS).isNotNull() & ~F.coalesce(column(gone), F.lit(False))
    turns = F.when(corrects, F.array(F.lit(True), F.lit(False))).otherwise(F.array(F.lit(False)))
    both = frame.withColumn("_undo", F.explode(turns))
    undone = {name: F.col(PREVIOUS)[name] for name in said}
    undone |= {revision: column(revision) - 1, gone: F.lit(True)}
    undone |= {names.JOINED: F.lit(None)} if names.JOINED in frame.columns else {}  # what the row met is said once
    kept = [name for name in frame.columns if name != PREVIOUS]
    return both.select(
        *(
            F.when(F.col("_undo"), undone[name]).otherwise(column(name)).alias(name) if name in undone else column(name)
            for name in kept
        )
    )
