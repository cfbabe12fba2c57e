"""What reads tables and values only: a batch query of Spark, answered anew in every micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.functions import find
from velostream.plan.expression import Expression
from velostream.plan.fields import Field
from velostream.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    JoinTable,
    Node,
    OrderLimit,
    Project,
    SubqueryCheck,
    TableScan,
    Union,
    Unnest,
    Values,
)
from velostream.plan.nodes.aggregate import AggregateCall
from velostream.plan.nodes.order import Order
from velostream.spark.lower.aside import as_records, without_failures
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.expressions import BAD_VALUE
from velostream.spark.lower.join_table import complaint, with_default
from velostream.spark.lower.lookup import HIT
from velostream.spark.lower.subquery import lower_subquery
from velostream.spark.lower.union import lower_union
from velostream.spark.lower.unnest import lower_unnest
from velostream.spark.stateful.layout import DETAIL, STATUS
from velostream.tables.newest import TIME

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_TIMES = ("_timestamp", "_event_time")


def lower_static(node: Node, lowering: Lowering) -> DataFrame:
    """The rows of a static node; a value that fails ends the query, unless its row can be put aside."""
    rule = _RULES.get(type(node))
    if rule is None:
        raise lowering.refuse(node)
    frames = [lower_static(child, lowering) for child in node.children]
    lowered: DataFrame = rule(node, frames, lowering)
    return lowered


def _table(node: TableScan, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    rows = lowering.tables[node.table].frame(lowering.spark)
    return rows.select(*table_columns(node, rows))


def table_columns(node: TableScan, rows: DataFrame) -> list[Column]:
    """The fields of a table, out of its rows as they are kept."""
    from pyspark.sql import functions as F  # noqa: N812

    columns = []
    for member in node.columns:
        name = member.name.removeprefix(f"{node.alias}.")
        if name in _TIMES and name not in rows.columns:
            columns.append(F.timestamp_micros(column(TIME)).alias(member.name))
        elif name in rows.columns:
            columns.append(column(name).alias(member.name))
        else:
            message = f"table '{node.table}' does not keep '{name}' of its records"
            raise VeloError(message, hint="_event_time is kept", code="unsupported")
    return columns


def _values(node: Values, frames: list[DataFrame], lowering: Lowering) -> DataFrame:

    one = lowering.spark.range(1)
    rows = [
        one.select(*(_value(value, member) for value, member in zip(row, node.columns, strict=True)))
        for row in node.rows
    ]
    return reduce(lambda first, other: first.union(other), rows)


def _value(value: Expression, member: Field) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.expr(value.spark).cast(str(member.type)).alias(member.name)


def _project(node: Project, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    if lowering.aside is not None:
        return without_failures(node, frames[0], lowering)
    return frames[0].select(*(F.expr(each.expression.spark).alias(each.name) for each in node.columns))


def _filter(node: Filter, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    if lowering.aside is not None:
        return without_failures(node, frames[0], lowering)
    return frames[0].filter(F.expr(node.condition.spark))


def _distinct(node: Distinct, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    return frames[0].dropDuplicates(list(node.keys))


def _union(node: Union, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    return lower_union(node, frames)


def _ordered(node: OrderLimit, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    rows = frames[0].orderBy(*map(_order, node.order)) if node.order else frames[0]
    return rows if node.limit is None else rows.limit(node.limit)


def _order(term: Order) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    value = F.expr(term.expression.spark)
    if term.descending:
        return value.desc_nulls_first() if term.nulls_first else value.desc_nulls_last()
    return value.asc_nulls_first() if term.nulls_first else value.asc_nulls_last()


def _aggregate(node: Aggregate, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    if not computes(node):
        raise lowering.refuse(node)
    keys = [F.expr(key.expression.spark).alias(key.name) for key in node.keys]
    calls = [F.expr(_call(call)).cast(str(call.type)).alias(call.name) for call in node.calls]
    calls.append(F.count(F.lit(1)).alias("_event_count"))
    grouped = frames[0].groupBy(*keys).agg(*calls)
    made = {key.name for key in node.keys} | {call.name for call in node.calls} | {"_event_count"}
    return grouped.select(
        *(
            column(member.name) if member.name in made else F.lit(None).cast(str(member.type)).alias(member.name)
            for member in node.fields
        )
    )


def computes(node: Node) -> bool:
    """True for a node over tables that can be computed as a batch."""
    if isinstance(node, Aggregate):
        return node.window is None and not any(_is_odd(call) for call in node.calls)
    return type(node) in _RULES


def _is_odd(call: AggregateCall) -> bool:
    """True for a call that Spark's text would have to be made for in another way."""
    function = find(call.function)
    return function is None or bool(call.order) or call.ignore_nulls or "{order}" in function.lowers


def _call(call: AggregateCall) -> str:
    function = find(call.function)
    assert function is not None
    given = [*(each.spark for each in call.arguments), *(_literal(each) for each in call.parameters)]
    if call.distinct and given:
        given[0] = f"DISTINCT {given[0]}"
    text = function.lower(given) if given else f"{call.function.lower()}(1)"
    return text if call.where is None else f"{text} FILTER (WHERE {call.where.spark})"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, tuple):
        return f"array({', '.join(map(_literal, value))})"
    return str(value).lower() if isinstance(value, bool) else str(value)


_PLAIN = {"INNER": "skip_record", "LEFT": "emit_with_nulls"}
"""What becomes of a row without a match, by the join alone."""
_KINDS = {"INNER": "inner", "CROSS": "inner", "LEFT": "left", "RIGHT": "right", "FULL": "full"}


def _join(node: JoinTable, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    """A join of tables: as in a batch query, but for what is set to become of rows without a match."""
    from pyspark.sql import functions as F  # noqa: N812

    left, right = frames
    conditions = [F.expr(pair.left.spark) == F.expr(pair.right.spark) for pair in node.keys]
    conditions += [F.expr(part.spark) for part in node.residual]
    held = reduce(lambda one, other: one & other, conditions, F.lit(True))
    chosen = node.missing.strategy
    if node.kind not in _PLAIN or chosen == _PLAIN[node.kind]:
        return left.join(right, held, _KINDS[node.kind])
    if chosen == "skip_record":
        return left.join(right, held, "inner")
    joined = left.join(right.withColumn(HIT, F.lit(True)), held, "left")
    missing = column(HIT).isNull()
    if chosen == "fail_fast":
        told = complaint(node, [F.expr(pair.left.spark) for pair in node.keys])
        joined = joined.filter(F.when(missing, F.raise_error(told)).otherwise(F.lit(True)))
    return joined.select(*(with_default(node, name, column(name), missing).alias(name) for name in node.fields.names))


def _subquery(node: SubqueryCheck, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    return _sound(lower_subquery(node, as_records(frames[0]), frames[1], lowering), node)


def _unnest(node: Unnest, frames: list[DataFrame], lowering: Lowering) -> DataFrame:
    return _sound(lower_unnest(node, as_records(frames[0]), lowering), node)


def _sound(frame: DataFrame, node: Node) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    told = F.concat(F.lit("a subquery failed on a row of a table: "), F.coalesce(column(DETAIL), F.lit("a bad value")))
    fine = F.when(column(STATUS) == BAD_VALUE, F.raise_error(told)).otherwise(column(STATUS).isNull())
    return frame.filter(fine).select(*(column(member.name) for member in node.fields))


_RULES: dict[type[Node], Callable[[Any, list[DataFrame], Lowering], DataFrame]] = {
    TableScan: _table,
    Values: _values,
    Project: _project,
    Filter: _filter,
    Distinct: _distinct,
    Union: _union,
    OrderLimit: _ordered,
    Aggregate: _aggregate,
    JoinTable: _join,
    SubqueryCheck: _subquery,
    Unnest: _unnest,
}
