"""Rows of a real PostgreSQL as streams."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from tests.postgres.apps import run, runner_of

from velostream.errors import VeloError
from velostream.postgres import Server
from velostream.sources.database_rows import DatabaseRows
from velostream.sources.database_ties import Ties

if TYPE_CHECKING:
    from tests.postgres.server import Database

COLUMNS = "id BIGINT, kind STRING, price DECIMAL(20, 10), at TIMESTAMP, raw BINARY, tags ARRAY<STRING>"


def filled(postgres: Database, table: str, rows: int, first: int = 1) -> None:
    postgres.ask(
        f"""CREATE TABLE IF NOT EXISTS {table} (id bigint PRIMARY KEY, kind text, price numeric, at timestamptz,
        raw bytea, tags jsonb)"""
    )
    postgres.ask(
        f"""INSERT INTO {table} SELECT n, CASE WHEN n % 7 <> 0 THEN 'k' || n % 3 END, n + 0.0000000001,
        timestamptz '2026-01-01 00:00:00.000001+00' + n * interval '1 s', decode(lpad(to_hex(n), 8, '0'), 'hex'),
        jsonb_build_array('a', n::text) FROM generate_series({first}, {first + rows - 1}) n"""
    )


def source(postgres: Database, table: str, **more: str) -> str:
    settings = {"type": "database_source", "url": postgres.url, "table": table, **more}
    written = ", ".join(f"'{name}' = '{value}'" for name, value in settings.items())
    return f"CREATE STREAM s ({COLUMNS}) WITH ({written}, 'event.time.field' = 'at');\n"


def copied(postgres: Database, target: str) -> str:
    return f"""CREATE STREAM copied AS SELECT id PRIMARY KEY, kind, price, at, raw, tags, _offset AS place FROM s
        INTO db WITH ('db.type' = 'database_sink', 'db.url' = '{postgres.url}', 'db.table' = '{target}',
        'db.table.create' = 'true');"""


def test_a_table_is_read_whole_and_every_value_comes_back(one_spark: Any, tmp_path: Path, postgres: Database) -> None:
    filled(postgres, "whole", 500)
    text = source(postgres, "whole", **{"fetch.size": "100"}) + copied(postgres, "whole_copy")
    report = run(one_spark, tmp_path, text)
    assert report["records"]["read"] == report["records"]["in_results"] == 500
    both = "SELECT id, kind, price, at, raw, tags FROM"
    assert postgres.ask(f"{both} whole EXCEPT {both} whole_copy") == []
    assert postgres.ask("SELECT count(DISTINCT place), min(place), max(place) FROM whole_copy") == [(500, 0, 499)]
    again = run(one_spark, tmp_path, text)
    assert again["records"]["read"] == 500, "a table without a growing column is read once"


def test_new_rows_are_read_by_a_column_that_grows_and_windows_close(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    filled(postgres, "orders", 300)
    text = source(postgres, "orders", **{"incremental.column": "ID", "max.records.per.batch": "100"})
    text += f"""CREATE STREAM minutes AS SELECT _window_start AS w PRIMARY KEY, COUNT(*) AS n, SUM(price) AS total
        FROM s WINDOW TUMBLING(1m) INTO db WITH ('db.type' = 'database_sink', 'db.url' = '{postgres.url}',
        'db.table' = 'order_minutes', 'db.table.create' = 'true');"""
    first = run(one_spark, tmp_path, text)
    assert first["records"]["read"] == 300
    filled(postgres, "orders", 200, first=301)
    second = run(one_spark, tmp_path, text)
    assert second["records"]["read"] == 500
    wanted = "SELECT date_trunc('minute', at), count(*), sum(price) FROM orders GROUP BY 1"
    assert postgres.ask(f"{wanted} EXCEPT SELECT w, n, total FROM order_minutes") == []
    assert postgres.ask("SELECT sum(n) FROM order_minutes") == [(500,)]
    assert second["circuit_breakers"]["s"]["state"] == "closed"


def rows(postgres: Database, table: str, by: str = "id") -> DatabaseRows:
    return DatabaseRows("s", Server(postgres.url, shown="db"), table, columns=(("id", "BIGINT"),), by=by)


def test_a_transaction_that_ends_late_loses_no_row(postgres: Database) -> None:
    postgres.ask("CREATE TABLE late (id bigserial PRIMARY KEY, v int)")
    asked = rows(postgres, "late")
    with psycopg.connect(postgres.url) as slow, asked.connected() as connection:
        slow.execute("INSERT INTO late (v) VALUES (1)")
        postgres.ask("INSERT INTO late (v) VALUES (2)")
        candidate = asked.candidate(connection)
        assert candidate is not None
        assert candidate.value == "2"
        assert not asked.is_settled(connection, candidate), "row 1 may still come"
        slow.commit()
        assert asked.is_settled(connection, candidate)
        bound = asked.bound(connection, None, candidate.value)
    assert bound is not None
    assert (bound.value, bound.rows) == ("2", 2)
    assert [text for texts in asked.open(None, "2", 1) for text in texts] == ['{"id":1}', '{"id":2}']


def test_rows_of_one_value_are_not_torn_apart_by_a_limit(postgres: Database) -> None:
    postgres.ask("CREATE TABLE ties AS SELECT n AS id, n / 4 AS v FROM generate_series(0, 9) n")
    asked = rows(postgres, "ties", by="v")
    with asked.connected() as connection:
        bound = asked.bound(connection, None, "2", most=2)
        assert bound is not None
        assert (bound.value, bound.rows) == ("0", 4)
        assert asked.bound(connection, "2", "2") is None


def test_chunks_go_on_where_the_last_one_ended(postgres: Database) -> None:
    postgres.ask("CREATE TABLE chunked AS SELECT n::bigint AS id FROM generate_series(1, 5) n")
    asked = rows(postgres, "chunked")
    first = asked.chunk(None, most=3, fetch=2)
    assert (len(first.texts), first.value, first.last) == (3, "3", False)
    second = asked.chunk(first.value)
    assert (second.texts, second.value, second.last) == (['{"id":4}', '{"id":5}'], "5", True)
    assert asked.chunk(second.value).texts == []
    assert len(rows(postgres, "chunked", by="").chunk(None).texts) == 5


def test_what_is_not_there_is_said_with_what_looks_like_it(one_spark: Any, tmp_path: Path, postgres: Database) -> None:
    filled(postgres, "trades", 1)
    runner = runner_of(one_spark, tmp_path, source(postgres, "trade") + copied(postgres, "never"))
    with pytest.raises(VeloError, match="there is no table 'trade' for 's'") as caught:
        runner.prepare(bounded=True)
    assert "did you mean 'trades'" in caught.value.hint
    assert "'s.database.wait.timeout' = '30s' waits for it" in caught.value.hint
    with pytest.raises(VeloError, match="'s' has no column 'wrong' in the database"):
        DatabaseRows("s", Server(postgres.url), "trades", columns=(("wrong", "INT"),)).check()
    with pytest.raises(VeloError, match="cannot be used") as caught:
        DatabaseRows("s", Server("postgresql://127.0.0.1:1/x")).check()
    assert (caught.value.error_code, caught.value.exit_code) == ("database-unreachable", 3)


def test_a_table_that_comes_later_is_waited_for(one_spark: Any, tmp_path: Path, postgres: Database) -> None:
    text = source(postgres, "later", **{"database.wait.timeout": "20s", "database.retry.interval": "100ms"})
    runner = runner_of(one_spark, tmp_path, text + copied(postgres, "later_copy"))
    timer = threading.Timer(0.5, filled, (postgres, "later", 3))
    began = time.monotonic()
    timer.start()
    runner.prepare(bounded=True)
    assert time.monotonic() - began < 15
    timer.join()


def test_a_transaction_that_does_not_end_is_named(postgres: Database) -> None:
    postgres.ask("CREATE TABLE held_back (id int)")
    postgres.ask("INSERT INTO held_back VALUES (1)")
    rows = DatabaseRows("s", Server(postgres.url), "held_back", by="id")
    with psycopg.connect(postgres.url) as other, rows.connected() as connection:
        [pid] = other.execute("INSERT INTO held_back VALUES (2) RETURNING pg_backend_pid()").fetchone() or []
        candidate = rows.candidate(connection)
        assert candidate is not None
        with pytest.raises(VeloError, match="rows of 's' wait for transactions of others") as caught:
            rows.settle(connection, candidate, 0.3)
        assert f"process {pid} " in caught.value.hint
        other.commit()
        rows.settle(connection, candidate, 0.3)


def test_a_row_without_a_value_in_the_column_that_grows_is_not_passed_over(postgres: Database) -> None:
    postgres.ask("CREATE TABLE without_value (id int, k text)")
    postgres.ask("INSERT INTO without_value VALUES (1, 'a'), (NULL, 'b')")
    rows = DatabaseRows("s", Server(postgres.url), "without_value", columns=(("k", "STRING"),), by="id")
    with pytest.raises(VeloError, match="'s' has rows without a value in 'id'") as caught:
        rows.chunk(None)
    assert "COALESCE" in caught.value.hint
    rows = DatabaseRows("s", Server(postgres.url), query="SELECT COALESCE(id, 0) AS id, k FROM without_value", by="id")
    assert rows.chunk(None).value == "1"


def test_a_database_or_a_user_that_is_not_there_is_told_with_what_is(postgres: Database) -> None:
    wrong = postgres.url.replace("/postgres?", "/postgrez?")
    with pytest.raises(VeloError, match="there is no database 'postgrez' at 'db'") as caught:
        Server(wrong, shown="db").connect()
    assert caught.value.hint.startswith("did you mean 'postgres'?")
    assert caught.value.error_code == "database-unreachable", "so that somebody may wait for it"
    with pytest.raises(VeloError, match="lets nobody in") as refused:
        Server(postgres.url, username="nobody", shown="db").connect()
    assert refused.value.hint == "correct username and password"


def test_rows_that_get_the_largest_value_later_are_read_once(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    postgres.ask("CREATE TABLE seconds (id bigint, at timestamptz)")
    second = "timestamptz '2026-01-01 00:00:00+00' + n / 3 * interval '1 s'"
    postgres.ask(f"INSERT INTO seconds SELECT n, {second} FROM generate_series(0, 9) n")
    text = f"""CREATE STREAM s (at TIMESTAMP) WITH ('type' = 'database_source', 'url' = '{postgres.url}',
        'table' = 'seconds', 'incremental.column' = 'at', 'max.records.per.batch' = '4');
        CREATE STREAM copied AS SELECT at, _offset AS place FROM s INTO db WITH ('db.type' = 'database_sink',
        'db.url' = '{postgres.url}', 'db.table' = 'seconds_copy', 'db.table.create' = 'true',
        'db.write.mode' = 'append');"""
    both = "SELECT at, count(*) FROM seconds GROUP BY at EXCEPT SELECT at, count(*) FROM seconds_copy GROUP BY at"
    wanted = 10
    for more in (0, 2, 0, 1):
        postgres.ask(f"INSERT INTO seconds SELECT 9, {second} FROM (SELECT 9 AS n FROM generate_series(1, {more})) x")
        wanted += more
        assert run(one_spark, tmp_path, text)["records"]["read"] == wanted
        assert postgres.ask(both) == []
    postgres.ask("INSERT INTO seconds VALUES (11, '2026-01-01 00:00:03+00'), (12, '2026-01-01 00:00:04+00')")
    assert run(one_spark, tmp_path, text)["records"]["read"] == wanted + 2
    assert postgres.ask("SELECT count(DISTINCT place), max(place) FROM seconds_copy") == [(wanted + 2, wanted + 1)]


def test_a_chunk_that_follows_brings_the_rows_of_its_first_value_again_where_some_were_added(
    postgres: Database,
) -> None:
    postgres.ask("CREATE TABLE added AS SELECT n AS id, n / 2 AS v FROM generate_series(0, 3) n")
    asked = rows(postgres, "added", by="v")
    first = asked.chunk(None)
    assert (len(first.texts), first.value, first.ties) == (4, "1", 2)
    assert asked.chunk(first.value, ties=first.ties).texts == []
    postgres.ask("INSERT INTO added VALUES (4, 1)")
    second = asked.chunk(first.value, ties=first.ties)
    assert (second.texts, second.value, second.ties) == (['{"id":2}', '{"id":3}', '{"id":4}'], "1", 3)


def test_too_many_rows_of_one_value_are_told_when_others_follow(postgres: Database) -> None:
    postgres.ask("CREATE TABLE many_ties AS SELECT n AS id, 1 AS v FROM generate_series(1, 10001) n")
    asked = rows(postgres, "many_ties", by="v")
    with asked.connected() as connection:
        bound = asked.bound(connection, None, "1")
        assert bound is not None
        assert bound.ties == Ties(10_001)
        assert asked.late(connection, "1", bound.ties) is None
        postgres.ask("INSERT INTO many_ties VALUES (0, 1)")
        with pytest.raises(VeloError, match="has got rows with 'v' = 1 after 10,001 such rows were read"):
            asked.late(connection, "1", bound.ties)
