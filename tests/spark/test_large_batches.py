"""Micro-batches too large for the driver: written by Spark, counted on the way, and the same as small ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from velostream.jobs import writing
from velostream.jobs.accounts import Counted
from velostream.jobs.observing import Counting
from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.sinks.memory import rows as kept
from velostream.validation import validate


@pytest.mark.parametrize("few", [0, 100_000])
def test_rows_are_the_same_whoever_writes_them(
    one_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(writing, "FEW", few)
    monkeypatch.setattr("velostream.sinks.writers.batch.FEW", few)
    (tmp_path / "in").mkdir()
    for number in range(3):
        lines = [json.dumps({"k": "abc"[n % 3], "v": n}) for n in range(20)] + ["{broken"]
        (tmp_path / "in" / f"{number}.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "t.csv").write_text("k,g\na,A\n")
    text = (
        f"CREATE STREAM s (k STRING, v INT) WITH ('s.type' = 'file_source', 's.path' = '{tmp_path}/in/*.jsonl',"
        " 's.format' = 'jsonl', 's.files.per.batch' = '1');"
        f"CREATE TABLE t (k STRING PRIMARY KEY, g STRING) WITH ('type' = 'file_source', 'path' = '{tmp_path}/t.csv');"
        "CREATE STREAM x AS SELECT s.k, g, 100 / (v - 5) AS q FROM s LEFT JOIN t ON s.k = t.k WHERE s.k <> 'b'"
        f" INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{tmp_path}/out', 'out.format' = 'jsonl');"
    )
    answer = validate(text, "large.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), one_spark, tmp_path / "checkpoint", tmp_path, print)
    runner.run_until_done()
    [job] = runner.jobs
    assert job.accounts.adds_up
    records = job.accounts.records
    assert (records["read"], records["filtered"], records["in_results"]) == (63, 21, 36)
    assert records["dead_lettered"] == {"undecodable": 3, "bad_value": 3}
    rows = [json.loads(line) for file in (tmp_path / "out").glob("part-*") for line in file.read_text().splitlines()]
    assert Counter(row["g"] for row in rows) == {"A": 21, None: 15}
    assert (job.accounts.joins["t"]["matched"], job.accounts.joins["t"]["missing"]) == (21, 18)
    letters = (tmp_path / "checkpoint" / "x" / "dead-letters").glob("*.jsonl")
    assert sum(len(file.read_text().splitlines()) for file in letters) == 6


def test_counting_lays_nothing_into_rows_beside_their_columns(one_spark: Any) -> None:
    rows = one_spark.createDataFrame([(1, None, None, 2)], "v INT, _mark STRING, _status STRING, _joined BIGINT")
    observed = Counting(rows.columns, 1).observed(rows)
    assert observed.fine._jdf.queryExecution().optimizedPlan().output().size() == 4
    assert "_common_expr" not in observed.fine._jdf.queryExecution().optimizedPlan().toString()
    observed.fine.collect()
    assert (observed.counts(), observed.joined) == ([Counted("", False, False, 1)], [(0, 1)])


def test_a_micro_batch_that_turns_out_too_large_is_computed_anew_and_counted_once(
    one_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "FEW", 4)
    monkeypatch.setattr("velostream.sinks.writers.batch.FEW", 4)
    (tmp_path / "in").mkdir()
    keys = ["ab", "ab", "abcdefghij", "ab", "abcdefghijx"]
    for number, some in enumerate(keys):
        lines = [json.dumps({"k": k, "v": number}) for k in some]
        (tmp_path / "in" / f"{number}.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "t.csv").write_text("k,g\n" + "".join(f"{k},{k.upper()}\n" for k in "abcdefghij"))
    text = f"""
        CREATE STREAM s (k STRING, v INT) WITH ('s.type' = 'file_source', 's.path' = '{tmp_path}/in/*.jsonl',
            's.format' = 'jsonl', 's.files.per.batch' = '1');
        CREATE TABLE t (k STRING PRIMARY KEY, g STRING) WITH ('type' = 'file_source', 'path' = '{tmp_path}/t.csv');
        CREATE STREAM x AS SELECT t.g, COUNT(*) AS n, SUM(s.v) AS total FROM s JOIN t ON s.k = t.k GROUP BY t.g
            EMIT CHANGES INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{tmp_path}/out',
            'out.format' = 'jsonl', 'emit.granularity' = 'batch');
        CREATE STREAM y AS SELECT k, COUNT(*) AS n FROM s GROUP BY k HAVING n > 3 EMIT CHANGES INTO kept
            WITH ('kept.type' = 'memory_sink', 'emit.granularity' = 'batch');"""
    answer = validate(text, "large.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), one_spark, tmp_path / "checkpoint", tmp_path, print)
    runner.run_until_done()
    job, hiding = runner.jobs
    assert job.accounts.adds_up
    assert (job.accounts.read, job.accounts.unmatched) == (27, 1)
    assert hiding.accounts.emitted == {"change": len(kept("kept"))} == {"change": 4}
    assert hiding.accounts.fired == job.accounts.emitted + Counter(change=1)
    assert (job.accounts.joins["t"]["matched"], job.accounts.joins["t"]["missing"]) == (26, 1)
    rows = [json.loads(line) for file in (tmp_path / "out").glob("part-*") for line in file.read_text().splitlines()]
    newest = {row["g"]: row for row in sorted(rows, key=lambda row: row["_revision"])}
    assert {g: (row["n"], row["total"], row["_revision"]) for g, row in newest.items()} == {
        **dict.fromkeys("AB", (5, 10, 5)),
        **dict.fromkeys("CDEFGHIJ", (2, 6, 2)),
    }
    assert len(rows) == 26
