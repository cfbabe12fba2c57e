"""Union: the rows of several inputs under the names and types of the first; nothing that they carry is lost."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from velostream.plan.nodes import Union
from velostream.plan.nodes.union import BRANCH
from velostream.spark.lower.context import CARRIED, column
from velostream.windows.rows.said import PREVIOUS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lower_union(node: Union, frames: list[DataFrame]) -> DataFrame:
    """One frame with a row for each row of each input."""
    sides = [_side(node, place, frame) for place, frame in enumerate(frames)]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), sides)


def _side(node: Union, place: int, frame: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    names = [member.name for member in node.inputs[place].fields.visible]
    columns = []
    for index, member in enumerate(node.fields):
        if member.name == BRANCH:
            columns.append(F.lit(place).alias(BRANCH))
            continue
        source = names[index] if index < len(names) else member.name
        columns.append(column(source).cast(str(member.type)).alias(member.name))
    carried = [name for name in CARRIED if name in frame.columns and name != PREVIOUS]
    before = [_previous(node, place, frame)] if PREVIOUS in frame.columns else []
    return frame.select(*columns, *map(column, carried), *before)


def _previous(node: Union, place: int, frame: DataFrame) -> Column:
    """What corrected rows of a side said before, under the names and types of the union, as far as they said it."""
    from pyspark.sql import functions as F  # noqa: N812

    said = frame.select(f"{PREVIOUS}.*").columns
    names = [member.name for member in node.inputs[place].fields.visible]
    fields = []
    for index, member in enumerate(node.fields):
        source = names[index] if index < len(names) else member.name
        if source in said:
            fields.append(F.col(PREVIOUS)[source].cast(str(member.type)).alias(member.name))
        elif member.name == BRANCH:
            fields.append(F.lit(place).alias(BRANCH))
    return F.when(F.col(PREVIOUS).isNotNull(), F.struct(*fields)).alias(PREVIOUS)
