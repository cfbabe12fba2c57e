"""Generated records on Spark: every type arrives, a bounded run ends, and every record is accounted for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate


def run(spark: Any, home: Path, columns: str, query: str, **settings: str) -> dict[str, Any]:
    everything = {"type": "datagen_source", "start.time": "2026-01-31T00:00:00Z", **settings}
    written = ", ".join(f"'{key}' = '{value}'" for key, value in everything.items())
    sink = f"'out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'jsonl'"
    text = f"CREATE STREAM s ({columns}) WITH ({written});\n{query.replace('@sink', sink)}"
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)
    [report] = runner.report()["jobs"]
    return dict(report)


def rows(home: Path) -> list[dict[str, Any]]:
    files = sorted((home / "out").rglob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_partitions_one_after_another_give_the_same_as_in_order_of_time(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, _window_start, COUNT(*) AS n, SUM(v) AS total
        FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""
    found = {}
    for order in ("time", "partition_batched"):
        home = tmp_path / order
        settings = {"rows": "2_500", "partitions": "5", "order": order, "event.time.field": "at", "rate": "100000"}
        settings |= {"time.step": "100ms", "fields.k.values": "a, b, c"}
        report = run(one_spark, home, "k STRING, v INT, at TIMESTAMP", query, **settings)
        assert report["records"]["in_results"] == 2_500
        assert report["windows"]["late_events_total"] == 0
        found[order] = sorted((row["k"], row["_window_start"], row["n"], row["total"]) for row in rows(home))
    assert found["time"] == found["partition_batched"]
    assert sum(row[2] for row in found["time"]) == 2_500


def test_a_column_of_every_type_arrives(one_spark: Any, tmp_path: Path) -> None:
    plain = "BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(38,20) STRING BINARY DATE TIMESTAMP TIMESTAMP_NTZ"
    kinds = [*plain.split(), "ARRAY<INT>", "MAP<STRING, DOUBLE>", "STRUCT<x: INT, y: ARRAY<STRING>>"]
    columns = ", ".join(f"c{index} {kind}" for index, kind in enumerate(kinds))
    query = "CREATE STREAM x AS SELECT *, HEADER('via') AS via, _partition, _offset FROM s INTO out WITH (@sink)"
    report = run(one_spark, tmp_path, columns, query, **{"rows": "50", "headers.via": "web, app"})
    found = rows(tmp_path)
    assert report["records"]["in_results"] == len(found) == 50
    assert all(row[f"c{index}"] is not None for row in found for index in range(len(kinds)))
    assert {row["via"] for row in found} == {"web", "app"}
    assert sorted(row["_offset"] for row in found) == list(range(50))
