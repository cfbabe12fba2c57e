"""Joins with tables in which rows wait, on Spark: for rows that are to come, and for versions by time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

START = 1_700_000_040_000
"""A full minute."""
DECLARED = """CREATE STREAM s (k STRING, v INT, at BIGINT) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'event.time.field' = 'at', 'event.time.format' = 'epoch_millis');
CREATE TABLE t (k STRING PRIMARY KEY, name STRING, least INT) WITH ('type' = 'file_source', 'path' = 't/*.csv',
    'format' = 'csv', 'refresh.interval' = '300ms');
CREATE TABLE rates (k STRING, since BIGINT, rate INT, PRIMARY KEY (k)) WITH ('type' = 'file_source',
    'path' = 'rates/*.csv', 'format' = 'csv', 'version.time' = 'since', 'refresh.interval' = '300ms');
"""
SINK = "'out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl'"


def write(file: Path, *lines: dict[str, Any] | str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    hidden = file.with_name(f".{file.name}")
    hidden.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    hidden.replace(file)


def runner(spark: Any, home: Path, query: str) -> Runner:
    answer = validate((DECLARED + query).replace("@sink", SINK), "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)


def run_while(made: Runner, *steps: Callable[[], Any]) -> dict[str, Any]:
    """Runs the job until all steps are done: each is called until it answers with something true."""
    failures: list[str] = []

    def all_steps() -> None:
        ends = time.monotonic() + 90
        for number, step in enumerate(steps):
            while not step():
                if time.monotonic() > ends:
                    failures.append(f"step {number} did not come")
                    break
                time.sleep(0.1)
        made.stopping.set()

    watching = Thread(target=all_steps)
    watching.start()
    made.run(120, lambda: None)
    watching.join()
    assert not failures
    assert all(job.accounts.adds_up for job in made.jobs)
    return dict(made.report()["jobs"][-1])


def rows(home: Path) -> list[dict[str, Any]]:
    files = sorted((home / "out").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def opened(made: Runner) -> int:
    return sum(made.jobs[-1].accounts.open.values()) if made.jobs else 0


def test_rows_wait_for_the_table_also_while_nothing_runs(one_spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in" / "0.jsonl", *({"k": key, "v": 5, "at": START} for key in "abc"), {"v": 1, "at": START})
    write(tmp_path / "t" / "0.csv", "k,name,least", "a,Alpha,1", "b,Beta,9")
    query = """CREATE STREAM x AS SELECT s.k, t.name FROM s LEFT JOIN t ON s.k = t.k AND s.v >= t.least INTO out
        WITH (@sink, 't.missing.data.strategy' = 'wait_and_retry(4, 1s)')"""
    first = runner(one_spark, tmp_path, query)
    report = run_while(first, lambda: opened(first) == 3)
    assert rows(tmp_path) == [{"k": "a", "name": "Alpha"}]
    assert (report["records"]["read"], report["records"]["in_results"], report["records"]["open"]) == (4, 1, 3)
    write(tmp_path / "t" / "1.csv", "k,name,least", "c,Gamma,1")
    again = runner(one_spark, tmp_path, query)
    report = run_while(again, lambda: len(rows(tmp_path)) == 4)
    assert rows(tmp_path)[1] == {"k": "c", "name": "Gamma"}
    assert sorted(str(row["k"]) for row in rows(tmp_path)[2:]) == ["None", "b"]
    assert {row["name"] for row in rows(tmp_path)[2:]} == {None}
    assert report["joins"]["t"] == {"matched": 2, "missing": 2, "skipped": 0, "defaulted": 0, "retried": 3}
    assert report["records"]["open"] == 0


def test_a_row_has_what_the_table_was_at_its_time_below_a_window_too(one_spark: Any, tmp_path: Path) -> None:
    times = [("a", 0), ("a", 999), ("a", 1_000), ("a", 70_000), ("b", 5_000), ("c", 6_000)]
    write(tmp_path / "in" / "0.jsonl", *({"k": key, "v": 2, "at": START + time} for key, time in times))
    rates = [f"a,{START + 1_000},10", f"a,{START},1", f"a,{START + 60_000},100", f"b,{START + 6_000},7"]
    write(tmp_path / "rates" / "0.csv", "k,since,rate", *rates)
    query = """CREATE STREAM x AS SELECT s.k, SUM(s.v * r.rate) AS worth, COUNT(*) AS n
        FROM s JOIN rates FOR SYSTEM_TIME AS OF s._event_time AS r ON s.k = r.k
        GROUP BY s.k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""
    made = runner(one_spark, tmp_path, query)
    made.run_until_done()
    assert [(row["k"], row["worth"], row["n"]) for row in rows(tmp_path)] == [("a", 24, 3), ("a", 200, 1)]
    [report] = made.report()["jobs"]
    assert {name: report["records"][name] for name in ("read", "in_results", "unmatched", "open")} == {
        "read": 6,
        "in_results": 4,
        "unmatched": 2,
        "open": 0,
    }
    assert report["joins"]["rates"]["skipped"] == 2
    assert made.jobs[0].accounts.adds_up


def test_a_row_waits_for_the_versions_of_its_time_of_tables_of_tables_too(one_spark: Any, tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    soon = now + 12_000
    write(tmp_path / "in" / "0.jsonl", *({"k": "a", "v": 1, "at": at} for at in (now - 5_000, soon)))
    write(tmp_path / "rates" / "0.csv", "k,since,rate", f"a,{now - 10_000},1")
    query = """CREATE TABLE twice AS SELECT k PRIMARY KEY, 2 * rate AS rate FROM rates;
        CREATE TABLE thrice AS SELECT t.k PRIMARY KEY, t.rate + r.rate AS rate FROM twice t JOIN rates r ON t.k = r.k;
        CREATE STREAM x AS SELECT s.k, r.rate, t.rate AS more FROM s
        LEFT JOIN rates FOR SYSTEM_TIME AS OF s._event_time AS r ON s.k = r.k
        LEFT JOIN thrice FOR SYSTEM_TIME AS OF s._event_time AS t ON s.k = t.k INTO out WITH (@sink)"""
    first = runner(one_spark, tmp_path, query)
    run_while(first, lambda: len(rows(tmp_path)) == 1, lambda: opened(first) == 1)
    made = runner(one_spark, tmp_path, query)
    change = lambda: write(tmp_path / "rates" / "1.csv", "k,since,rate", f"a,{soon - 1},2") or True  # noqa: E731
    report = run_while(made, change, lambda: len(rows(tmp_path)) == 2)
    assert [(row["rate"], row["more"]) for row in rows(tmp_path)] == [(1, 3), (2, 6)]
    assert report["joins"]["thrice"]["matched"] == 2
    assert time.time_ns() // 1_000_000 > soon
