"""Rows in a real PostgreSQL: whole, once, with every value, and the same however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa
import pytest
from tests.config.asking import Asked, sink

from velostream.errors import VeloError
from velostream.postgres import name_parts, type_of
from velostream.sinks.writers import Batch, BatchRows, Refusal, Shape, check, release, write
from velostream.sinks.writers.batch import LEFT, PLACE
from velostream.sinks.writers.database import BY_DRIVER

if TYPE_CHECKING:
    from tests.postgres.server import Database

    from velostream.config.settings import Settings

MANY = BY_DRIVER + 1
KEYED = Shape((("k", "STRING"), ("v", "INT")), ("k",), ("k",), upserts=True, emission="_emission")
ROW = """SELECT 'a"b,c' AS k, CAST(1.1 AS DECIMAL(38, 10)) AS d, TIMESTAMP '2023-11-14 22:14:00.123456' AS t,
    NAMED_STRUCT('x', 1, 't', TIMESTAMP '2023-11-14 22:14:00') AS s, ARRAY(1, NULL) AS a, CAST(NULL AS STRING) AS n,
    '' AS e, 'two\\nlines' AS l, MAP('m', DATE '2024-01-01') AS m, X'01FF' AS b,
    CAST('NaN' AS DOUBLE) AS f, CAST(0.1 AS FLOAT) AS g, true AS o, TIMESTAMP_NTZ '1969-12-31 23:59:59' AS u,
    'a\\\\b' AS q, 'é☃' AS `é`, DATE '0001-01-01' AS y, TIME '10:11:12' AS v,
    INTERVAL '1 02:03:04.5' DAY TO SECOND AS i"""
TYPES = {"d": "DECIMAL(38,10)", "t": "TIMESTAMP", "s": "STRUCT<x: INT, t: TIMESTAMP>", "a": "ARRAY<INT>", "b": "BINARY"}
TYPES |= {"m": "MAP<STRING, DATE>", "f": "DOUBLE", "g": "FLOAT", "o": "BOOLEAN", "u": "TIMESTAMP_NTZ", "y": "DATE"}
TYPES |= {"v": "TIME", "i": "INTERVAL"}


class Current:
    query = ""


@pytest.fixture(autouse=True)
def new_query() -> Iterator[None]:
    Current.query = str(uuid4())
    yield
    release(Current.query)


def settings(postgres: Database, table: str, **more: str) -> Settings:
    given = {"s.type": "database_sink", "s.url": postgres.url, "s.table": table, "s.table.create": "true"}
    asked = Asked({**given, **{f"s.{key}": text for key, text in more.items()}}, sink("s"))
    assert not asked.problems, asked.problems
    return asked.resolved["s"]


def put(chosen: Settings, rows: Any, number: int, shape: Shape = KEYED, *, strict: bool = False) -> list[Refusal]:
    given = rows if isinstance(rows, BatchRows) else BatchRows(None, rows.num_rows, rows)  # type: ignore[arg-type]
    return list(write("database_sink", "s", given, chosen, Batch(Current.query, number, Path(), print, strict), shape))


def changes(*rows: tuple[str | None, int, str]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    return pa.table(
        {"k": pa.array(columns[0], pa.string()), "v": pa.array(columns[1], pa.int32()), "_emission": columns[2]}
    )


def test_driver_and_tasks_write_the_same_values_into_the_right_types(one_spark: Any, postgres: Database) -> None:
    frame = one_spark.sql(ROW)
    shape = Shape(tuple((name, TYPES.get(name, "STRING")) for name in frame.columns), ("k",), ("k",), upserts=True)
    put(settings(postgres, "few"), BatchRows(frame, 1), 0, shape)
    release(Current.query)
    put(settings(postgres, "many"), BatchRows(frame, MANY), 1, shape)
    release(Current.query)
    [few] = postgres.ask('SELECT k, d, t, s, a, n, e, l, m, b, f, g, o, u, q, "é", y, v, i FROM few')
    [many] = postgres.ask('SELECT k, d, t, s, a, n, e, l, m, b, f, g, o, u, q, "é", y, v, i FROM many')
    assert str(few) == str(many)
    assert few[:3] == ('a"b,c', Decimal("1.1000000000"), datetime(2023, 11, 14, 22, 14, 0, 123456, UTC))
    assert few[3]["x"] == 1
    assert few[4:8] == ([1, None], None, "", "two\nlines")
    assert few[8:10] == ({"m": "2024-01-01"}, b"\x01\xff")
    assert str(few[10]) == "nan"
    assert few[12:16] == (True, datetime(1969, 12, 31, 23, 59, 59), "a\\b", "é☃")
    assert few[16:] == (date(1, 1, 1), clock(10, 11, 12), timedelta(days=1, hours=2, minutes=3, seconds=4.5))
    kinds = dict(
        postgres.ask(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'few'::regclass "
            "AND attnum > 0"
        )
    )
    assert (kinds["d"], kinds["t"], kinds["g"], kinds["s"]) == (
        "numeric(38,10)",
        "timestamp with time zone",
        "real",
        "jsonb",
    )


def test_lists_go_into_columns_that_are_arrays(postgres: Database) -> None:
    postgres.ask(
        "CREATE TABLE lists (k text PRIMARY KEY, n int[], t text[], d numeric[], j jsonb[], m int[], at date[])"
    )
    columns = {
        "k": ["a", "b", "c"],
        "n": [[1, None, 3], None, []],
        "t": [['a "b" \\, {c}', "", None, "NULL"], None, ["é\n"]],
        "d": pa.array([[Decimal("1.10")], None, []], pa.list_(pa.decimal128(10, 2))),
        "j": [[{"x": 'a"'}, None], None, []],
        "m": [[[1, 2], [3, None]], None, []],
        "at": [[date(2024, 1, 2), None], None, []],
    }
    shape = Shape(tuple((name, "STRING") for name in columns), ("k",), ("k",), upserts=True)
    assert put(settings(postgres, "lists"), pa.table(columns), 0, shape) == []
    assert postgres.ask("SELECT * FROM lists ORDER BY k") == [
        (
            *("a", [1, None, 3], ['a "b" \\, {c}', "", None, "NULL"], [Decimal("1.10")], [{"x": 'a"'}, None]),
            *([[1, 2], [3, None]], [date(2024, 1, 2), None]),
        ),
        ("b", *[None] * 6),
        ("c", [], ["é\n"], [], [], [], []),
    ]


def test_rows_are_replaced_withdrawn_and_written_once(postgres: Database) -> None:
    chosen = settings(postgres, "replaced")
    put(chosen, changes(("a", 1, "final"), ("b", 2, "final"), ("a", 3, "late"), (None, 4, "final")), 0)
    assert postgres.ask("SELECT k, v FROM replaced ORDER BY k") == [("a", 3), ("b", 2), (None, 4)]
    put(chosen, changes(("a", 9, "final")), 0)
    assert postgres.ask("SELECT v FROM replaced WHERE k = 'a'") == [(3,)], "the batch was written before"
    put(chosen, changes(("b", 5, "late"), ("b", 5, "retract"), (None, 4, "retract"), ("c", 1, "final")), 1)
    assert postgres.ask("SELECT k, v FROM replaced ORDER BY k") == [("a", 3), ("c", 1)]
    release(Current.query)
    put(chosen, changes(("z", 1, "final")), 1)
    assert postgres.ask("SELECT count(*) FROM replaced") == [(2,)], "also for a new process"
    other = Batch("another-query", 0)
    write("database_sink", "s", BatchRows(None, 1, changes(("z", 1, "final"))), chosen, other, KEYED)  # type: ignore[arg-type]
    assert postgres.ask("SELECT count(*) FROM replaced") == [(3,)], "batches of a new checkpoint are others"
    release("another-query")


def test_tasks_write_many_rows_of_which_the_last_of_each_key_holds(one_spark: Any, postgres: Database) -> None:
    chosen = settings(postgres, "staged")
    values = "VALUES ('a', 1, 'final'), ('b', 2, 'final'), ('a', 3, 'late'), ('b', 2, 'retract'), ('c', 4, 'final')"
    frame = one_spark.sql(f"SELECT * FROM {values} AS t(k, v, _emission)").coalesce(1)
    assert put(chosen, BatchRows(frame, MANY), 0) == []
    assert postgres.ask("SELECT k, v FROM staged ORDER BY k") == [("a", 3), ("c", 4)]
    put(chosen, BatchRows(frame, MANY), 0)
    twice = one_spark.sql("SELECT 'd' AS k, int(id) AS v, 'final' AS _emission FROM range(0, 2, 1, 2)")
    put(chosen, BatchRows(twice, MANY), 1)
    assert postgres.ask("SELECT v FROM staged WHERE k = 'd'") == [(1,)], "of two tasks the later one holds"
    postgres.ask("DELETE FROM staged WHERE k = 'd'")
    gone = one_spark.sql("SELECT 'c' AS k, 4 AS v, 'retract' AS _emission")
    put(chosen, BatchRows(gone, MANY), 2)
    assert postgres.ask("SELECT k, v FROM staged ORDER BY k") == [("a", 3)]
    postgres.ask("ALTER TABLE staged ADD CHECK (v < 100)")
    bad = one_spark.sql("SELECT 'x' AS k, id AS v, 'final' AS _emission FROM range(99, 101)")
    [refused] = put(chosen, BatchRows(bad.selectExpr("concat(k, v) AS k", "int(v) AS v", "_emission"), MANY), 3)
    assert refused.row == '{"k":"x100","v":100}'
    assert postgres.ask("SELECT k FROM staged ORDER BY k") == [("a",), ("x99",)]
    bad = one_spark.sql("SELECT concat('n', char(0)) AS k, 1 AS v, 'final' AS _emission, 'late' AS _left, 9L AS _at")
    [refused] = put(chosen, BatchRows(bad, MANY), 4)
    assert (refused.row, refused.left, refused.place) == ('{"k":"n\\u0000","v":1}', "late", 9), "a task is refused it"
    left = postgres.ask(
        "SELECT tablename FROM pg_tables WHERE tablename LIKE 'velostream\\_%' AND schemaname = 'public'"
    )
    assert left == [("velostream_batches",)]


def test_a_query_without_a_past_is_warned_of_rows_that_another_one_has_corrected(
    postgres: Database, caplog: pytest.LogCaptureFixture
) -> None:
    columns = (("k", "STRING"), ("v", "INT"), ("_revision", "INT"))
    shape = Shape(columns, ("k",), ("k",), upserts=True, emission="_emission", revision="_revision")
    chosen = settings(postgres, "warned")

    def begun_anew(revision: int, *, anew: bool = True) -> int:
        release(Current.query)
        Current.query = str(uuid4()) if anew else Current.query
        caplog.clear()
        number = revision if anew else revision + 10
        put(chosen, changes(("a", 1, "final")).append_column("_revision", pa.array([revision])), number, shape)
        return caplog.text.count("'warned', which has rows that were corrected")

    assert begun_anew(1) == 0
    assert begun_anew(2) == 0, "there was nothing to stay behind"
    assert begun_anew(1, anew=False) == 0, "it goes on where it was"
    assert begun_anew(1) == 1


def test_an_older_revision_neither_replaces_nor_withdraws_a_newer_one(one_spark: Any, postgres: Database) -> None:
    columns = (("k", "STRING"), ("v", "INT"), ("_revision", "INT"))
    shape = Shape(columns, ("k",), ("k",), upserts=True, emission="_emission", revision="_revision")
    chosen = settings(postgres, "revised")

    def revised(*rows: tuple[str | None, int, str, int]) -> pa.Table:
        return changes(*(row[:3] for row in rows)).append_column("_revision", pa.array([row[3] for row in rows]))

    put(chosen, revised(("a", 3, "late", 3), ("b", 2, "late", 2), ("c", 1, "final", 1), (None, 2, "late", 2)), 0, shape)
    release(Current.query)
    Current.query = str(uuid4())
    behind = (("a", 1, "final", 1), ("b", 9, "retract", 1), ("c", 5, "late", 2), ("d", 1, "final", 1))
    put(chosen, revised(*behind, (None, 9, "retract", 1)), 0, shape)
    kept = [("a", 3, 3), ("b", 2, 2), ("c", 5, 2), ("d", 1, 1), (None, 2, 2)]
    assert postgres.ask("SELECT k, v, _revision FROM revised ORDER BY k") == kept
    values = "VALUES ('a', 2, 'late', 2), ('b', 2, 'retract', 1), ('c', 6, 'late', 2), (NULL, 1, 'final', 1)"
    frame = one_spark.sql(f"SELECT * FROM {values} AS t(k, v, _emission, _revision)").coalesce(1)
    put(chosen, BatchRows(frame, MANY), 1, shape)
    kept[2] = ("c", 6, 2)
    assert postgres.ask("SELECT k, v, _revision FROM revised ORDER BY k") == kept, "nor where tasks write"
    put(chosen, revised(("a", 4, "late", 4), ("b", 2, "retract", 2), (None, 2, "retract", 2)), 2, shape)
    assert postgres.ask("SELECT k, v, _revision FROM revised ORDER BY k") == [("a", 4, 4), kept[2], kept[3]]


def test_rows_are_appended_where_that_is_asked_for(one_spark: Any, postgres: Database) -> None:
    chosen = settings(postgres, "appended", **{"write.mode": "append"})
    shape = Shape((("k", "STRING"), ("v", "INT"), ("_emission", "STRING")))
    put(chosen, changes(("a", 1, "final"), ("a", 1, "retract")), 0, shape)
    put(chosen, BatchRows(one_spark.sql("SELECT 'b' AS k, 2 AS v, 'final' AS _emission"), MANY), 1, shape)
    found = postgres.ask("SELECT k, v, _emission FROM appended ORDER BY k, _emission")
    assert found == [("a", 1, "final"), ("a", 1, "retract"), ("b", 2, "final")]


def test_what_the_table_refuses_is_told_and_again_after_a_crash(postgres: Database) -> None:
    chosen = settings(postgres, "refusing")
    rows = changes(("a", 1, "final"), ("b\0", 2, "final"), ("c", 3, "final"))
    rows = rows.append_column(LEFT, pa.array(["final", "late", "final"])).append_column(PLACE, pa.array([4, 5, 6]))
    [refused] = put(chosen, rows, 0)
    assert (refused.left, refused.place) == ("late", 5)
    assert "0x00" in refused.error
    assert refused.row == '{"k":"b\\u0000","v":2}'
    assert postgres.ask("SELECT count(*) FROM refusing") == [(2,)]
    assert put(chosen, rows, 0) == [refused], "the letter may not have been written yet"
    with pytest.raises(VeloError, match="the database refuses a row"):
        put(chosen, changes(("x", 1, "final"), ("y\0", 2, "final")), 1, strict=True)
    assert postgres.ask("SELECT count(*) FROM refusing") == [(2,)], "nothing of a strict micro-batch is written"


def test_tables_that_do_not_fit_are_refused_with_what_to_do(postgres: Database) -> None:
    postgres.ask("CREATE TABLE plain (k text, w int)")
    rows = changes(("a", 1, "final"))
    with pytest.raises(VeloError, match="writes column 'v', which table 'plain' does not have") as caught:
        put(settings(postgres, "plain"), rows, 0)
    assert "columns: k, w" in caught.value.hint
    postgres.ask('ALTER TABLE plain RENAME w TO "V"')
    with pytest.raises(VeloError, match=r"replaces rows by \(k\), and table 'plain' has no key") as caught:
        put(settings(postgres, "plain"), rows, 0)
    assert "ADD PRIMARY KEY (k)" in caught.value.hint
    postgres.ask("ALTER TABLE plain ADD PRIMARY KEY (k)")
    put(settings(postgres, "plain"), rows, 0)
    assert postgres.ask('SELECT k, "V" FROM plain') == [("a", 1)]
    release(Current.query)
    with pytest.raises(VeloError, match="writes to table 'plan', which is not there") as caught:
        put(settings(postgres, "plan", **{"table.create": "false"}), rows, 0)
    assert "did you mean 'plain'" in caught.value.hint
    with pytest.raises(VeloError, match="cannot be used") as caught:
        put(settings(postgres, "plain", url="postgresql://127.0.0.1:1/x"), rows, 0)
    assert caught.value.exit_code == 3
    with pytest.raises(VeloError, match="cannot write column 'w', which is or holds a VARIANT"):
        put(settings(postgres, "plain"), rows, 0, Shape((("w", "ARRAY<VARIANT>"),)))
    with pytest.raises(VeloError, match="only PostgreSQL can be run"):
        check("database_sink", "s", settings(postgres, "x", url="jdbc:mysql://h:1/x"))


def test_names_and_types() -> None:
    assert name_parts('public."My ""T""".x') == ("public", 'My "T"', "x")
    assert name_parts("Public.Orders") == ("public", "orders")
    assert [type_of(kind) for kind in ("TINYINT", "DECIMAL(10,2)", "VARIANT", "ARRAY<INT>", "VOID")] == [
        "smallint",
        "numeric(10,2)",
        "jsonb",
        "jsonb",
        "text",
    ]
