"""Filter and Project: what each row is asked, and what it becomes; of corrections also what they correct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.nodes import Filter, Project
from velostream.plan.nodes.base import EMISSION, REVISION, system_field
from velostream.plan.nodes.filter import WITHDRAW
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import BAD_VALUE, compute, condition, failure, never_fails
from velostream.spark.stateful.layout import FILTERED, ORIGIN
from velostream.windows.rows.said import PREVIOUS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_WAS = "_was."


def lower_project(node: Project, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """The columns of a select list."""
    wanted = [(each.name, each.expression) for each in node.columns]
    if PREVIOUS not in frame.columns:
        return compute(frame, wanted, CARRIED, node.input.fields, lowering.apart)
    from pyspark.sql import functions as F  # noqa: N812

    before, frame = _with_previous(frame)
    earlier = [(f"{_WAS}{name}", expression.over(before)) for name, expression in wanted]
    carried = [name for name in CARRIED if name != PREVIOUS]
    both = compute(frame, [*wanted, *earlier], [*carried, "_corrects"])
    said = F.struct(*(column(name).alias(name.removeprefix(_WAS)) for name, _ in earlier))
    kept = [name for name in carried if name in both.columns]
    return both.select(
        *(column(name) for name, _ in wanted),
        *map(column, kept),
        F.when(F.col("_corrects"), said).alias(PREVIOUS),
    )


def _with_previous(frame: DataFrame) -> tuple[dict[str, str], DataFrame]:
    """The values that a corrected row had, each as a column of its own, and how they are called."""
    from pyspark.sql import functions as F  # noqa: N812

    corrected = frame.select(f"{PREVIOUS}.*").columns
    was = {name: f"{_WAS}{name}" for name in corrected}
    return was, frame.select(
        *(column(name) for name in frame.columns if name != PREVIOUS),
        *(F.col(PREVIOUS)[name].alias(before) for name, before in was.items()),
        F.col(PREVIOUS).isNotNull().alias("_corrects"),
    )


def lower_filter(node: Filter, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """Rows that do not meet the condition are marked and go on, so that they are counted."""
    from pyspark.sql import functions as F  # noqa: N812

    if node.mode == WITHDRAW and PREVIOUS in frame.columns:
        return _withdrawing(node, frame)
    names = frame.columns
    if never_fails(node.condition, node.input.fields):
        met = F.coalesce(F.expr(node.condition.spark), F.lit(False))
        passed = column("_status").isNotNull() | column("_mark").isNotNull() | met
        status = F.when(passed, column("_status")).otherwise(F.lit(FILTERED))
        return frame.select(*(status.alias(name) if name == "_status" else column(name) for name in names))
    frame = frame.withColumns({"_asked": condition(frame, node.condition), "_said": failure([node.condition])})
    alive = column("_status").isNull() & column("_mark").isNull()
    status = (
        F.when(alive & F.col("_asked").isNull(), F.lit(BAD_VALUE))
        .when(alive & ~F.col("_asked.met"), F.lit(FILTERED))
        .otherwise(column("_status"))
    )
    made = {"_status": status}
    if "_detail" in names:
        failed = alive & F.col("_asked").isNull()
        made["_detail"] = F.when(failed, F.col("_said")).otherwise(column("_detail"))
    others = (column(name) for name in names if name not in made)
    return frame.select(*others, *(value.alias(name) for name, value in made.items()))


def _withdrawing(node: Filter, frame: DataFrame) -> DataFrame:
    """Rows that meet the condition; one that no longer does, while what it corrects did, withdraws that.

    A row is never split in two frames, since each would run all that lies below anew: it is turned into what it says
    before and now, or marked as filtered.
    """
    from pyspark.sql import functions as F  # noqa: N812

    names = [name for name in frame.columns if name != PREVIOUS]
    was, marked = _with_previous(frame)
    met, met_before = condition(marked, node.condition), condition(marked, node.condition.over(was))
    marked = marked.withColumns({"_met": met, "_was_met": met_before})
    alive = column("_status").isNull() & column("_mark").isNull()
    gone = F.col("_corrects") & ~_true(column(ORIGIN[2])) & _true(F.col("_was_met.met"))
    lost = alive & gone & F.col("_met").isNotNull() & ~_true(F.col("_met.met"))
    values = {name: F.when(lost, column(before)).otherwise(column(name)) for name, before in was.items()}
    for name, value in _withdrawal(node).items():
        values[name] = F.when(lost, value).otherwise(column(name))
    values["_status"] = (
        F.when(alive & F.col("_met").isNull(), F.lit(BAD_VALUE))
        .when(alive & ~lost & ~_true(F.col("_met.met")), F.lit(FILTERED))
        .otherwise(column("_status"))
    )
    said = F.struct(*(column(before).alias(name) for name, before in was.items()))
    previous = F.when(F.col("_corrects") & _true(F.col("_was_met.met")) & ~lost, said).alias(PREVIOUS)
    return marked.select(*(values.get(name, column(name)).alias(name) for name in names), previous)


def _withdrawal(node: Filter) -> dict[str, Column]:
    """What says that a row withdraws the one before it."""
    from pyspark.sql import functions as F  # noqa: N812

    emission, revision = (system_field(node.input, name) for name in (EMISSION, REVISION))
    values = {ORIGIN[1]: column(ORIGIN[1]) - 1, ORIGIN[2]: F.lit(True)}
    if emission:
        values[emission] = F.lit("retract")
    if revision:
        values[revision] = (column(revision) - 1).cast("int")
    return values


def _true(condition: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce(condition, F.lit(False))
