"""What the worker computes is what Spark computes: hashes of keys, conditions, and whole statements both ways."""

from __future__ import annotations

import json
import math
import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.forms import form_of
from velostream.plan.nodes import Filter, Node, Project, Scan
from velostream.sources.streams.parquet import parquet_batches
from velostream.spark.stateful.worker import _texts
from velostream.validation import validate
from velostream.windows.forms import computed
from velostream.windows.hashing import hashable, hashes

COLUMNS = {"t": "STRING", "i": "INT", "l": "BIGINT", "h": "SMALLINT", "d": "DOUBLE", "b": "BOOLEAN"}
COLUMNS |= {"at": "TIMESTAMP", "x": "DECIMAL(38,10)"}
SCHEMA = pa.schema(
    [
        ("t", pa.string()),
        ("i", pa.int32()),
        ("l", pa.int64()),
        ("h", pa.int16()),
        ("d", pa.float64()),
        ("b", pa.bool_()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("x", pa.decimal128(38, 10)),
    ]
)
TEXTS = ["", "a", "B", "ä", "zz", "a" * 31, "b" * 32, "c" * 33, "ünïcödé " * 9, "12345678", "1234"]
START = datetime(2026, 1, 1, tzinfo=UTC)


def table(count: int, seed: int = 1) -> pa.Table:
    chance = random.Random(seed)

    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.15 else value

    rows = [
        {
            "t": maybe(chance.choice(TEXTS)),
            "i": maybe(chance.choice([0, -1, 7, 2**31 - 1, -(2**31)])),
            "l": maybe(chance.choice([0, -1, 7, 2**63 - 1, -(2**63)])),
            "h": maybe(chance.randint(-5, 5)),
            "d": maybe(chance.choice([0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 7.0])),
            "b": maybe(chance.random() < 0.5),
            "at": START + timedelta(microseconds=chance.randint(0, 300_000_000)),
            "x": maybe(Decimal(chance.randint(-(10**37), 10**37)).scaleb(-10)),
        }
        for _ in range(count)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def frame(arrow: pa.Table) -> pl.DataFrame:
    made = pl.from_arrow(arrow)
    assert isinstance(made, pl.DataFrame)
    return made


@pytest.mark.parametrize("keys", [("t",), ("i",), ("l",), ("h",), ("b",), ("t", "i", "l"), ("b", "h", "t")])
def test_keys_have_the_hash_that_spark_gives_them(one_spark: Any, keys: tuple[str, ...]) -> None:
    given = table(200)
    listed = ", ".join(keys)
    found = one_spark.createDataFrame(given).selectExpr(f"xxhash64({listed}) AS h").collect()
    assert hashes(frame(given), keys).to_list() == [row.h for row in found]
    assert all(hashable(COLUMNS[key]) for key in keys)
    assert not hashable("DOUBLE")


def conditions(chance: random.Random, depth: int = 2) -> str:
    """A random condition of what is claimed to mean the same."""
    if depth and chance.random() < 0.5:
        word = chance.choice(["AND", "OR"])
        parts = f"({conditions(chance, depth - 1)}) {word} ({conditions(chance, depth - 1)})"
        return f"NOT ({parts})" if chance.random() < 0.3 else parts
    column = chance.choice(["t", "i", "l", "h", "d"])
    literal = {"t": ["'a'", "''", "'zz'", "'ä'"], "d": ["1.5", "0", "-7"]}.get(column, ["0", "-1", "7", "2147483647"])
    one, other, third = (chance.choice(literal) for _ in range(3))
    return chance.choice(
        [
            f"{column} {chance.choice(['=', '<>', '<', '<=', '>', '>='])} {one}",
            f"{column} IS NULL",
            f"{column} IS NOT NULL",
            f"{column} IN ({one}, {other})",
            f"{column} NOT IN ({one}, {other}, {third})",
            f"{column} BETWEEN {one} AND {other}",
            "b",
            "b = true",
        ]
    )


def asked(query: str) -> Node:
    """The plan of a query over a Parquet file."""
    declared = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    text = (
        f"CREATE STREAM s ({declared}) WITH ('s.type' = 'file_source', 's.path' = 'x.parquet', 's.format' = 'parquet',"
        f" 's.event.time.field' = 'at'); {query};"
    )
    answer = validate(text, "t.sql", variables={})
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library).jobs[0].root


def filtered(condition: str) -> Filter:
    root = asked(f"SELECT COUNT(*) AS n FROM s WHERE {condition} WINDOW TUMBLING(1m)")
    assert next(node for node in root.walk() if isinstance(node, Scan)).way.kind == "worker", condition  # type: ignore[union-attr]
    return next(node for node in root.walk() if isinstance(node, Filter))


def test_random_conditions_mean_the_same_in_polars_as_in_spark(one_spark: Any) -> None:
    chance = random.Random(3)
    given = table(150, seed=2)
    spark = one_spark.createDataFrame(given)
    texts = [conditions(chance) for _ in range(60)]
    answers = spark.selectExpr(*(f"({text}) AS c{n}" for n, text in enumerate(texts))).collect()
    for number, text in enumerate(texts):
        node = filtered(text)
        known = {name: ("column", name.removeprefix("s.")) for name in node.input.fields.names}
        form = form_of(node.condition, node.input.fields, known)
        assert form is not None
        met = frame(given).select(computed(form).alias("met"))["met"].to_list()
        assert met == [row[number] for row in answers], text


def amounts(chance: random.Random, depth: int = 2) -> str:
    """A random number that is computed as DOUBLE throughout."""
    other = chance.choice(["d", "i", "l", "h", "2", "-3", "0.1", "1.5"])
    one = f"({amounts(chance, depth - 1)})" if depth and chance.random() < 0.5 else "d"
    parts = [one, other]
    chance.shuffle(parts)
    return f" {chance.choice('+-*')} ".join(parts)


def test_random_sums_and_products_mean_the_same_in_polars_as_in_spark(one_spark: Any) -> None:
    chance = random.Random(4)
    given = table(150, seed=2)
    texts = [amounts(chance) for _ in range(40)]
    answers = one_spark.createDataFrame(given).selectExpr(*(f"({text}) AS c{n}" for n, text in enumerate(texts)))
    told = answers.toArrow()
    for number, text in enumerate(texts):
        expression, fields = summed(text)
        form = form_of(expression, fields, {name: ("column", name.removeprefix("s.")) for name in fields.names})
        assert form is not None, text
        made = frame(given).select(computed(form).alias("made"))["made"].to_list()
        assert repr(made) == repr(told[f"c{number}"].to_pylist()), text


@pytest.mark.parametrize("text", ["i + i", "(i * 2) + d", "d / 2", "d % 2", "x + d", "(1 + 2) * d"])
def test_what_may_fail_or_round_otherwise_is_left_to_spark(text: str) -> None:
    assert form_of(*summed(text)) is None


def summed(amount: str) -> tuple[Expression, Fields]:
    """What is summed up, and the fields that it is computed from."""
    root = asked(f"SELECT SUM({amount}) AS n FROM s WINDOW TUMBLING(1m)")
    project = next(node for node in root.walk() if isinstance(node, Project) and isinstance(node.input, Scan))
    [made] = [column.expression for column in project.columns if not column.expression.is_field]
    return made, project.input.fields


QUERIES = (
    "SELECT t, i, COUNT(*) AS n, SUM(h) AS s, MAX(l) AS m, MAX(d * i) AS w FROM s WHERE h > -3 GROUP BY t, i "
    "WINDOW TUMBLING(10s)",
    "SELECT l, COUNT(h) AS n, MIN(t) AS m FROM s GROUP BY l EMIT FINAL",
)


def ran(spark: Any, home: Path, query: str, way: str, form: str = "parquet") -> tuple[list[str], dict[str, Any]]:
    declared = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    settings = {
        "type": "file_source",
        "path": f"{home}/in/*.{form}",
        "format": form,
        "event.time.field": "at",
        "files.per.batch": "1",
        "scan.in_worker": way,
    }
    written = ", ".join(f"'s.{key}' = '{value}'" for key, value in settings.items())
    sink = f"'out.type' = 'file_sink', 'out.path' = '{home}/{way}', 'out.format' = 'jsonl'"
    text = f"CREATE STREAM s ({declared}) WITH ({written}); CREATE STREAM x AS {query} INTO out WITH ({sink});"
    answer = validate(text, "t.sql", variables={})
    assert answer.ok, answer.findings.errors
    planned = plan(answer.bound, answer.library)
    [scan] = planned.jobs[0].scans
    assert scan.way is not None
    assert scan.way.kind == ("source" if way == "never" else {"parquet": "worker", "jsonl": "mixed"}[form])
    runner = Runner(planned, spark, home / f"checkpoint-{way}", home, print)
    runner.run_until_done()
    [job] = runner.jobs
    assert job.accounts.adds_up
    rows = [line for file in (home / way).glob("part-*") for line in file.read_text().splitlines()]
    letters = (home / f"checkpoint-{way}" / "x" / "dead-letters").glob("*.jsonl")
    dead = [json.loads(line) for file in letters for line in file.read_text().splitlines()]
    kept = sorted((one["reason"], one["offset"], _told(one["record"])) for one in dead)
    assert all(0 <= one["lag_ms"] < 10**12 for one in job.accounts.partitions.values())
    return sorted(rows), {**job.accounts.records, "letters": kept}


def _told(record: str) -> str:
    try:
        return repr(json.loads(record, parse_float=Decimal))
    except ValueError:
        return record


def line(row: dict[str, Any]) -> str:
    members = {name: value for name, value in row.items() if value is not None and name not in ("x", "at")}
    more = [f'"at":"{row["at"].isoformat()[:26]}Z"'] if row["at"] is not None else []
    more += [f'"x":{row["x"]:f}'] if row["x"] is not None else []
    return "{" + ",".join([json.dumps(members)[1:-1], *more]).removeprefix(",") + "}"


@pytest.mark.parametrize("query", QUERIES)
def test_json_gives_the_same_rows_and_letters_both_ways(one_spark: Any, tmp_path: Path, query: str) -> None:
    (tmp_path / "in").mkdir()
    late = table(40, seed=9).set_column(6, "at", pa.array([START] * 40, SCHEMA.field("at").type))
    # bad ones stand together in their files, so that others near them are read in the worker all the same
    bad = ['{"t": 1, "at": "2026-01-01T00:00:09Z"}', "{", '{"i": "x"}', '{"t": "a"}', "\x00", '{"at": "never"}']
    for number, part in enumerate([table(2_000), table(900, seed=5), late]):
        lines = [line(row) for row in part.to_pylist()]
        (tmp_path / "in" / f"{number}.jsonl").write_text("\n".join([*lines, *bad, ""]))
    early = ran(one_spark, tmp_path, query, "auto", "jsonl")
    assert early == ran(one_spark, tmp_path, query, "never", "jsonl")
    assert early[1]["dead_lettered"]["undecodable"] > 0


@pytest.mark.parametrize("query", QUERIES)
def test_a_statement_gives_the_same_rows_and_letters_both_ways(one_spark: Any, tmp_path: Path, query: str) -> None:
    (tmp_path / "in").mkdir()
    late = table(40, seed=9).set_column(6, "at", pa.array([START] * 40, SCHEMA.field("at").type))
    for number, part in enumerate([table(300), table(200, seed=5), late]):
        pq.write_table(part, tmp_path / "in" / f"{number}.parquet")
    assert ran(one_spark, tmp_path, query, "auto") == ran(one_spark, tmp_path, query, "never")


def coded(path: Path, values: pa.Array) -> list[pl.Series]:
    """What the scan makes of a column of texts that is asked for as codes."""
    pq.write_table(pa.table({"T": values}), path)
    schema = pa.schema([pa.field("t", pa.dictionary(pa.int32(), pa.string()))])
    return [_texts(batch["t"]) for batch in parquet_batches(str(path), ["t"], schema)]


def test_texts_are_read_as_codes_where_they_repeat_however_the_file_has_them(tmp_path: Path) -> None:
    few = ["a", None, "é", "b"] * 50
    for values in (pa.array(few), pa.array(few, pa.large_string()), pa.array(few).dictionary_encode()):
        [found] = coded(tmp_path / "a.parquet", values)
        assert found.dtype == pl.Enum
        assert found.to_list() == few
    many = [f"k{number}" for number in range(200)]
    [found] = coded(tmp_path / "b.parquet", pa.array(many))
    assert found.dtype == pl.String
    assert found.to_list() == many
    [nothing] = coded(tmp_path / "c.parquet", pa.array([None, None], pa.string()))
    assert nothing.to_list() == [None, None]
