"""Filter and Project: what each row is asked, and what it becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.nodes import Filter, Project
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import BAD_VALUE, compute, condition
from velostream.spark.stateful.layout import FILTERED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def lower_project(node: Project, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """The columns of a select list."""
    return compute(frame, [(each.name, each.expression) for each in node.columns], CARRIED)


def lower_filter(node: Filter, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """In a stream, rows that do not meet the condition are marked and go on, so that they are counted; else removed."""
    from pyspark.sql import functions as F  # noqa: N812

    if "_status" not in frame.columns:
        return frame.filter(F.expr(node.condition.spark))
    names = frame.columns
    frame = frame.withColumn("_asked", condition(frame, node.condition))
    alive = column("_status").isNull() & column("_mark").isNull()
    status = (
        F.when(alive & F.col("_asked").isNull(), F.lit(BAD_VALUE))
        .when(alive & ~F.col("_asked.met"), F.lit(FILTERED))
        .otherwise(column("_status"))
    )
    return frame.select(*(column(name) for name in names if name != "_status"), status.alias("_status"))
