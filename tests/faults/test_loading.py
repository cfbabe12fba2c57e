"""Loading under stress: slow sources, sources that fail and vanish, a large table, ten tables in a graph.

Whatever happens, no row comes out without its enrichment: every record that was read is in a result with all of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from velostream.errors import VeloError
from velostream.jobs import runner as running
from velostream.jobs.runner import Runner
from velostream.jobs.tables import Tables
from velostream.plan import plan
from velostream.tables.loading import Step
from velostream.validation import validate

KEYS, RECORDS, LARGE = 50, 2_000, 1_000_000


class Troubled:
    """The source of a table, with trouble before it answers."""

    def __init__(self, inner: Any, seconds: float, failures: int, *, vanishes: bool) -> None:
        self.inner, self.seconds, self.failures, self.vanishes = inner, seconds, failures, vanishes
        self.reading = inner.reading
        self.steps = 0

    def measure(self, since: Mapping[str, Any]) -> int:
        size: int = self.inner.measure(since)
        return size

    def step(self, since: Mapping[str, Any]) -> Step | None:
        time.sleep(self.seconds)
        self.steps += 1
        if self.failures or (self.vanishes and self.steps > 1):
            self.failures -= 1
            raise VeloError("the source does not answer", hint="bring it back", code="source-unreadable")
        found: Step | None = self.inner.step(since)
        return found


def application(home: Path) -> str:
    """Six tables from outside and four that are made of others, all of them in one query."""
    outside = [f"t{number}" for number in range(6)]
    text = f"""CREATE STREAM s (id INT, k STRING, n INT, at TIMESTAMP) WITH ('type' = 'file_source',
        'path' = '{home}/in/*.jsonl', 'format' = 'jsonl', 'event.time.field' = 'at', 'files.per.batch' = '1');
    """
    for name in outside:
        text += f"""CREATE TABLE {name} (k STRING PRIMARY KEY, v INT) WITH ('type' = 'file_source',
            'path' = '{home}/{name}/*.csv', 'format' = 'csv', 'wait.timeout' = '60s');
        """
    text += f"""CREATE TABLE large (n INT PRIMARY KEY, v INT) WITH ('type' = 'file_source',
        'path' = '{home}/large/*.parquet', 'format' = 'parquet');
    CREATE STREAM keys (k STRING, at TIMESTAMP) WITH ('type' = 'file_source', 'path' = '{home}/keys/*.jsonl',
        'format' = 'jsonl', 'event.time.field' = 'at');
    CREATE TABLE m0 AS SELECT keys.k PRIMARY KEY, t0.v + t1.v AS v FROM keys JOIN t0 ON keys.k = t0.k
        JOIN t1 ON keys.k = t1.k;
    CREATE TABLE m1 AS SELECT keys.k PRIMARY KEY, m0.v + t2.v AS v FROM keys JOIN m0 ON keys.k = m0.k
        JOIN t2 ON keys.k = t2.k;
    CREATE TABLE m2 AS SELECT keys.k PRIMARY KEY, m1.v + m0.v AS v FROM keys JOIN m1 ON keys.k = m1.k
        JOIN m0 ON keys.k = m0.k;
    """
    joins = " ".join(f"LEFT JOIN {name} ON s.k = {name}.k" for name in (*outside[3:], "m2"))
    return (
        text
        + f"""CREATE STREAM x AS SELECT s.id, t3.v AS a, t4.v AS b, t5.v AS c, m2.v AS d, large.v AS e FROM s {joins}
        LEFT JOIN large ON s.n = large.n INTO out
        WITH ('out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'jsonl')"""
    )


def data(home: Path) -> None:
    for folder in ("in", "keys", "large", *(f"t{number}" for number in range(6))):
        (home / folder).mkdir(parents=True)
    keys = [f"k{number}" for number in range(KEYS)]
    when = "2026-01-01T00:00:00Z"
    records = [{"id": n, "k": keys[n % KEYS], "n": n * 499, "at": when} for n in range(RECORDS)]
    for part in range(2):
        lines = [json.dumps(record) for record in records[part::2]]
        (home / "in" / f"{part}.jsonl").write_text("\n".join(lines) + "\n")
    (home / "keys" / "0.jsonl").write_text("\n".join(json.dumps({"k": key, "at": when}) for key in keys) + "\n")
    for number in range(6):
        for part in range(2):  # each in two files, of which a source that vanishes gives one
            lines = [f"{key},{number}" for key in keys[part::2]]
            (home / f"t{number}" / f"{part}.csv").write_text("\n".join(["k,v", *lines]) + "\n")
    numbers = pa.array(range(LARGE), pa.int32())
    pq.write_table(pa.table({"n": numbers, "v": numbers}), home / "large" / "0.parquet")


class Stressed(Tables):
    """Tables of which one is slow, one fails three times, and one vanishes half-way where `vanishes` says so."""

    vanishes = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        trouble = {"t5": (0.2, 0)} if self.vanishes else {"t0": (1.0, 0), "t3": (0.0, 3), "t5": (0.2, 1)}
        for name, (seconds, failures) in trouble.items():
            loader = self.loading.loaders[name]
            loader.source = Troubled(loader.source, seconds, failures, vanishes=self.vanishes)


def run(spark: Any, home: Path) -> Runner:
    answer = validate(application(home), "test.sql", variables={}, folder=home)
    assert answer.ok, answer.findings.errors
    made = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    made.run_until_done()
    return made


def rows(home: Path) -> list[dict[str, Any]]:
    files = (home / "out").glob("*.jsonl")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_no_row_comes_out_without_its_enrichment(
    one_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("velostream.spark.loading.files.STEP_BYTES", 1)
    monkeypatch.setattr(running, "Tables", Stressed)
    data(tmp_path)
    monkeypatch.setattr(Stressed, "vanishes", True)
    monkeypatch.setattr("velostream.jobs.loading.FIRST_PAUSE", 100.0)
    with pytest.raises(VeloError, match=r"table 't5' is not ready .*the source does not answer; job 'x' waits for it"):
        run(one_spark, tmp_path)
    assert rows(tmp_path) == []
    monkeypatch.setattr("velostream.jobs.loading.FIRST_PAUSE", 0.1)
    monkeypatch.setattr(Stressed, "vanishes", False)
    made = run(one_spark, tmp_path)
    found = rows(tmp_path)
    assert sorted(row["id"] for row in found) == list(range(RECORDS))
    assert {(row["a"], row["b"], row["c"], row["d"]) for row in found} == {(3, 4, 5, 4)}
    assert all(row["e"] == row["id"] * 499 for row in found)
    report = made.report()
    assert {one["name"]: one["rows"] for one in report["tables"]} == {
        **{f"t{number}": KEYS for number in range(6)},
        **{f"m{number}": KEYS for number in range(3)},
        "large": LARGE,
    }
    assert report["jobs"][-1]["joins"]["large"] == {
        "matched": RECORDS, "missing": 0, "skipped": 0, "defaulted": 0, "retried": 0,
    }  # fmt: skip
    assert all(job.accounts.adds_up for job in made.jobs)
