"""Streams that ask tables, on Spark: joins, subqueries, tables that statements make, and rows that become several."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.sinks.letters import read_letters
from velostream.validation import validate

START = 1_700_000_040_000
"""A full minute."""
DECLARED = """-- Dependencies: functions/pricing.py
CREATE STREAM s (k STRING, v INT, at BIGINT, tags ARRAY<STRING>) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'event.time.field' = 'at', 'event.time.format' = 'epoch_millis'@stream);
CREATE TABLE t (k STRING PRIMARY KEY, name STRING, lot INT) WITH ('type' = 'file_source', 'path' = 't.csv',
    'format' = 'csv'@table);
CREATE TABLE bands (k STRING, low INT, high INT, label STRING, PRIMARY KEY (k, low)) WITH ('type' = 'file_source',
    'path' = 'bands.jsonl', 'format' = 'jsonl');
"""
SINK = "'out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl'"


def write(file: Path, *lines: dict[str, Any] | str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    hidden = file.with_name(f".{file.name}")
    hidden.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    hidden.replace(file)


def given(home: Path) -> None:
    """Five records, of which one has no key and one is none; a table with a row that replaces another."""
    records: list[dict[str, Any] | str] = [
        {"k": "a", "v": 1, "at": START, "tags": ["x", "y"]},
        {"k": "b", "v": 20, "at": START + 1_000, "tags": []},
        {"k": "c", "v": 3, "at": START + 2_000},
        {"k": None, "v": 4, "at": START + 3_000, "tags": ["z"]},
        "{ not json",
    ]
    write(home / "in" / "0.jsonl", *records)
    write(home / "t.csv", "k,name,lot", "a,Alpha,1", "b,Beta,2", "a,Alef,3", ",nobody,4")
    write(
        home / "bands.jsonl",
        {"k": "a", "low": 0, "high": 100, "label": "wide"},
        {"k": "a", "low": 1, "high": 5, "label": "narrow"},
        {"k": "a", "low": 50, "high": 60, "label": "other"},
        {"k": "b", "low": 0, "high": 10, "label": "small"},
    )


def runner(spark: Any, home: Path, query: str, stream: str = "", table: str = "") -> Runner:
    text = (DECLARED + query).replace("@sink", SINK).replace("@stream", stream).replace("@table", table)
    answer = validate(text, "test.sql", folder=Path(__file__).parents[1] / "cases", variables={})
    assert answer.ok, answer.findings.errors
    return Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)


def run(spark: Any, home: Path, query: str, **more: str) -> dict[str, Any]:
    """Runs until the input ends; the report of the last job, and of the tables."""
    made = runner(spark, home, query, **more)
    made.run_until_done()
    assert all(job.accounts.adds_up for job in made.jobs)
    report = made.report()
    return {**report["jobs"][-1], "tables": {one["name"]: one for one in report["tables"]}}


def rows(home: Path) -> list[dict[str, Any]]:
    files = sorted((home / "out").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_every_record_has_its_row_of_the_table_or_nulls(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = "CREATE STREAM x AS SELECT s.k, t.name FROM s LEFT JOIN t ON s.k = t.k INTO out WITH (@sink)"
    report = run(one_spark, tmp_path, query)
    assert rows(tmp_path) == [
        {"k": "a", "name": "Alef"},
        {"k": "b", "name": "Beta"},
        {"k": "c", "name": None},
        {"k": None, "name": None},
    ]
    assert report["joins"] == {"t": {"matched": 2, "missing": 2, "skipped": 0, "defaulted": 0, "retried": 0}}
    assert {name: report["tables"]["t"][name] for name in ("rows", "state", "refreshes", "dead_lettered")} == {
        "rows": 2,
        "state": "ready",
        "refreshes": 0,
        "dead_lettered": 1,
    }


def test_a_record_that_meets_several_rows_is_counted_once(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT s.k, b.label FROM s JOIN bands b ON s.k = b.k AND s.v BETWEEN b.low AND b.high
        INTO out WITH (@sink)"""
    report = run(one_spark, tmp_path, query)
    assert [(row["k"], row["label"]) for row in rows(tmp_path)] == [("a", "wide"), ("a", "narrow")]
    counted = {name: report["records"][name] for name in ("read", "in_results", "unmatched", "expanded")}
    assert counted == {"read": 5, "in_results": 2, "unmatched": 3, "expanded": 1}
    assert report["joins"]["bands"]["matched"] == 1


def test_joins_before_and_after_a_window_keep_the_accounts(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT w.name, w.n, b.label FROM (
            SELECT t.k, t.name, COUNT(*) AS n FROM s JOIN t ON s.k = t.k GROUP BY t.k, t.name WINDOW TUMBLING(1m)
        ) w LEFT JOIN bands b ON w.k = b.k AND b.low = 0 INTO out
        WITH (@sink, 'bands.missing.data.strategy' = 'use_defaults(label = ''none'')')"""
    report = run(one_spark, tmp_path, query)
    assert sorted((row["name"], row["n"], row["label"]) for row in rows(tmp_path)) == [
        ("Alef", 1, "wide"),
        ("Beta", 1, "small"),
    ]
    assert report["records"]["unmatched"] == 2
    assert report["joins"]["t"]["matched"] == report["joins"]["bands"]["matched"] == 2


def test_what_joins_below_a_window_counted_survives_a_kill(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT w.k, b.label, COUNT(*) AS n FROM (
            SELECT s.k, COUNT(*) AS n FROM s LEFT JOIN t ON s.k = t.k GROUP BY s.k WINDOW TUMBLING(1m)
        ) w JOIN bands b ON w.k = b.k GROUP BY w.k, b.label WINDOW TUMBLING(1h) INTO out WITH (@sink)"""
    first = runner(one_spark, tmp_path, query)
    checkpoint, killed = tmp_path / "checkpoint", tmp_path / "killed"

    def kill() -> None:
        spark = checkpoint / "x" / "spark"
        _until(lambda: any((spark / "commits").glob("[0-9]*")) and json.loads(accounts.read_text())["read"] == 5)
        shutil.copytree(checkpoint, killed)
        first.stopping.set()

    accounts = checkpoint / "x" / "accounts.json"
    killing = Thread(target=kill)
    killing.start()
    first.run(120, lambda: None)
    killing.join()
    shutil.rmtree(checkpoint)
    killed.rename(checkpoint)
    write(tmp_path / "in" / "1.jsonl", {"k": "a", "v": 1, "at": START + 65_000}, {"k": "z", "v": 1, "at": START})
    report = run(one_spark, tmp_path, query)
    assert (report["joins"]["t"]["matched"], report["joins"]["t"]["missing"]) == (3, 3)
    assert (report["joins"]["bands"]["matched"], report["joins"]["bands"]["missing"]) == (3, 3)


def test_joins_and_subqueries_give_what_the_batch_query_gives(one_spark: Any, tmp_path: Path) -> None:
    dice = Random(6)
    keys = ["a", "b", "c", "d", None]
    for number in range(3):
        records = [{"k": dice.choice(keys), "v": dice.randint(0, 9), "at": START + n} for n in range(60)]
        write(tmp_path / "in" / f"{number}.jsonl", *records)
    lots = [f"{key},N{key},{dice.randint(0, 9)}" for key in "abx"]
    write(tmp_path / "t.csv", "k,name,lot", *lots)
    bands = [
        {"k": key, "low": low, "high": low + dice.randint(0, 5), "label": f"{key}{low}"}
        for key in "acd"
        for low in range(4)
    ]
    write(tmp_path / "bands.jsonl", *bands)
    select = """SELECT s.k, s.v, t.lot, b.label, s.v IN (SELECT low FROM bands i WHERE i.k = s.k) AS listed,
            (SELECT SUM(high) FROM bands i WHERE i.k = s.k) AS highs
        FROM s LEFT JOIN t ON s.k = t.k AND s.v >= t.lot JOIN bands b ON s.k = b.k AND s.v BETWEEN b.low AND b.high
        WHERE EXISTS (SELECT 1 FROM t e WHERE e.lot <= s.v)"""
    report = run(
        one_spark, tmp_path, f"CREATE STREAM x AS {select} INTO out WITH (@sink)", stream=", 'files.per.batch' = '1'"
    )
    one_spark.read.json(str(tmp_path / "in")).createOrReplaceTempView("s")
    one_spark.read.csv(
        str(tmp_path / "t.csv"), header=True, schema="k STRING, name STRING, lot INT"
    ).createOrReplaceTempView("t")
    one_spark.read.json(str(tmp_path / "bands.jsonl")).createOrReplaceTempView("bands")
    batch = [row.asDict() for row in one_spark.sql(select).collect()]
    assert sorted(map(str, rows(tmp_path))) == sorted(map(str, batch))
    assert report["records"]["read"] == 180


def test_a_join_that_must_not_miss_says_what_it_missed(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT s.k, t.name FROM s LEFT JOIN t ON s.k = t.k INTO out
        WITH (@sink, 't.missing.data.strategy' = 'fail_fast')"""
    with pytest.raises(VeloError, match="the join with 't' found no row for 'c'") as failure:
        run(one_spark, tmp_path, query)
    assert failure.value.error_code == "no-match"


def test_subqueries_answer_with_the_nulls_of_sql(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT v,
            k IN (SELECT k FROM t) AS known,
            k NOT IN (SELECT k FROM t) AS unknown,
            k IN (SELECT CAST(NULL AS STRING) FROM t) AS unsure,
            EXISTS (SELECT 1 FROM bands b WHERE b.k = s.k AND b.high > s.v) AS fits,
            (SELECT MAX(lot) FROM t) AS most,
            (SELECT lot FROM t WHERE t.k = s.k) AS lot,
            (SELECT COUNT(*) FROM bands b WHERE b.k = s.k) AS count,
            v > ALL (SELECT lot FROM t) AS above,
            v <= ANY (SELECT low FROM bands b WHERE b.k = s.k) AS below
        FROM s INTO out WITH (@sink)"""
    run(one_spark, tmp_path, query)
    found = {row.pop("v"): tuple(row.values()) for row in rows(tmp_path)}
    assert found == {
        #   known unknown unsure fits most lot count above below
        1: (True, False, None, True, 3, 3, 3, False, True),
        20: (True, False, None, False, 3, 2, 1, True, False),
        3: (False, True, None, False, 3, None, 0, False, False),
        4: (None, None, None, False, 3, None, 0, True, False),
    }


ROWS = """s.v,
    (s.k, s.v) IN (SELECT k, lot FROM pairs) AS known, (s.k, s.v) NOT IN (SELECT k, lot FROM pairs) AS unknown,
    (s.k, s.v) IN (SELECT k, lot FROM pairs p WHERE p.lot > s.v) AS above,
    (SELECT label FROM bands b WHERE b.k = s.k AND b.low <= s.v ORDER BY b.low DESC, b.high LIMIT 1) AS nearest,
    (SELECT label FROM bands b WHERE b.k = s.k ORDER BY ABS(b.low - s.v), b.low LIMIT 1) AS closest,
    (SELECT lot FROM pairs p WHERE p.k = s.k ORDER BY p.lot DESC NULLS FIRST LIMIT 1) AS no_lot,
    (SELECT high FROM bands b WHERE b.k = s.k GROUP BY high ORDER BY COUNT(*) DESC, high LIMIT 1) AS common,
    (SELECT DISTINCT k FROM bands b WHERE b.k = s.k) AS once,
    EXISTS (SELECT DISTINCT 1 FROM bands b WHERE b.k = s.k LIMIT 1) AS banded,
    EXISTS (SELECT MAX(low) FROM bands b WHERE b.k = s.k) AS always,
    s.v - s.v IN (SELECT COUNT(*) FROM bands b WHERE b.k = s.k) AS zero,
    s.v > ALL (SELECT MAX(low) FROM bands b WHERE b.k = s.k) AS most,
    s.v NOT IN (SELECT MAX(low) FROM bands b WHERE b.k = s.k) AS other,
    (SELECT COUNT(*) FROM bands b WHERE b.k = s.k HAVING COUNT(*) <> 1) AS several,
    EXISTS (SELECT 1 FROM bands b WHERE b.k = s.k HAVING COUNT(*) = 0) AS unbanded"""

ABOVE = """(SELECT CASE WHEN COUNT(*) FILTER (p.k = s.k AND p.lot = s.v) > 0 THEN TRUE
    WHEN COUNT(*) FILTER ((p.k = s.k AND p.lot = s.v) IS NULL) > 0 THEN NULL ELSE FALSE END
    FROM pairs p WHERE p.lot > s.v)"""
"""DuckDB does not compare several columns with a subquery that reads the row around."""


def test_subqueries_of_rows_orders_and_groups_give_what_duckdb_gives(one_spark: Any, tmp_path: Path) -> None:
    import duckdb

    dice, keys = Random(7), ["a", "b", "c", None]
    records = [{"k": k, "v": v, "at": START} for k in keys for v in [*range(0, 9, 2), 3, None]]
    write(tmp_path / "in" / "0.jsonl", *records)
    bands = [{"k": k, "low": low, "high": dice.randint(1, 3), "label": f"{k}{low}"} for k in "ab" for low in (1, 3, 6)]
    write(tmp_path / "bands.jsonl", *bands[:-2])
    write(tmp_path / "t.csv", "k,name,lot")
    pairs = [(number, dice.choice(keys), dice.choice([1, 2, 3, 4, None])) for number in range(9)]
    write(tmp_path / "pairs.jsonl", *({"id": number, "k": k, "lot": lot} for number, k, lot in pairs))
    query = f"""CREATE TABLE pairs (id INT PRIMARY KEY, k STRING, lot INT) WITH ('type' = 'file_source',
        'path' = 'pairs.jsonl', 'format' = 'jsonl');
        CREATE STREAM x AS SELECT s.k, {ROWS} FROM s INTO out WITH (@sink);"""
    run(one_spark, tmp_path, query)
    base = duckdb.connect()
    for name in ("bands", "pairs"):
        base.execute(f"CREATE TABLE {name} AS SELECT * FROM read_json('{tmp_path}/{name}.jsonl')")
    base.execute(f"CREATE TABLE s AS SELECT k, v::INT AS v FROM read_json('{tmp_path}/in/0.jsonl')")
    asked = ROWS.replace("(s.k, s.v) IN (SELECT k, lot FROM pairs p WHERE p.lot > s.v)", ABOVE)
    answer = base.execute(f"SELECT s.k, {asked} FROM s")
    names = [each[0] for each in answer.description or ()]
    expected = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    assert sorted(map(str, rows(tmp_path))) == sorted(map(str, expected))


def test_a_subquery_with_several_values_costs_the_record(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT k, (SELECT label FROM bands b WHERE b.k = s.k) AS label FROM s
        INTO out WITH (@sink)"""
    report = run(one_spark, tmp_path, query)
    assert [row["k"] for row in rows(tmp_path)] == ["b", "c", None]
    assert report["records"]["dead_lettered"] == {"undecodable": 1, "bad_value": 1}


def test_a_table_that_a_statement_makes_is_read_when_it_is_complete(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE TABLE totals AS SELECT k, SUM(v) AS total FROM s WHERE k IS NOT NULL GROUP BY k EMIT CHANGES;
        CREATE STREAM x AS SELECT s.k, p.total FROM s JOIN totals p ON s.k = p.k INTO out WITH (@sink)"""
    first = run(one_spark, tmp_path, query)
    assert [(row["k"], row["total"]) for row in rows(tmp_path)] == [("a", 1), ("b", 20), ("c", 3)]
    assert first["tables"]["totals"]["rows"] == 3
    write(tmp_path / "in" / "1.jsonl", {"k": "a", "v": 5, "at": START + 4_000})
    run(one_spark, tmp_path, query)
    assert [(row["k"], row["total"]) for row in rows(tmp_path)][3:] == [("a", 6)]


def test_elements_become_rows_and_a_record_without_any_is_counted(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT tag, n FROM (SELECT tag, COUNT(*) AS n FROM s CROSS JOIN UNNEST(tags) AS u(tag)
        GROUP BY tag WINDOW TUMBLING(1m)) INTO out WITH (@sink)"""
    report = run(one_spark, tmp_path, query)
    assert sorted((row["tag"], row["n"]) for row in rows(tmp_path)) == [("x", 1), ("y", 1), ("z", 1)]
    counted = {name: report["records"][name] for name in ("read", "in_results", "unmatched", "expanded")}
    assert counted == {"read": 5, "in_results": 3, "unmatched": 2, "expanded": 1}


def test_every_way_to_make_rows_of_a_record(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT s.k, place, tag, mk, mv, a, b, n, w, q, o, nth
        FROM s CROSS JOIN UNNEST(array(s.k)) WITH ORDINALITY AS u(kk, nth)
        LATERAL VIEW posexplode(tags) p AS place, tag
        LATERAL VIEW explode(map('m', v)) m AS mk, mv
        LATERAL VIEW inline(array(named_struct('a', 7, 'b', 'z'))) i AS a, b
        LATERAL VIEW stack(2, v, 'one', v + 1, 'two') st AS n, w
        LATERAL VIEW json_tuple('{"q": 5}', 'q') j AS q
        LATERAL VIEW OUTER explode(filter(tags, e -> e = 'none')) f AS o
        WHERE s.k = 'a' INTO out WITH (@sink)"""
    report = run(one_spark, tmp_path, query)
    shared = {"k": "a", "mk": "m", "mv": 1, "a": 7, "b": "z", "q": "5", "o": None, "nth": 1}
    assert rows(tmp_path) == [
        {"place": place, "tag": tag, "n": n, "w": word, **shared}
        for place, tag in enumerate(("x", "y"))
        for n, word in ((1, "one"), (2, "two"))
    ]
    assert report["records"]["expanded"] == 3


def test_functions_of_the_user_run_and_a_failing_call_costs_its_record(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = """CREATE STREAM x AS SELECT k, NET(v, CASE WHEN v = 3 THEN -1 ELSE 0.25 END) AS net, w.word
        FROM s LATERAL VIEW words(concat(k, ' ', v)) w AS word, place INTO out WITH (@sink)"""
    report = run(one_spark, tmp_path, query)
    assert [(row["k"], row["net"], row["word"]) for row in rows(tmp_path)] == [
        ("a", 0.8, "a"),
        ("a", 0.8, "1"),
        ("b", 16.0, "b"),
        ("b", 16.0, "20"),
    ]
    assert report["records"]["dead_lettered"] == {"undecodable": 1, "bad_value": 3}
    letters = read_letters(tmp_path / "checkpoint" / "x" / "dead-letters")
    errors = {letter["error"] for letter in letters if letter["reason"] == "bad_value"}
    assert any(error.startswith("ZeroDivisionError: ") for error in errors)


def test_a_running_job_sees_newer_rows_of_its_table(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    query = "CREATE STREAM x AS SELECT s.k, t.name FROM s JOIN t ON s.k = t.k INTO out WITH (@sink)"
    made = runner(one_spark, tmp_path, query, table=", 'refresh.interval' = '1s'")

    def change() -> None:
        _until(lambda: len(rows(tmp_path)) == 2)
        write(tmp_path / "t.csv", "k,name,lot", "c,Gamma,1", "a,Aleph,3")
        _until(lambda: _version(made) == 2)
        write(tmp_path / "in" / "1.jsonl", *({"k": key, "v": 1, "at": START + 5_000} for key in ("a", "b", "c")))
        _until(lambda: len(rows(tmp_path)) == 4)
        made.stopping.set()

    changing = Thread(target=change)
    changing.start()
    made.run(120, lambda: None)
    changing.join()
    assert [row["name"] for row in rows(tmp_path)] == ["Alef", "Beta", "Aleph", "Gamma"]
    [table] = made.report()["tables"]
    assert table["refreshes"] >= 1
    assert table["rows"] == 2


def test_a_table_that_is_not_there_is_named_with_those_who_wait(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path)
    (tmp_path / "t.csv").unlink()
    query = "CREATE STREAM x AS SELECT s.k, t.name FROM s JOIN t ON s.k = t.k INTO out WITH (@sink)"
    with pytest.raises(VeloError, match=r"table 't' is not ready .*there is no file 't.csv'.*job 'x' waits for it"):
        run(one_spark, tmp_path, query)


def _version(made: Runner) -> int:
    """The version of the table that the job sees."""
    pins = made.jobs[0].pins
    assert pins is not None
    shown = pins.views["t"].shown
    return 0 if shown is None else shown.number


def _until(holds: Any) -> None:
    ends = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.1)
