"""Looking rows of a table up by keys: the frame of the table's side, found once per key, and the join itself.

Rows of a stream are never lost here: a row that finds nothing has NULLs, and `HIT` says whether it found something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.plan.expression import Expression
from velostream.plan.nodes.join_table import KeyPair
from velostream.spark.lower.context import column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

HIT = "_hit"
FOUND = "_found"
"""All rows of a key, as an array of structs whose fields are c0, c1 …"""


def left_keys(pairs: Sequence[KeyPair]) -> list[tuple[str, Expression]]:
    """The keys of the stream's side, as columns to be computed."""
    return [(f"_left_{place}", pair.left) for place, pair in enumerate(pairs)]


def keyed(table: DataFrame, pairs: Sequence[KeyPair]) -> DataFrame:
    """The table's side with its keys as columns."""
    from pyspark.sql import functions as F  # noqa: N812

    return table.withColumns({f"_right_{place}": F.expr(pair.right.spark) for place, pair in enumerate(pairs)})


def gathered(table: DataFrame, pairs: Sequence[KeyPair], wanted: Sequence[str]) -> DataFrame:
    """One row for each key with all rows that have it, in an order that does not depend on the run."""
    from pyspark.sql import functions as F  # noqa: N812

    rows = keyed(table, pairs)
    keys = [f"_right_{place}" for place in range(len(pairs))]
    cells = [column(name).alias(f"c{place}") for place, name in enumerate(wanted)]
    order = F.to_json(F.struct(*map(column, wanted))).alias("order") if wanted else F.lit("").alias("order")
    alone = F.struct(order, F.struct(*cells, F.lit(True).alias("there")).alias("row"))
    by_order = F.array_sort(F.collect_list(alone), _by_order)
    grouped = rows.groupBy(*keys) if keys else rows.groupBy()
    return grouped.agg(F.transform(by_order, lambda one: one["row"]).alias(FOUND))


def _by_order(one: Column, other: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.when(one["order"] < other["order"], -1).when(one["order"] > other["order"], 1).otherwise(0)


def looked_up(
    rows: DataFrame, table: DataFrame, pairs: Sequence[KeyPair], alive: Column, *, small: bool, hit: str = HIT
) -> DataFrame:
    """Every row, with what the table has under its keys; of which there is at most one."""
    from pyspark.sql import functions as F  # noqa: N812

    there = table.withColumn(hit, F.lit(True))
    asked = alive
    for place in range(len(pairs)):
        asked = asked & (column(f"_left_{place}") == column(f"_right_{place}"))
    right = F.broadcast(there) if small or not pairs else there
    joined = rows.join(right, asked, "left")
    return joined.drop(*(f"_right_{place}" for place in range(len(pairs))))


def over_found(expression: Expression, wanted: Sequence[str], row: str = "_row") -> str:
    """The text of an expression in which fields of the table are those of `row`, one of the rows that were found."""
    places = {name: f"_row_c{place}_" for place, name in enumerate(wanted)}
    text = expression.over(places).spark
    for place in range(len(wanted)):
        text = text.replace(f"`_row_c{place}_`", f"{row}.c{place}")
    return text
