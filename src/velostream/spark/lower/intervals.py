"""All that the rows of a query over tables were: each with the time from which on it held, and up to which.

A row of a table holds from its version's time to that of the next version of its key. What is made of one row holds as
long as that does, and what is made of two as long as both do; so times in which nothing changed are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Filter, JoinTable, Node, Project, TableScan
from velostream.spark.lower.aside import without_failures
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.join_table import with_default
from velostream.spark.lower.lookup import HIT
from velostream.spark.lower.static import table_columns
from velostream.tables.newest import GONE, TIME
from velostream.tables.past import ORDER
from velostream.windows.panes import LEAST, MOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

FROM, UNTIL = "_from", "_until"
_FROM, _UNTIL, _BEFORE, _AFTER, _PIECE = "_right_from", "_right_until", "_until_before", "_from_after", "_piece"


def past_of(node: Node, key: Sequence[str], wanted: Sequence[str], lowering: Lowering) -> DataFrame:
    """The columns of a table that a query makes, in all versions of its rows, as a table keeps its past: the time and
    the order of each, and whether it is a deletion. A row whose time is over is deleted before the next one is there.
    """
    from pyspark.sql import functions as F  # noqa: N812

    rows = intervals(node, lowering)
    begins = F.struct(column(FROM).alias(TIME), F.lit(False).alias(GONE), F.lit(1).cast("bigint").alias(ORDER))
    ends = F.struct(column(UNTIL).alias(TIME), F.lit(True).alias(GONE), F.lit(0).cast("bigint").alias(ORDER))
    both = F.when(column(UNTIL) == MOST, F.array(begins)).otherwise(F.array(begins, ends))
    told = rows.select(*map(column, wanted), F.explode(both).alias(_PIECE))
    time = column(_PIECE)[TIME]
    alive = ~column(_PIECE)[GONE]
    return told.select(
        *(column(name) if name in key else F.when(alive, column(name)).alias(name) for name in wanted),
        F.when(time != LEAST, time).alias(TIME),
        column(_PIECE)[GONE].alias(GONE),
        column(_PIECE)[ORDER].alias(ORDER),
    )


def intervals(node: Node, lowering: Lowering) -> DataFrame:
    """The rows of a node with FROM and UNTIL; of those that lack a beginning or an end these are LEAST and MOST."""
    made: DataFrame = _RULES[type(node)](node, [intervals(child, lowering) for child in node.children], lowering)
    return made


def _table(node: TableScan, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    past = lowering.tables[node.table].past(lowering.spark)
    begins = F.coalesce(column(TIME), F.lit(LEAST).cast("bigint"))
    nth = Window.partitionBy(*map(column, node.key)).orderBy(begins, column(ORDER))
    until = F.coalesce(F.lead(begins).over(nth), F.lit(MOST).cast("bigint"))
    told = past.withColumns({FROM: begins, UNTIL: until}).filter(~column(GONE) & (column(FROM) < column(UNTIL)))
    return told.select(*table_columns(node, told), column(FROM), column(UNTIL))


def _rows(node: Filter | Project, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    return without_failures(node, frames[0], lowering, kept=(FROM, UNTIL))


def _join(node: JoinTable, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    """Each row of the left with the one that it met, as long as both held; where it is kept without one, the times
    between too."""
    from pyspark.sql import functions as F  # noqa: N812

    left, right = frames
    right = right.withColumnsRenamed({FROM: _FROM, UNTIL: _UNTIL}).withColumn(HIT, F.lit(True))
    met = [F.expr(pair.left.spark) == F.expr(pair.right.spark) for pair in node.keys]
    met += [F.expr(part.spark) for part in node.residual]
    met += [column(FROM) < column(_UNTIL), column(_FROM) < column(UNTIL)]
    if node.missing.strategy == "skip_record":
        joined = left.join(right, reduce(and_, met), "inner")
        times = {FROM: F.greatest(column(FROM), column(_FROM)), UNTIL: F.least(column(UNTIL), column(_UNTIL))}
        return joined.withColumns(times).select(*map(column, (*node.fields.names, FROM, UNTIL)))
    return _with_gaps(node, left.join(right, reduce(and_, met), "left"))


def _with_gaps(node: JoinTable, joined: DataFrame) -> DataFrame:
    """Rows of the left with what they met, one after another in time, and the times in which they met nothing."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    nth = Window.partitionBy(*map(column, (*node.left.identity, FROM))).orderBy(column(_FROM))
    rows = joined.withColumns(
        {
            _BEFORE: F.coalesce(F.lag(column(_UNTIL)).over(nth), column(FROM)),
            _AFTER: F.lead(column(_FROM)).over(nth),
        }
    )
    hit = F.coalesce(column(HIT), F.lit(False))
    alone = [_piece(column(FROM), column(UNTIL), met=False)]
    pieces = [
        _piece(column(_BEFORE), column(_FROM), met=False),
        _piece(F.greatest(column(FROM), column(_FROM)), F.least(column(UNTIL), column(_UNTIL)), met=True),
        _piece(F.when(column(_AFTER).isNull(), column(_UNTIL)), column(UNTIL), met=False),
    ]
    told = rows.withColumn(_PIECE, F.explode(F.when(hit, F.array(*pieces)).otherwise(F.array(*alone))))
    told = told.filter(column(_PIECE)[FROM] < column(_PIECE)[UNTIL])
    met = column(_PIECE)["met"]
    return told.select(
        *(column(name) for name in node.left.fields.names),
        *(with_default(node, name, F.when(met, column(name)), ~met).alias(name) for name in node.right.fields.names),
        column(_PIECE)[FROM].alias(FROM),
        column(_PIECE)[UNTIL].alias(UNTIL),
    )


def _piece(begins: Column, ends: Column, *, met: bool) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.struct(begins.alias(FROM), ends.alias(UNTIL), F.lit(met).alias("met"))


_RULES: dict[type[Node], Callable[[Any, list[DataFrame], Lowering], DataFrame]] = {
    TableScan: _table,
    Filter: _rows,
    Project: _rows,
    JoinTable: _join,
}
