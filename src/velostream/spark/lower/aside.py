"""Rows of tables whose expressions fail: put aside with what they were and why, so that a query goes on without them.

What a query gives without any such row is the same as without this; it costs more, so it is done where rows failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.plan.nodes import Filter, Project
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import BAD_VALUE, as_json, compute
from velostream.spark.lower.rows import lower_filter
from velostream.spark.stateful.layout import DETAIL, MARK, RECORD, STATUS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def as_records(frame: DataFrame) -> DataFrame:
    """Rows of a table with what rows of a stream carry, so that one rule serves both."""
    from pyspark.sql import functions as F  # noqa: N812

    return frame.withColumns({name: F.lit(None).cast("string") for name in (STATUS, DETAIL, MARK)})


def without_failures(
    node: Filter | Project, frame: DataFrame, lowering: Lowering, kept: Sequence[str] = ()
) -> DataFrame:
    """The rows of a node without those that fail; these are put aside as (why, what they were in JSON). `kept` are
    columns that rows have beside the fields of the node."""
    from pyspark.sql import functions as F  # noqa: N812

    assert lowering.aside is not None
    read = [member.name for member in node.input.fields.visible]
    plain = [name.rpartition(".")[2] for name in read]
    shown = plain if len(set(plain)) == len(plain) else read
    was = F.struct(*(column(name).alias(as_) for name, as_ in zip(read, shown, strict=True)))
    records = as_records(frame).withColumn(RECORD, as_json(was, nulls=True))
    if isinstance(node, Filter):
        made = lower_filter(node, records, lowering)
    else:
        wanted = [(each.name, each.expression) for each in node.columns]
        made = compute(records, wanted, (*CARRIED, *kept), node.input.fields)
    lowering.aside.append(made.filter(column(STATUS) == BAD_VALUE).select(column(DETAIL), column(RECORD)))
    return made.filter(column(STATUS).isNull()).select(*map(column, (*node.fields.names, *kept)))
