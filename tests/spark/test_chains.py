"""Several stateful nodes in one job: windows over windows, groups that rows move between, unions, joins of streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

START = 1_700_000_040_000
FIRST = [("a", 1, 1), ("b", 2, 3), ("a", 3, 61), ("a", 4, 130)]
SECOND = [("a", 5, 2), ("b", 7, 65), ("b", 1, 200)]
BOUNDS = "r._event_time BETWEEN l._event_time - INTERVAL '5' SECOND AND l._event_time + INTERVAL '60' SECOND"


def run(spark: Any, home: Path, streams: str, jobs: dict[str, str], **settings: str) -> dict[str, Any]:
    """Runs statements over two files, each a partition and a micro-batch; rows by job, and the report."""
    (home / "in").mkdir(parents=True)
    for number, records in enumerate((FIRST, SECOND)):
        lines = [json.dumps({"k": k, "v": v, "at": START + second * 1000}) for k, v, second in records]
        (home / "in" / f"{number}.jsonl").write_text("\n".join(lines) + "\n")
    source = {
        "type": "file_source",
        "path": f"{home}/in/*.jsonl",
        "format": "jsonl",
        "event.time.field": "at",
        "event.time.format": "epoch_millis",
        "partition.by": "file",
        "files.per.batch": "1",
        **settings,
    }
    written = ", ".join(f"'{key}' = '{value}'" for key, value in source.items())
    text = [f"CREATE STREAM s (k STRING, v INT, at BIGINT) WITH ({written});", streams]
    for name, query in jobs.items():
        sink = f"'o_{name}.type' = 'memory_sink', 'num_partitions' = '2'"
        text.append(f"CREATE STREAM {name} AS {query} INTO o_{name} WITH ({sink});")
    answer = validate("\n".join(text), "chains.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs), runner.report()
    return {job["name"]: job for job in runner.report()["jobs"]}


def rows(name: str) -> list[tuple[Any, ...]]:
    from velostream.sinks.memory import rows as kept

    return sorted((tuple(row.values()) for row in kept(f"o_{name}")), key=repr)


def test_operators_follow_one_another_in_order_of_time(one_spark: Any, tmp_path: Path) -> None:
    minutes = "CREATE STREAM m AS SELECT k, SUM(v) AS t FROM s GROUP BY k WINDOW TUMBLING(1m);"
    both = "CREATE STREAM u AS SELECT k, v FROM s UNION ALL SELECT k, v FROM s WHERE v > 3;"
    jobs = {
        "windows": "SELECT MAX(t) AS best, COUNT(*) AS n, SUM(t) AS total FROM m WINDOW TUMBLING(2m)",
        "twice": "SELECT k, SUM(v) AS t FROM u GROUP BY k WINDOW TUMBLING(1m)",
        "meet": f"SELECT l.v AS lv, r.v AS rv FROM s l JOIN s r ON l.k = r.k AND {BOUNDS} WHERE l.v < r.v",
    }
    report = run(one_spark, tmp_path, minutes + both, jobs)
    assert rows("windows") == [(4, 2, 5), (7, 4, 18)]
    assert rows("twice") == [("a", 11), ("a", 3), ("a", 8), ("b", 1), ("b", 14), ("b", 2)]
    assert rows("meet") == [(1, 3), (1, 5)]
    assert report["windows"]["records"]["in_results"] == 7
    assert report["twice"]["records"] | {"dropped": {}, "dead_lettered": {}} == {
        "read": 7,
        "filtered": 4,
        "in_results": 10,
        "duplicates": 0,
        "unmatched": 0,
        "open": 0,
        "dropped": {},
        "dead_lettered": {},
        "expanded": 7,
        "replayed": 0,
    }


def test_corrections_replace_what_was_counted_and_move_between_groups(one_spark: Any, tmp_path: Path) -> None:
    late = "CREATE STREAM m AS SELECT k, SUM(v) AS t FROM s GROUP BY k WINDOW TUMBLING(1m)"
    streams = (
        f"{late} HAVING SUM(v) > 3 WITH ('allowed.lateness' = '10m');"
        "CREATE STREAM g AS SELECT k, SUM(v) AS t FROM s GROUP BY k;"
    )
    jobs = {
        "sums": "SELECT COUNT(*) AS n, SUM(t) AS total FROM m WINDOW TUMBLING(2m)",
        "hidden": "SELECT k, t * 2 AS t2 FROM m WHERE t < 9",
        "moved": "SELECT t > 5 AS big, COUNT(*) AS n, SUM(t) AS total FROM g GROUP BY t > 5 EMIT CHANGES",
        "kept": f"SELECT l.v AS lv, r.v AS rv FROM s l LEFT JOIN s r ON l.k = r.k AND l.v = r.v AND {BOUNDS}",
    }
    report = run(one_spark, tmp_path, streams, jobs, **{"watermark.scope": "source"})
    newest = {row[:-2]: row[-2:] for row in rows("sums")}
    assert (2, 13) in newest
    assert newest[2, 13][0] == "late"
    assert rows("hidden") == [("a", 12, "late", 2), ("a", 8, "final", 1), ("b", 14, "late", 1)]
    assert [row[:3] for row in rows("moved") if row[3] == "retract"][-1][0] is False
    assert [row for row in rows("moved") if row[3] == "change"][-1][:3] == (True, 2, 23)
    assert rows("kept") == [(v, v) for v in (1, 1, 2, 3, 4)]
    assert report["kept"]["records"]["dead_lettered"] == {"too_late": 4}
    assert report["sums"]["emitted"]["late"] >= 1
