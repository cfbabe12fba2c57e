"""Filter and Project: what each row is asked, and what it becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.nodes import Filter, Project
from velostream.plan.nodes.filter import WITHDRAW
from velostream.spark.lower.aggregate import PREVIOUS
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import BAD_VALUE, compute, condition
from velostream.spark.stateful.layout import FILTERED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lower_project(node: Project, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """The columns of a select list."""
    return compute(frame, [(each.name, each.expression) for each in node.columns], CARRIED)


def lower_filter(node: Filter, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """In a stream, rows that do not meet the condition are marked and go on, so that they are counted; else removed."""
    from pyspark.sql import functions as F  # noqa: N812

    if node.mode == WITHDRAW:
        return _withdrawing(node, frame)
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


def _withdrawing(node: Filter, frame: DataFrame) -> DataFrame:
    """Rows that meet the condition; one that no longer does, while what it corrects did, withdraws that."""
    from pyspark.sql import functions as F  # noqa: N812

    names = [name for name in frame.columns if name != PREVIOUS]
    corrected = frame.select(f"{PREVIOUS}.*").columns
    was = {name: f"_was.{name}" for name in corrected}
    marked = frame.select(
        *(column(name) for name in names),
        *(F.col(PREVIOUS)[name].alias(before) for name, before in was.items()),
        F.col(PREVIOUS).isNotNull().alias("_corrects"),
    )
    now, earlier = F.expr(node.condition.spark), F.expr(node.condition.over(was).spark)
    marked = marked.withColumns({"_met": _true(now), "_was_met": _true(earlier)})
    gone = F.col("_corrects") & (F.col("_emission") != F.lit("retract")) & F.col("_was_met") & ~F.col("_met")
    values = {"_emission": F.lit("retract"), "_revision": (F.col("_revision") - 1).cast("int")}
    values |= {name: column(before) for name, before in was.items()}
    withdrawn = marked.filter(gone).select(*(values.get(name, column(name)).alias(name) for name in names))
    return withdrawn.unionByName(marked.filter(F.col("_met")).select(*(column(name) for name in names)))


def _true(condition: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce(condition, F.lit(False))
