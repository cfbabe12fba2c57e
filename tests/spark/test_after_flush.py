"""A run that goes on with the checkpoint of a flushed one comes to the rows of a run that read everything at once."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

START = datetime(2024, 5, 1, 12, tzinfo=UTC)
SUMS = "SELECT k, _window_start AS ws, _window_end AS we, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(10s)"
VISITS = "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k WINDOW SESSION(4s)"
TWO_PER_WINDOW = (
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC, k) AS rn "
    "FROM (SELECT k, window_start, window_end, SUM(v) AS total "
    "FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(at), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end)) "
    "WHERE rn <= 2"
)
QUERIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "rank": (f"SELECT *, RANK() OVER (PARTITION BY we ORDER BY total DESC) AS r FROM ({SUMS})", ("k", "ws")),
    "first_two": (TWO_PER_WINDOW, ("k", "window_start")),
    "share": (
        "SELECT k, _window_start AS ws, SUM(v) AS total, SUM(SUM(v)) OVER () AS everything "
        "FROM s GROUP BY k WINDOW TUMBLING(10s)",
        ("k", "ws"),
    ),
    "equal_sums": (
        f"SELECT total, _window_start AS ws, COUNT(*) AS n FROM ({SUMS}) GROUP BY total WINDOW TUMBLING(1m)",
        ("total", "ws"),
    ),
    "different_sums": (f"SELECT DISTINCT total, ws FROM ({SUMS})", ("total", "ws")),
    "visits": (
        f"SELECT n, _window_start AS ws, COUNT(*) AS c, SUM(total) AS t FROM ({VISITS}) GROUP BY n WINDOW TUMBLING(1m)",
        ("n", "ws"),
    ),
}


def moment(chance: random.Random) -> str:
    """Any time of a minute."""
    return (START + timedelta(milliseconds=chance.randint(0, 59_999))).isoformat()


def run(spark: Any, home: Path, files: int, chance: random.Random) -> None:
    """Reads one more file of records until none is left, all windows flushed."""
    (home / "in").mkdir(exist_ok=True, parents=True)
    for number in range(files):
        lines = [
            json.dumps({"k": chance.choice("abc"), "v": chance.randint(0, 4), "at": moment(chance)}) for _ in range(40)
        ]
        there = len(list((home / "in").iterdir()))
        (home / "in" / f"{there}-{number}.jsonl").write_text("\n".join(lines) + "\n")
    text = f"""CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('s.type' = 'file_source', 's.format' = 'jsonl',
        's.path' = '{home}/in/*.jsonl', 's.event.time.field' = 'at',
        's.watermark.max_out_of_orderness' = '10m', 's.files.per.batch' = '1');"""
    for name, (query, _) in QUERIES.items():
        text += (
            f"-- @name: {name}\n{query} INTO {name} WITH ('{name}.type' = 'file_sink', '{name}.format' = 'jsonl', "
            f"'{name}.path' = '{home}/{name}', 'num_partitions' = '2');\n"
        )
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)


def standing(home: Path, name: str) -> list[str]:
    """The rows that stand in the end: the newest of each key, unless it was withdrawn."""
    newest: dict[str, dict[str, Any]] = {}
    for file in sorted((home / name).glob("part-*")):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            key = repr([row[column] for column in QUERIES[name][1]])
            if key not in newest or row.get("_revision", 1) >= newest[key].get("_revision", 1):
                newest[key] = row
    marks = ("_emission", "_revision")
    stand = [row for row in newest.values() if row.get("_emission") != "retract"]
    return sorted(repr({name: value for name, value in row.items() if name not in marks}) for row in stand)


def test_rows_that_corrections_move_are_those_of_one_run(one_spark: Any, tmp_path: Path, caplog: Any) -> None:
    calm, parted = tmp_path / "calm", tmp_path / "parted"
    run(one_spark, calm, 2, random.Random(4))
    chance = random.Random(4)
    for _ in range(2):
        run(one_spark, parted, 1, chance)
    for name in QUERIES:
        assert standing(calm, name), name
        assert standing(parted, name) == standing(calm, name), name
    assert caplog.messages == []
