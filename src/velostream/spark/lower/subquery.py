"""SubqueryCheck: what a table answers to every row, as a column: IN, EXISTS, ANY, ALL with SQL's NULLs, or a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.plan.equalities import equalities
from velostream.plan.expression import Expression, reads
from velostream.plan.nodes import SubqueryCheck
from velostream.plan.nodes.join_table import KeyPair
from velostream.plan.nodes.subquery_check import ALL, EXISTS, IN, SCALAR
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.corrections import separated
from velostream.spark.lower.expressions import BAD_VALUE, compute
from velostream.spark.lower.lookup import FOUND, HIT, gathered, keyed, left_keys, looked_up, over_found
from velostream.spark.stateful.layout import DETAIL, MARK, STATUS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_OPERAND, _ANSWER, _HITS = "_operand", "_answer", "_hits"
_ROWS, _NULLS, _KNOWN = "_row_count", "_null_count", "_known"


def lower_subquery(node: SubqueryCheck, frame: DataFrame, query: DataFrame, lowering: Lowering) -> DataFrame:
    """The rows with the answer beside their fields."""
    frame = separated(frame, node.input)
    pairs, others = equalities(node.conditions, node.input.fields, node.query.fields)
    operand = [] if node.operand is None else [(_OPERAND, node.operand)]
    fields = [(member.name, reads(member.name, member.type)) for member in node.input.fields]
    rows = compute(frame, [*fields, *operand, *left_keys(pairs)], CARRIED, node.input.fields)
    alive = column(STATUS).isNull() & column(MARK).isNull()
    small = lowering.is_small(node.query)
    if node.kind in (IN, EXISTS) and not others:
        asked = _by_key(node, rows, query, pairs, alive, small=small)
    else:
        asked = _by_rows(node, rows, query, pairs, others, alive, small=small)
    status, detail = _complaints(node, alive)
    said = {STATUS: status, DETAIL: detail}
    return asked.select(
        *(column(name) for name, _ in fields),
        column(_ANSWER)["value"].cast(str(node.type)).alias(node.name),
        *(said.get(name, column(name)).alias(name) for name in CARRIED if name in asked.columns),
    )


def _by_key(
    node: SubqueryCheck, rows: DataFrame, query: DataFrame, pairs: Sequence[KeyPair], alive: Column, *, small: bool
) -> DataFrame:
    """IN and EXISTS where rows are found by equality alone: by looking up, not by going through."""
    from pyspark.sql import functions as F  # noqa: N812

    keys = [f"_right_{place}" for place in range(len(pairs))]
    held = keyed(query, pairs)
    if node.kind == EXISTS:
        there = held.select(*keys).distinct() if keys else held.groupBy().agg(F.count("*").alias(_ROWS))
        there = there if keys else there.filter(F.col(_ROWS) > 0)
        asked = looked_up(rows, there, pairs, alive, small=small)
        return asked.withColumn(_ANSWER, F.struct(F.coalesce(F.col(HIT), F.lit(False)).alias("value")))
    assert node.operand is not None
    value = column(node.value.name)
    counts = [F.count("*").alias(_ROWS), F.count(F.when(value.isNull(), 1)).alias(_NULLS)]
    asked = looked_up(rows, held.groupBy(*keys).agg(*counts), pairs, alive, small=small, hit=_KNOWN)
    own = len(pairs)
    values = held.filter(value.isNotNull()).select(*keys, value.alias(f"_right_{own}")).distinct()
    asked = asked.withColumn(f"_left_{own}", column(_OPERAND))
    both = [*pairs, KeyPair(node.operand, reads(node.value.name, node.value.type))]
    asked = looked_up(asked, values, both, alive, small=small)
    answer = (
        F.when(F.coalesce(F.col(HIT), F.lit(False)), F.lit(True))
        .when(F.coalesce(F.col(_ROWS), F.lit(0)) == 0, F.lit(False))
        .when(column(_OPERAND).isNull() | (F.col(_NULLS) > 0), F.lit(None).cast("boolean"))
        .otherwise(F.lit(False))
    )
    return asked.withColumn(_ANSWER, F.struct(answer.alias("value")))


def _by_rows(
    node: SubqueryCheck,
    rows: DataFrame,
    query: DataFrame,
    pairs: Sequence[KeyPair],
    others: Sequence[Expression],
    alive: Column,
    *,
    small: bool,
) -> DataFrame:
    """The answer by going through the rows of the key."""
    from pyspark.sql import functions as F  # noqa: N812

    inner = node.query.fields
    order = [term.expression for term in node.order]
    read = [name for part in (*others, *order) for name in part.fields if name in inner]
    wanted = list(dict.fromkeys([*([] if node.kind == EXISTS else [node.value.name]), *read]))
    asked = looked_up(rows, gathered(query, pairs, wanted), pairs, alive, small=small)
    met = " AND ".join(f"coalesce({over_found(part, wanted)}, false)" for part in others) or "true"
    hits = F.when(column(FOUND).isNotNull(), F.expr(_chosen(node, f"filter({FOUND}, _row -> {met})", wanted)))
    asked = asked.withColumn(_HITS, F.when(alive, attempt(F.struct(hits.alias("rows")))))
    asked = asked.withColumn(_ROWS, F.coalesce(F.size(column(_HITS)["rows"]), F.lit(0)))
    answer = attempt(F.struct(F.expr(_answer(node)).alias("value")))
    return asked.withColumn(_ANSWER, F.when(column(_HITS).isNotNull(), answer))


def _chosen(node: SubqueryCheck, rows: str, wanted: Sequence[str]) -> str:
    """Those of the rows that were met which DISTINCT and LIMIT leave; rows of one place keep the order they have."""
    if node.distinct:
        rows = f"array_distinct(transform({rows}, _row -> struct(_row.c0 AS c0)))"
    if node.order:
        compared = "0"
        for term in reversed(node.order):
            one, other = (over_found(term.expression, wanted, row) for row in ("_one", "_other"))
            null, less = -1 if term.nulls_first else 1, 1 if term.descending else -1
            compared = f"""CASE WHEN ({one}) IS NULL AND ({other}) IS NULL THEN {compared}
                WHEN ({one}) IS NULL THEN {null} WHEN ({other}) IS NULL THEN {-null}
                WHEN ({one}) < ({other}) THEN {less} WHEN ({one}) > ({other}) THEN {-less} ELSE {compared} END"""
        rows = f"array_sort({rows}, (_one, _other) -> {compared})"
    return rows if node.limit is None else f"slice({rows}, 1, {node.limit})"


def _answer(node: SubqueryCheck) -> str:
    """What is made of the rows that were hit; without any, SQL says what holds."""
    if node.kind == EXISTS:
        return f"{_ROWS} > 0"
    if node.kind == SCALAR:
        empty = node.empty.spark if node.empty is not None else "NULL"
        if node.fold:
            return f"CASE WHEN {_ROWS} > 0 THEN {_folded(node)} ELSE {empty} END"
        return f"CASE WHEN {_ROWS} > 0 THEN element_at({_HITS}.rows, 1).c0 ELSE {empty} END"
    every, otherwise = ("forall", "true") if node.kind == ALL else ("exists", "false")
    compared = f"{_OPERAND} {node.operator} _row.c0"
    return f"CASE WHEN {_ROWS} > 0 THEN {every}({_HITS}.rows, _row -> {compared}) ELSE {otherwise} END"


def _folded(node: SubqueryCheck) -> str:
    """What a fold makes of the values of the rows that were hit, without the NULLs."""
    values = f"filter(transform({_HITS}.rows, _row -> _row.c0), _value -> _value IS NOT NULL)"
    if node.fold == "COUNT":
        return f"size({values})"
    if node.fold in ("MIN", "MAX"):
        return f"array_{node.fold.lower()}({values})"
    kind = str(node.type)
    total = f"aggregate({values}, CAST(0 AS {kind}), (_sum, _value) -> CAST(_sum + _value AS {kind}))"
    share = f"{total} / size({values})" if node.fold == "AVG" else total
    return f"CASE WHEN size({values}) > 0 THEN {share} END"


def _complaints(node: SubqueryCheck, alive: Column) -> tuple[Column, Column]:
    """A value that is asked for must be one; a condition that fails costs the record."""
    from pyspark.sql import functions as F  # noqa: N812

    failed = alive & column(_ANSWER).isNull()
    if node.kind != SCALAR:
        return F.when(failed, F.lit(BAD_VALUE)).otherwise(column(STATUS)), column(DETAIL)
    several = alive & (column(_ROWS) > 1) & F.lit(not node.fold)
    status = F.when(failed | several, F.lit(BAD_VALUE)).otherwise(column(STATUS))
    told = F.lit(f"the subquery '{node.name}' gives more than one row")
    return status, F.when(several, told).otherwise(column(DETAIL))
