"""Whole statements on Spark, from files to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions

from velostream.errors import VeloError
from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

SECOND = 1_000
START = 1_700_000_040_000
"""A full minute."""


def write(folder: Path, name: str, lines: list[dict[str, Any] | str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / name).write_text(text + "\n")


def run(spark: Any, home: Path, query: str, **settings: str) -> dict[str, Any]:
    """Runs a query over `home/in` into `home/out` until its input ends; the report of its job."""
    everything = {"type": "file_source", "path": f"{home}/in/*.jsonl", "format": "jsonl", "event.time.field": "at"}
    everything |= {"event.time.format": "epoch_millis", "partition.by": "file", **settings}
    written = ", ".join(f"'{key}' = '{value}'" for key, value in everything.items())
    sink = f"'out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'jsonl'"
    text = f"CREATE STREAM s (k STRING, v INT, at BIGINT) WITH ({written});\n{query.replace('@sink', sink)}"
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)
    [report] = runner.report()["jobs"]
    return dict(report)


def rows(home: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for file in sorted((home / "out").glob("*.jsonl")) for line in file.read_text().splitlines()
    ]


def letters(home: Path, job: str) -> list[dict[str, Any]]:
    files = sorted((home / "checkpoint" / job / "dead-letters").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def plain_spark(spark: Any, home: Path) -> int:
    """How many records Spark's own watermark brings into results on the same input."""
    counted: list[int] = []

    def add(batch: Any, number: int) -> None:
        counted.append(sum(row["count"] for row in batch.collect()))

    reader = spark.readStream.name("native").schema("k STRING, v INT, at BIGINT")
    stream = reader.option("maxFilesPerTrigger", 1).json(f"{home}/in")
    timed = stream.selectExpr("k", "timestamp_millis(at) AS ts").withWatermark("ts", "5 seconds")
    windows = timed.groupBy("k", functions.window("ts", "1 minute")).count()
    query = windows.writeStream.outputMode("append").foreachBatch(add)
    query.option("checkpointLocation", f"{home}/native").trigger(availableNow=True).start().awaitTermination()
    return sum(counted)


def test_partitions_that_arrive_one_after_another_lose_nothing(one_spark: Any, tmp_path: Path) -> None:
    for partition in range(5):
        records: list[dict[str, Any] | str] = [
            {"k": f"T{n % 50}", "v": n, "at": START + n * SECOND} for n in range(partition, 5_000, 5)
        ]
        write(tmp_path / "in", f"{partition}.jsonl", records)
    query = """CREATE STREAM x AS SELECT k, _window_start, COUNT(*) AS n, SUM(v) AS total
        FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""
    settings = {"files.per.batch": "1", "watermark.max_out_of_orderness": "5s"}
    report = run(one_spark, tmp_path, query, **settings)
    found = rows(tmp_path)
    assert sum(row["n"] for row in found) == 5_000
    assert sum(row["total"] for row in found) == sum(range(5_000))
    assert len({(row["k"], row["_window_start"]) for row in found}) == len(found)
    assert report["records"]["read"] == report["records"]["in_results"] == 5_000
    assert report["windows"]["late_events_total"] == 0
    assert plain_spark(one_spark, tmp_path) < 2_500


def test_a_bad_record_costs_only_itself(one_spark: Any, tmp_path: Path) -> None:
    lines: list[dict[str, Any] | str] = [
        {"k": "a", "v": 2, "at": START},
        "{ not json",
        {"k": "b", "v": 0, "at": START},
        {"k": "c", "v": 5, "at": None},
        {"k": "d", "v": -1, "at": START},
    ]
    write(tmp_path / "in", "0.jsonl", lines)
    query = "CREATE STREAM x AS SELECT k, 10 / v AS share FROM s WHERE v >= 0 INTO out WITH (@sink)"
    report = run(one_spark, tmp_path, query)
    assert rows(tmp_path) == [{"k": "a", "share": 5.0}]
    assert report["records"]["filtered"] == 1
    reasons = {"undecodable": 1, "event_time_missing": 1, "bad_value": 1}
    assert report["records"]["dead_lettered"] == reasons
    found = letters(tmp_path, "x")
    assert {letter["reason"] for letter in found} == set(reasons)
    assert next(letter for letter in found if letter["reason"] == "undecodable")["record"] == "{ not json"
    failed = next(letter for letter in found if letter["reason"] == "bad_value")
    assert (failed["error"], json.loads(failed["record"])["k"]) == ("'10 / s.v' failed", "b")


def test_a_run_that_goes_on_corrects_what_the_flush_fired(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)
        INTO out WITH (@sink, 'allowed.lateness' = '1h')"""
    write(tmp_path / "in", "0.jsonl", [{"k": "a", "v": 1, "at": START}])
    run(one_spark, tmp_path, query)
    write(tmp_path / "in", "1.jsonl", [{"k": "a", "v": 2, "at": START + 5 * SECOND}])
    report = run(one_spark, tmp_path, query)
    assert [(row["total"], row["_revision"]) for row in rows(tmp_path)] == [(1, 1), (3, 2)]
    assert report["records"]["read"] == 2


def test_a_row_that_having_no_longer_lets_through_is_withdrawn(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m) HAVING total > 0
        INTO out WITH (@sink, 'allowed.lateness' = '1h')"""
    write(tmp_path / "in", "0.jsonl", [{"k": "a", "v": 1, "at": START}, {"k": "b", "v": -1, "at": START}])
    report = run(one_spark, tmp_path, query)
    assert (report["emitted"]["final"], report["windows"]["initial_firings"]) == (1, 2), "HAVING hides one of them"
    late = [{"k": "a", "v": -5, "at": START}, {"k": "b", "v": -5, "at": START}]
    write(tmp_path / "in", "1.jsonl", [dict(record) for record in late])
    report = run(one_spark, tmp_path, query)
    found = [(row["k"], row["total"], row["_emission"], row["_revision"]) for row in rows(tmp_path)]
    assert found == [("a", 1, "final", 1), ("a", 1, "retract", 1)]
    assert report["emitted"] == {"early": 0, "final": 1, "late": 0, "change": 0, "retract": 1}


def test_what_a_flush_said_is_corrected_without_lateness_too(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m) HAVING total < 5
        ORDER BY total LIMIT 2 INTO out WITH (@sink)"""
    at = [{"k": key, "v": value, "at": START} for key, value in (("a", 1), ("b", 2), ("c", 3))]
    write(tmp_path / "in", "0.jsonl", [dict(record) for record in at])
    run(one_spark, tmp_path, query)
    assert rows(tmp_path) == [{"k": "a", "total": 1}, {"k": "b", "total": 2}]
    write(tmp_path / "in", "1.jsonl", [{"k": "a", "v": 1, "at": START}, {"k": "b", "v": 3, "at": START}])
    run(one_spark, tmp_path, query)
    found = [(row["k"], row["total"], row["_emission"], row["_revision"]) for row in rows(tmp_path)[2:]]
    assert sorted(found) == [("a", 2, "late", 2), ("b", 2, "retract", 1), ("c", 3, "late", 1)]


def test_a_row_that_lead_answers_later_says_that_it_corrects(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, SUM(v) AS total,
        LEAD(SUM(v)) OVER (PARTITION BY k ORDER BY _window_end) AS following
        FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""
    for number in range(0, 6, 2):
        records = [{"k": "a", "v": each, "at": START + 60 * each * SECOND} for each in (number, number + 1)]
        write(tmp_path / "in", f"{number}.jsonl", [dict(record) for record in records])
    run(one_spark, tmp_path, query, **{"files.per.batch": "1", "watermark.max_out_of_orderness": "5s"})
    found = [(row["total"], row["following"], row["_emission"], row["_revision"]) for row in rows(tmp_path)]
    assert (3, None, "final", 1) in found
    assert (3, 4, "late", 2) in found
    newest = {total: following for total, following, _, _ in sorted(found, key=lambda row: row[3])}
    assert newest == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: None}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT k FROM s WITH ('state.warm.backend' = 'memory')", "'state.warm.backend' of job"),
        (
            "SELECT k FROM s WITH ('s.schema.registry.url' = 'http://h', 's.format' = 'json')",
            "'schema.registry.url' of",
        ),
    ],
)
def test_what_cannot_be_run_is_never_run_by_halves(one_spark: Any, tmp_path: Path, query: str, message: str) -> None:
    write(tmp_path / "in", "0.jsonl", [{"k": "a", "v": 1, "at": START}])
    with pytest.raises(VeloError, match=message) as refusal:
        run(one_spark, tmp_path, query)
    assert refusal.value.error_code == "unsupported"
    assert refusal.value.hint


def test_rows_of_a_select_without_a_sink_are_shown(
    one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in", "0.jsonl", [{"k": "a", "v": 1, "at": START}, {"k": "b", "v": 2, "at": START}])
    run(one_spark, tmp_path, "SELECT k, v * 2 AS twice FROM s WHERE v > 1")
    assert capsys.readouterr().out == "k=b  twice=4\n"


def test_records_without_a_partition_are_counted_whatever_becomes_of_them(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""
    good: list[dict[str, Any] | str] = [{"k": "a", "v": n % 2, "at": START + n} for n in range(4)]
    write(tmp_path / "in", "0.jsonl", [*good, {"k": "a", "v": None, "at": START + 9}, "{ not json"])
    report = run(one_spark, tmp_path, query, **{"partition.by": "v"})
    records = report["records"]
    assert (records["read"], records["in_results"], records["expanded"]) == (6, 5, 0)
    assert records["dead_lettered"] == {"undecodable": 1}
