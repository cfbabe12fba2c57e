"""Joins over bounded input give what the same SQL gives as a batch query: random data, joins, batches and buckets.

VELO_CASES sets how many applications are tried (three joins with tables and three of streams each).
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

CASES = max(1, int(os.environ.get("VELO_CASES", "5")) // 3)
DAY = datetime(2026, 1, 1, tzinfo=UTC)
KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
SOURCE = """CREATE STREAM {name} (id INT, k STRING, v INT, at TIMESTAMP) WITH ('type' = 'file_source',
    'path' = '{name}/*.jsonl', 'format' = 'jsonl', 'files.per.batch' = '{per_batch}', 'event.time.field' = 'at',
    'watermark.max_out_of_orderness' = '10m'{more});
"""
TABLES = """CREATE TABLE t (k STRING PRIMARY KEY, lot INT) WITH ('type' = 'file_source', 'path' = 't.jsonl',
    'format' = 'jsonl');
CREATE TABLE bands (k STRING, low INT, high INT, PRIMARY KEY (k, low)) WITH ('type' = 'file_source',
    'path' = 'bands.jsonl', 'format' = 'jsonl');
CREATE TABLE rates (k STRING PRIMARY KEY, since TIMESTAMP, rate INT) WITH ('type' = 'file_source',
    'path' = 'rates.jsonl', 'format' = 'jsonl', 'version.time' = 'since');
"""
JOB = """CREATE STREAM q{number} AS {sql} INTO out{number} WITH ('out{number}.type' = 'file_sink',
    'out{number}.path' = 'out{number}', 'out{number}.format' = 'jsonl', 'num_partitions' = '{buckets}'{more});
"""


def at(chance: random.Random) -> str:
    return (DAY + timedelta(milliseconds=chance.randint(0, 30_000))).isoformat()


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def data(chance: random.Random, home: Path) -> None:
    """Two streams in files, and three tables; of one key of a table there may be several rows."""
    key = lambda: chance.choice(["a", "b", "c", "d", None])  # noqa: E731
    for name in ("s", "p"):
        for number in range(chance.randint(1, 4)):
            rows = [
                {"id": 100 * number + place, "k": key(), "v": chance.randint(0, 9), "at": at(chance)}
                for place in range(chance.randint(1, 30))
            ]
            write(home / name / f"{number}.jsonl", rows)
    write(home / "t.jsonl", [{"k": chance.choice("abx"), "lot": chance.randint(0, 9)} for _ in range(5)])
    bands = {(chance.choice("acd"), chance.randint(0, 5)): chance.randint(0, 9) for _ in range(8)}
    write(home / "bands.jsonl", [{"k": k, "low": low, "high": high} for (k, low), high in bands.items()])
    rates = {(chance.choice("abc"), at(chance)): chance.randint(1, 99) for _ in range(10)}
    write(home / "rates.jsonl", [{"k": k, "since": since, "rate": rate} for (k, since), rate in rates.items()])


def joins(chance: random.Random) -> list[tuple[str, str, str]]:
    """Joins as the stream has them with their settings, and as a batch query has them."""
    kind, outer = chance.choice(KINDS), chance.choice(KINDS[:2])
    more = chance.choice(["", " AND s.v >= t.lot", " AND s.v <> t.lot AND t.lot > 1"])
    met = chance.choice(["", " AND s.v < p.v", " AND (p.v IN (1, 2, 3) OR s.v = p.v)"])
    low, high = sorted(chance.sample(range(-8, 9), 2))
    bounds = "BETWEEN s.{0} + INTERVAL '{1}' SECOND AND s.{0} + INTERVAL '{2}' SECOND"
    table = f"SELECT s.id, s.k, t.lot FROM s {outer} t ON s.k = t.k{more}"
    band = f"SELECT s.id, b.low, b.high FROM s {outer} bands b ON s.k = b.k AND s.v BETWEEN b.low AND b.high"
    pairs = f"SELECT s.id, p.id AS other, p.v FROM s {kind} p ON s.k = p.k AND p.{{0}} {bounds}{met}"
    near = f"SELECT s.id, p.id AS other FROM s {kind} p{{}} ON s.k = p.k AND p.at >= s.at"
    within = " ON p.at BETWEEN s.at - INTERVAL '4' SECOND AND s.at + INTERVAL '4' SECOND AND"
    three = f"""SELECT s.id, p.id AS other, o.id AS third
        FROM s {kind} p ON s.k = p.k AND p.at {bounds.format("at", low, high)}
        {outer} p AS o ON {chance.choice("sp")}.k = o.k AND o.at BETWEEN {{0}}.at - INTERVAL '3' SECOND AND {{0}}.at"""
    three = three.format(chance.choice("sp"))
    versions = f"SELECT s.id, r.rate FROM s {outer} rates FOR SYSTEM_TIME AS OF s.at AS r ON s.k = r.k"
    newest = f"""SELECT s.id, m.rate FROM s {outer} (SELECT s.id, max_by(r.rate, r.since) AS rate FROM s JOIN rates r
        ON s.k = r.k AND r.since <= s.at GROUP BY s.id) m ON s.id = m.id"""
    return [
        (table, "", table),
        (band, ", 'bands.missing.data.strategy' = 'wait_and_retry(2, 1s)'", band),
        (versions, "", newest),
        (pairs.format("_event_time", low, high), "", pairs.format("at", low, high)),
        (near.format(" WITHIN 4 SECONDS"), "", near.format("").replace(" ON", within)),
        (three, "", three),
    ]


def application(chance: random.Random, asked: list[tuple[str, str, str]]) -> str:
    text = TABLES
    for name in ("s", "p"):
        more = chance.choice(["", ", 'partition.by' = 'file'"])
        text += SOURCE.format(name=name, per_batch=chance.randint(1, 2), more=more)
    for number, (sql, more, _) in enumerate(asked):
        text += JOB.format(number=number, sql=sql, more=more, buckets=chance.choice([1, 2, 5]))
    return text


def views(spark: Any, home: Path) -> None:
    """The same data for batch queries: of each key of the table the last row."""
    for name in ("s", "p"):
        schema = "id INT, k STRING, v INT, at TIMESTAMP"
        spark.read.schema(schema).json(str(home / name)).createOrReplaceTempView(name)
    last = {row["k"]: row for row in map(json.loads, (home / "t.jsonl").read_text().splitlines())}
    spark.createDataFrame(list(last.values()), "k STRING, lot INT").createOrReplaceTempView("t")
    spark.read.schema("k STRING, low INT, high INT").json(str(home / "bands.jsonl")).createOrReplaceTempView("bands")
    rates = spark.read.schema("k STRING, since TIMESTAMP, rate INT").json(str(home / "rates.jsonl"))
    rates.createOrReplaceTempView("rates")


@pytest.mark.parametrize("part", [slice(0, 3), slice(3, 6)], ids=["tables", "streams"])
@pytest.mark.parametrize("seed", range(CASES))
def test_joins_of_a_stream_are_joins_of_its_records(one_spark: Any, tmp_path: Path, seed: int, part: slice) -> None:
    chance = random.Random(seed + 600)
    data(chance, tmp_path)
    asked = joins(chance)[part]
    text = application(chance, asked)
    answer = validate(text, "test.sql", variables={}, folder=tmp_path)
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), one_spark, tmp_path / "checkpoint", tmp_path, print)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)
    views(one_spark, tmp_path)
    for number, (_, _, sql) in enumerate(asked):
        expected = Counter(tuple(row) for row in one_spark.sql(sql).collect())
        files = sorted((tmp_path / f"out{number}").glob("*.jsonl"))
        rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        found: Counter[tuple[Any, ...]] = Counter()
        for row in rows:
            taken = row.pop("_emission", "") == "retract"
            row.pop("_revision", None)
            found[tuple(row.values())] += -1 if taken else 1
        assert +found == expected, sql
