"""What a join asks of two rows is what Spark says of them, and where Spark fails, the join knows it."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime
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
from velostream.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, SMALLINT, STRING, TIMESTAMP, decimal
from velostream.windows.forms import computed, failing

KINDS = {"i": INT, "j": INT, "l": BIGINT, "m": BIGINT, "d": DOUBLE, "e": DOUBLE, "x": STRING, "y": STRING}
KINDS |= {"t": BOOLEAN, "p": decimal(10, 2), "q": decimal(10, 2), "r": decimal(7, 4), "a": DATE, "b": DATE}
KINDS |= {"s": SMALLINT, "u": TIMESTAMP, "v": TIMESTAMP, "z": STRING}
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
    texts = {"x": ["", "a", "b", "ab", "é", " a\n", "ab😀", "Straße", "ΟΔΟΣ", None]}
    texts |= {"y": ["", "a", "b", "É", "A ", "x_", None]}
    texts |= {"z": ["%", "a%", "_", "%b", "a_%", "\\%", "a\\", "\\a", "%ß%", "(.*)", "A%", "", None]}
    for name, values in texts.items():
        columns[name] = pa.array([chance.choice(values) for _ in range(rows)], pa.string())
    columns["t"] = pa.array([chance.choice([True, False, None]) for _ in range(rows)])
    for name in "pq":
        values = [Decimal("1.10"), Decimal("-2.00"), Decimal("99999999.99"), Decimal("0.00"), Decimal("0.03"), None]
        columns[name] = pa.array([chance.choice(values) for _ in range(rows)], pa.decimal128(10, 2))
    values = [Decimal("1.1000"), Decimal("-0.0007"), Decimal("999.9999"), Decimal("0.0000"), Decimal("-2.0000"), None]
    columns["r"] = pa.array([chance.choice(values) for _ in range(rows)], pa.decimal128(7, 4))
    columns["s"] = pa.array([chance.choice([0, 1, -1, 7, 32767, -32768, None]) for _ in range(rows)], pa.int16())
    for name in "uv":
        moments = [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 0, 0, 5, 1, tzinfo=UTC), None]
        moments.append(datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))
        columns[name] = pa.array([chance.choice(moments) for _ in range(rows)], pa.timestamp("us", "UTC"))
    for name in "ab":
        columns[name] = pa.array([chance.choice([date(2024, 1, 1), date(1969, 5, 1), None]) for _ in range(rows)])
    return pa.table(columns)


def whole(chance: random.Random, depth: int = 2) -> str:
    if not depth or chance.random() < 0.3:
        return chance.choice([*"ijlms", "3", "-1", "2147483648"])
    one, other = whole(chance, depth - 1), whole(chance, depth - 1)
    made = [f"({one} {sign} {other})" for sign in ("+", "-", "*", "%", "DIV")]
    made += [
        f"ABS({one})",
        f"(-({one}))",
        f"MOD({one}, {other})",
        f"GREATEST({one}, {other})",
        f"LEAST({one}, {other})",
    ]
    made += [f"CAST({one} AS {kind})" for kind in ("SMALLINT", "INT", "BIGINT")]
    made += [f"CASE WHEN i + j > l THEN {one} WHEN t THEN {other} END", f"IF(t, {one}, {other})"]
    made += [f"CASE {one} WHEN 1 THEN 5 WHEN {other} THEN {one} ELSE 7 END"]
    return chance.choice([*made, "LENGTH(x)", "INSTR(x, y)", "DATEDIFF(a, b)"])


def exact(chance: random.Random, depth: int = 1) -> str:
    if not depth or chance.random() < 0.3:
        return chance.choice([*"pqr", "0.5", "-12.25", "0.05"])
    one, other = exact(chance, depth - 1), chance.choice([exact(chance, depth - 1), "i", "3"])
    made = [f"({one} {sign} {other})" for sign in ("+", "-", "*", "/", "%")]
    made += [f"ABS({one})", f"(-({one}))", f"GREATEST({one}, {other})", f"COALESCE({one}, {other})"]
    return chance.choice([*made, f"IF(t, {one}, {other})", "CAST(p AS DECIMAL(16, 4))", "CAST(i AS DECIMAL(14, 3))"])


def text(chance: random.Random, depth: int = 2) -> str:
    if not depth or chance.random() < 0.3:
        return chance.choice([*"xy", "'ab'"])
    one, other = text(chance, depth - 1), text(chance, depth - 1)
    made = [f"{word}({one})" for word in ("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM")]
    made += [f"({one} || {other})", f"COALESCE({one}, {other})", f"LEAST({one}, {other})"]
    return chance.choice([*made, f"IF(i / j > d, {one}, {other})"])


def double(chance: random.Random, depth: int = 2) -> str:
    if not depth or chance.random() < 0.3:
        return chance.choice("de")
    one, other = double(chance, depth - 1), chance.choice([double, whole, lambda *_: "p"])(chance, depth - 1)
    made = [f"({one} {sign} {other})" for sign in ("-", "*", "/", "%")]
    made += [
        f"({other} / {one})",
        f"SQRT({other})",
        f"ABS({one})",
        f"(-({one}))",
        f"GREATEST({one}, {other})",
        f"LEAST({one}, 1e3)",
    ]
    return chance.choice(made)


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
            f"({exact(chance)} {compared} {chance.choice([exact(chance), 'l', '3'])})",
            f"({exact(chance)} + {exact(chance)} {compared} r - {exact(chance)})",
            f"({exact(chance)} BETWEEN {exact(chance)} AND i)",
            f"(p IN (1, {exact(chance)}, i))",
            f"({text(chance)} {compared} {text(chance)})",
            f"({text(chance)} {chance.choice(['LIKE', 'NOT LIKE', 'ILIKE'])} {chance.choice(['z', text(chance)])})",
            f"({text(chance)} LIKE 'a%')",
            f"({text(chance)} LIKE y ESCAPE 'x')",
            f"({chance.choice(['CONTAINS', 'STARTSWITH', 'ENDSWITH'])}({text(chance)}, {text(chance)}))",
            f"(a {compared} b)",
            f"(u - v {compared} INTERVAL '5' SECOND)",
            f"(ABS(u - v) {compared} INTERVAL '1' DAY)",
            f"({whole(chance)} IS DISTINCT FROM {whole(chance)})",
            f"({double(chance)} IS NULL)",
            "t",
        ]
    )


def test_random_conditions_of_two_rows_mean_the_same_in_polars_as_in_spark(one_spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.spark.attempt import attempt

    chance = random.Random(11)
    table = given(chance)
    texts = [asked(chance) for _ in range(250)]
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
    [
        "x > i",
        "i + j",
        "x RLIKE y",
        r"x LIKE 'a\\'",
        "x LIKE ANY (y, 'a')",
        "SQRT(x) > 1",
        "LN(d) > 1",
        "POW(d, e) > 1",
        "ROUND(d, 1) = e",
        "CAST(x AS INT) = i",
        "p * p * p * q > 1",
        "p / q / r > 1",
        "p DIV q > 1",
        "CAST(p AS DECIMAL(5, 1)) = q",
        "CAST(d AS INT) = i",
        "TRY_CAST(l AS INT) = i",
        "TRIM('a' FROM x) = y",
        "u - v > INTERVAL '1' MONTH",
        "LEVENSHTEIN(x, y) < 2",
    ],
)
def test_what_spark_may_compute_otherwise_is_left_to_it(text: str) -> None:
    assert pair_form(condition(text), FIELDS, {}) is None
