"""What a join asks of two rows is what Spark says of them, and where Spark fails, the join knows it."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from sqlglot import exp

from velostream.plan.expression import Expression, column
from velostream.plan.fields import Field, Fields
from velostream.plan.pair_forms import may_fail, pair_form
from velostream.sql.parse import parse_expression
from velostream.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, STRING, decimal
from velostream.windows.forms import computed, failing

KINDS = {"i": INT, "j": INT, "l": BIGINT, "m": BIGINT, "d": DOUBLE, "e": DOUBLE, "x": STRING, "y": STRING}
KINDS |= {"t": BOOLEAN, "p": decimal(10, 2), "q": decimal(10, 2), "a": DATE, "b": DATE}
FIELDS = Fields(tuple(Field(name, kind) for name, kind in KINDS.items()))


def condition(text: str) -> Expression:
    tree = parse_expression(text, None)
    for each in list(tree.find_all(exp.Column)):
        each.replace(column(each.name))
    return Expression(tree, BOOLEAN)


def given(chance: random.Random, rows: int = 120) -> pa.Table:
    whole = {"i": (pa.int32(), 31), "j": (pa.int32(), 31), "l": (pa.int64(), 63), "m": (pa.int64(), 63)}
    columns: dict[str, pa.Array] = {}
    for name, (kind, bits) in whole.items():
        edges = [0, 1, -1, 2, 3, 7, (1 << bits) - 1, -(1 << bits), 1 << (bits // 2), None]
        columns[name] = pa.array([chance.choice(edges) for _ in range(rows)], kind)
    for name in "de":
        values = [0.0, -0.0, 1.5, -2.5, 3.0, 1e300, float("nan"), float("inf"), None]
        columns[name] = pa.array([chance.choice(values) for _ in range(rows)], pa.float64())
    for name in "xy":
        columns[name] = pa.array([chance.choice(["", "a", "b", "ab", "é", None]) for _ in range(rows)], pa.string())
    columns["t"] = pa.array([chance.choice([True, False, None]) for _ in range(rows)])
    for name in "pq":
        values = [Decimal("1.10"), Decimal("-2.00"), Decimal("99999999.99"), None]
        columns[name] = pa.array([chance.choice(values) for _ in range(rows)], pa.decimal128(10, 2))
    for name in "ab":
        columns[name] = pa.array([chance.choice([date(2024, 1, 1), date(1969, 5, 1), None]) for _ in range(rows)])
    return pa.table(columns)


def whole(chance: random.Random, depth: int = 2) -> str:
    if not depth or chance.random() < 0.3:
        return chance.choice([*"ijlm", "3", "-1", "2147483648"])
    one, other = whole(chance, depth - 1), whole(chance, depth - 1)
    return chance.choice(
        [f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"ABS({one})", f"(-({one}))"]
    )


def double(chance: random.Random, depth: int = 2) -> str:
    if not depth or chance.random() < 0.3:
        return chance.choice("de")
    one, other = double(chance, depth - 1), chance.choice([double, whole])(chance, depth - 1)
    return chance.choice(
        [f"({one} - {other})", f"({one} * {other})", f"({other} / {one})", f"ABS({one})", f"(-({one}))"]
    )


def asked(chance: random.Random, depth: int = 2) -> str:
    if depth and chance.random() < 0.5:
        one, other = asked(chance, depth - 1), asked(chance, depth - 1)
        return chance.choice([f"({one} AND {other})", f"({one} OR {other})", f"(NOT {one})"])
    compared = chance.choice(["=", "<>", "<", "<=", ">", ">=", "<=>"])
    return chance.choice(
        [
            f"({whole(chance)} {compared} {whole(chance)})",
            f"({double(chance)} {compared} {chance.choice([whole(chance), double(chance), '0.5'])})",
            f"({whole(chance)} BETWEEN {whole(chance)} AND {whole(chance)})",
            f"({whole(chance)} IN (1, {whole(chance)}))",
            f"(x || y {compared} CONCAT(y, 'b'))",
            f"(COALESCE(x, y) {compared} 'a')",
            f"(p {compared} q)",
            f"(a {compared} b)",
            f"({double(chance)} IS NULL)",
            "t",
        ]
    )


def test_random_conditions_of_two_rows_mean_the_same_in_polars_as_in_spark(one_spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.spark.attempt import attempt

    chance = random.Random(11)
    table = given(chance)
    texts = [asked(chance) for _ in range(60)]
    frame = one_spark.createDataFrame(table)
    told = frame.select(
        *(attempt(F.struct(F.expr(condition(text).spark).alias("v"))).alias(f"c{n}") for n, text in enumerate(texts))
    )
    answers = told.collect()
    rows = pl.from_arrow(table)
    assert isinstance(rows, pl.DataFrame)
    for number, text in enumerate(texts):
        form = pair_form(condition(text), FIELDS, {})
        assert form is not None, text
        failed = failing(form)
        assert (failed is not None) == may_fail(form), text
        fails = pl.lit(value=False) if failed is None else failed
        made = rows.with_columns(computed(form).alias("v"), fails.alias("f")).select("v", "f")
        said = ["fails" if f else v for v, f in made.iter_rows()]
        assert said == ["fails" if row[number] is None else row[number].v for row in answers], text


@pytest.mark.parametrize(
    "text",
    ["i + p > 1", "i > 0.5", "p + q > 1", "i / 0.5 > 1", "x > i", "i + j", "x LIKE y", "i % j = 0", "UPPER(x) = y"],
)
def test_what_spark_may_compute_otherwise_is_left_to_it(text: str) -> None:
    assert pair_form(condition(text), FIELDS, {}) is None
