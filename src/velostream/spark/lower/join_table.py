"""JoinTable: every row of a stream with what a table has for it; what becomes of rows that find nothing is counted."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from velostream.plan.expression import reads
from velostream.plan.nodes import JoinTable, TableScan
from velostream.plan.nodes.changes import changes_of
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import CARRIED, JoinCount, Lowering, column
from velostream.spark.lower.corrections import multiplied, separated
from velostream.spark.lower.expressions import BAD_VALUE, compute
from velostream.spark.lower.join_counts import bits, has_room
from velostream.spark.lower.lookup import FOUND, HIT, gathered, keyed, left_keys, looked_up, over_found
from velostream.spark.stateful.layout import JOINED, MARK, ORIGIN, STATUS, UNMATCHED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MATCHED, MISSING = "matched", "missing"
"""What a join counts."""
_PLACE, _ONE, _MET, _HITS = "_nth", "_one", "_met", "_hits"


def lower_join_table(node: JoinTable, frame: DataFrame, table: DataFrame, lowering: Lowering) -> DataFrame:
    """The rows of the left side, each with the rows of the table that it meets."""
    frame = separated(frame, node.left)
    fields = [(member.name, reads(member.name, member.type)) for member in node.left.fields]
    rows = compute(frame, [*fields, *left_keys(node.keys)], CARRIED, node.left.fields)
    alive = column(STATUS).isNull() & column(MARK).isNull()
    small = lowering.is_small(node.right)
    if node.meets_one:
        joined = _with_one(node, looked_up(rows, keyed(table, node.keys), node.keys, alive, small=small))
    else:
        joined = _with_all(node, rows, table, alive, small=small)
    return _judged(node, joined, lowering)


def _with_one(node: JoinTable, rows: DataFrame) -> DataFrame:
    """Rows with the one that they met, if the other conditions hold too: `_met` is NULL where these fail."""
    from pyspark.sql import functions as F  # noqa: N812

    if not node.residual:  # what they hit, they met
        return rows
    held = reduce(and_, (F.coalesce(F.expr(part.spark), F.lit(False)) for part in node.residual))
    met = F.when(column(HIT).isNull(), F.lit(False)).otherwise(attempt(F.struct(held.alias("met")))["met"])
    return rows.withColumn(_MET, met)


def _with_all(node: JoinTable, rows: DataFrame, table: DataFrame, alive: Column, *, small: bool) -> DataFrame:
    """Rows with each of those that they met: found as one array, so that the first of them is known."""
    from pyspark.sql import functions as F  # noqa: N812

    wanted = node.right.fields.names
    found = looked_up(rows, gathered(table, node.keys, wanted), node.keys, alive, small=small)
    kept = column(FOUND)
    if node.residual:
        held = " AND ".join(f"coalesce({over_found(part, wanted)}, false)" for part in node.residual)
        kept = F.expr(f"filter({FOUND}, _row -> {held})")
    hits = F.when(column(FOUND).isNotNull(), attempt(F.struct(kept.alias("rows"))))
    found = found.withColumn(_HITS, hits)
    failed = column(FOUND).isNotNull() & column(_HITS).isNull()
    met = F.when(failed, F.lit(None)).otherwise(F.coalesce(F.size(column(_HITS).getField("rows")), F.lit(0)) > 0)
    exploded = found.withColumn(_MET, met).select(
        "*", F.posexplode_outer(column(_HITS).getField("rows")).alias(_PLACE, _ONE)
    )
    return exploded.withColumns({name: column(_ONE)[f"c{place}"] for place, name in enumerate(wanted)})


def _judged(node: JoinTable, rows: DataFrame, lowering: Lowering) -> DataFrame:
    """What becomes of rows that met nothing, and of those whose conditions failed."""
    from pyspark.sql import functions as F  # noqa: N812

    strategy = node.missing.strategy
    alive = column(STATUS).isNull() & column(MARK).isNull()
    changes = changes_of(node.left) is not None
    if changes:  # whom a deletion takes away is known without the table
        alive = alive & ~F.coalesce(column(ORIGIN[2]), F.lit(False))
    sure = node.meets_one and not node.residual  # there is no condition that could fail
    asked = column(HIT).isNotNull() if sure else column(_MET)
    met = asked if sure else F.coalesce(asked, F.lit(False))
    failed = alive & asked.isNull()
    missing = alive & ~met if sure else alive & ~met & ~failed
    rows, counted = _counting(node, rows, alive & met, missing, lowering)
    status = column(STATUS) if sure else F.when(failed, F.lit(BAD_VALUE)).otherwise(column(STATUS))
    said = counted if node.meets_one else multiplied(rows, _PLACE) | counted
    if strategy == "skip_record" and changes:  # what the row met before is taken back
        said[ORIGIN[2]] = F.when(missing, F.lit(True)).otherwise(column(ORIGIN[2]))
    elif strategy == "skip_record":
        status = F.when(missing, F.lit(UNMATCHED)).otherwise(status)
    elif strategy == "fail_fast":
        keys = [column(f"_left_{place}") for place in range(len(node.keys))]
        status = F.when(missing, F.raise_error(complaint(node, keys))).otherwise(status)
    said[STATUS] = status
    carried = [name for name in CARRIED if name in rows.columns or name in said]
    return rows.select(
        *(column(member.name) for member in node.left.fields),
        *(_value(node, member.name, met, missing).alias(member.name) for member in node.right.fields),
        *(said.get(name, column(name)).alias(name) for name in carried),
    )


def _counting(
    node: JoinTable, rows: DataFrame, met: Column, missing: Column, lowering: Lowering
) -> tuple[DataFrame, dict[str, Column]]:
    """Lets Spark count the rows that found something and those that did not, each once whatever it met: with the rows
    where these carry it to their end, as what they say, else as they go by."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    first = F.lit(True) if node.meets_one else F.coalesce(column(_PLACE), F.lit(0)) == 0
    met = met if node.meets_one else met & first
    table, strategy = ", ".join(tables_of(node)), node.missing.strategy
    if rows.isStreaming and has_room(lowering):
        lowering.joined.append((table, strategy))
        told = bits(rows, len(lowering.joined) - 1, met, missing)
        return rows, {JOINED: told if node.meets_one else F.when(first, told)}
    counts = [F.count(F.when(met, 1)).alias(MATCHED), F.count(F.when(missing, 1)).alias(MISSING)]
    if rows.isStreaming:
        name = f"join_{len(lowering.observed)}"
        lowering.observed[name] = (table, strategy)
        return rows.observe(name, *counts), {}
    observation = Observation()
    lowering.counting.append(JoinCount(table, strategy, observation))
    return rows.observe(observation, *counts), {}


def _value(node: JoinTable, name: str, met: Column, missing: Column) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    only_met = node.meets_one and not node.residual  # a row that met nothing has NULLs as it is
    value = column(name) if only_met else F.when(met, column(name))
    return with_default(node, name, value, missing)


def with_default(node: JoinTable, name: str, value: Column, missing: Column) -> Column:
    """A value of the table, or what is set to stand there where nothing was found."""
    from pyspark.sql import functions as F  # noqa: N812

    default = dict(node.missing.defaults).get(name)
    if default is None:
        return value
    return F.when(missing, F.expr(default.spark).cast(str(node.right.fields.of(name).type))).otherwise(value)


def complaint(node: JoinTable, keys: list[Column]) -> Column:
    """What fail_fast says of a row that found nothing for its keys."""
    from pyspark.sql import functions as F  # noqa: N812

    shown = [F.coalesce(key.cast("string"), F.lit("NULL")) for key in keys]
    told = F.concat_ws(", ", *shown) if shown else F.lit("")
    read = ", ".join(f"'{name}'" for name in tables_of(node))
    return F.concat(F.lit(f"the join with {read} found no row for '"), told, F.lit("' (fail_fast)"))


def tables_of(node: JoinTable) -> list[str]:
    """The tables of the right side."""
    return list(dict.fromkeys(one.table for one in node.right.walk() if isinstance(one, TableScan)))
