"""Dead letters once more, on Spark: with state, without, and where records are routed as they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.spark.test_running import letters, rows, write

from velostream.jobs.letters import Wanted, letters_of
from velostream.jobs.replaying import replay
from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

MINUTE = 60_000
START = 1_700_000_040_000


def planned(home: Path, query: str, form: str) -> Any:
    source = f"'s.type' = 'file_source', 's.path' = '{home}/in/*.{form}', 's.event.time.field' = 'at'"
    columns = "k STRING, v INT, at BIGINT" if form == "jsonl" else "k STRING, v INT, at TIMESTAMP"
    kind = ", 's.event.time.format' = 'epoch_millis'" if form == "jsonl" else ""
    text = f"""CREATE STREAM s ({columns}) WITH ({source}{kind}, 's.files.per.batch' = '1', 's.dedup.key' = 'v');
    {query} INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{home}/out');"""
    text = text if "WINDOW" in query and form == "jsonl" else text.replace(", 's.dedup.key' = 'v'", "")
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library)


def run(spark: Any, home: Path, query: str, form: str = "jsonl") -> dict[str, Any]:
    runner = Runner(planned(home, query, form), spark, home / "checkpoint", home, print)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)
    [report] = runner.report()["jobs"]
    return dict(report)


def again(home: Path, query: str, form: str = "jsonl") -> int:
    [job] = planned(home, query, form).jobs
    found = letters_of(job, home / "checkpoint", home)
    return replay(found.home, found.found(Wanted())).records


def test_a_late_record_reopens_its_window_and_is_no_duplicate_of_itself(one_spark: Any, tmp_path: Path) -> None:
    query = "SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)"
    write(tmp_path / "in", "1.jsonl", [{"k": "a", "v": 1, "at": START}, {"k": "a", "v": 2, "at": START + 5 * MINUTE}])
    write(tmp_path / "in", "2.jsonl", [{"k": "a", "v": 4, "at": START + 1}, "{ not json"])
    first = run(one_spark, tmp_path, query)
    assert first["records"]["dead_lettered"] == {"too_late": 1, "undecodable": 1}
    late = next(one for one in letters(tmp_path, first["name"]) if one["reason"] == "too_late")
    assert json.loads(late["record"]) == {"k": "a", "v": 4, "at": START + 1}
    assert again(tmp_path, query) == 2
    second = run(one_spark, tmp_path, query)
    records = second["records"]
    assert (records["read"], records["replayed"], records["duplicates"]) == (4, 2, 0)
    assert records["dead_lettered"] == {"too_late": 1, "undecodable": 2}
    assert second["watermark"] == first["watermark"]
    assert {"k": "a", "total": 4, "_emission": "late", "_revision": 1} in rows(tmp_path)
    assert again(tmp_path, query) == 1


def test_records_of_columns_come_again_without_state_and_beside_a_scan_in_the_worker(
    one_spark: Any, tmp_path: Path
) -> None:
    kinds = pa.schema([("k", pa.string()), ("v", pa.int32()), ("at", pa.timestamp("us", "UTC"))])
    for name, query, counted in (
        ("plain", "SELECT 10 / v AS w FROM s", {"bad_value": 1}),
        ("worker", "SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)", {"too_late": 1}),
    ):
        home = tmp_path / name
        (home / "in").mkdir(parents=True)
        for number, (value, time) in enumerate(((1, START), (2, START + 5 * MINUTE), (0, START + 1))):
            table = pa.table({"k": ["a"], "v": [value], "at": [time * 1000]}).cast(kinds)
            pq.write_table(table, home / "in" / f"{number}.parquet")
        first = run(one_spark, home, query, "parquet")
        assert first["records"]["dead_lettered"] == counted
        assert again(home, query, "parquet") == 1
        records = run(one_spark, home, query, "parquet")["records"]
        assert (records["read"], records["replayed"]) == (3, 1)
        assert records["in_results"] == (2 if name == "plain" else 3)


def test_a_job_that_runs_takes_letters_up_without_being_told(one_spark: Any, tmp_path: Path) -> None:
    query = "SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)"
    write(tmp_path / "in", "1.jsonl", [{"k": "a", "v": 1, "at": START}, {"k": "a", "v": 2, "at": START + 5 * MINUTE}])
    write(tmp_path / "in", "2.jsonl", [{"k": "a", "v": 4, "at": START + 1}])
    runner = Runner(planned(tmp_path, query, "jsonl"), one_spark, tmp_path / "checkpoint", tmp_path, print)
    asked: list[int] = []

    def look() -> None:
        [job] = runner.jobs
        if job.accounts.records["dead_lettered"] and not asked:
            asked.append(again(tmp_path, query))
        if job.accounts.records["replayed"]:
            runner.stopping.set()

    runner.run(120, look)
    [job] = runner.jobs
    assert asked == [1]
    assert job.accounts.adds_up
    assert (job.accounts.records["read"], job.accounts.records["replayed"]) == (3, 1)
    assert {"k": "a", "total": 4} in rows(tmp_path)


def test_records_that_come_again_in_large_micro_batches_are_counted_once(
    one_spark: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    query = "SELECT 10 / v AS w FROM s"
    write(tmp_path / "in", "1.jsonl", [{"k": "a", "v": v, "at": START} for v in (1, 0, 0)])
    first = run(one_spark, tmp_path, query)["records"]
    assert (first["read"], first["dead_lettered"]) == (3, {"bad_value": 2})
    [job] = planned(tmp_path, query, "jsonl").jobs
    found = letters_of(job, tmp_path / "checkpoint", tmp_path)
    for letter in found.found(Wanted()):
        assert replay(found.home, [letter]).records == 1
    monkeypatch.setattr("velostream.jobs.writing.FEW", 0)
    monkeypatch.setattr("velostream.sinks.writers.batch.FEW", 0)
    second = run(one_spark, tmp_path, query)["records"]
    assert (second["read"], second["replayed"], second["dead_lettered"]) == (3, 2, {"bad_value": 4})
