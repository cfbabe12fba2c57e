"""Corrections before a node that may give several rows for one: the row that is corrected and the new one apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.nodes import Node
from velostream.plan.nodes.base import EMISSION, REVISION, system_field
from velostream.spark.lower.context import column
from velostream.spark.stateful.layout import JOINED, ORIGIN
from velostream.windows.rows.said import PREVIOUS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_UNDO = "_undo"


def separated(frame: DataFrame, node: Node) -> DataFrame:
    """The rows of `node`; before each that corrects another one that withdraws what the other said.

    What a row meets in a table, or is made of, may differ between the two, so that neither stands for both.
    """
    from pyspark.sql import functions as F  # noqa: N812

    if PREVIOUS not in frame.columns:
        return frame
    said = frame.select(f"{PREVIOUS}.*").columns
    corrects = F.col(PREVIOUS).isNotNull() & ~F.coalesce(column(ORIGIN[2]), F.lit(False))
    turns = F.when(corrects, F.array(F.lit(True), F.lit(False))).otherwise(F.array(F.lit(False)))
    both = frame.withColumn(_UNDO, F.explode(turns))
    undone = {name: F.col(PREVIOUS)[name] for name in said} | _withdrawal(node)
    kept = [name for name in frame.columns if name != PREVIOUS]
    return both.select(
        *(
            F.when(F.col(_UNDO), undone[name]).otherwise(column(name)).alias(name) if name in undone else column(name)
            for name in kept
        )
    )


def _withdrawal(node: Node) -> dict[str, Column]:
    """What says that a row withdraws the one before it."""
    from pyspark.sql import functions as F  # noqa: N812

    emission, revision = (system_field(node, name) for name in (EMISSION, REVISION))
    values = {ORIGIN[1]: column(ORIGIN[1]) - 1, ORIGIN[2]: F.lit(True)}
    if emission:
        values[emission] = F.lit("retract")
    if revision:
        values[revision] = (column(revision) - 1).cast("int")
    return values


def multiplied(frame: DataFrame, place: str) -> dict[str, Column]:
    """The carried columns of rows of which a record may have several: `place` counts them from 0."""
    from pyspark.sql import functions as F  # noqa: N812

    further = F.coalesce(column(place) > 0, F.lit(False))
    if "_expanded" in frame.columns:
        further = further | F.coalesce(column("_expanded"), F.lit(False))
    found = {"_expanded": further}
    if JOINED in frame.columns:  # what the record met before is said once
        found[JOINED] = F.when(~F.coalesce(column(place) > 0, F.lit(False)), column(JOINED))
    if ORIGIN[0] in frame.columns:
        numbered = F.concat(column(ORIGIN[0]), F.lit("/"), column(place).cast("string"))
        found[ORIGIN[0]] = F.coalesce(numbered, column(ORIGIN[0]))
    return found
