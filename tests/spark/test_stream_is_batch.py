"""A streaming result over bounded input is the same SQL as a batch query: random data, queries, batches and buckets.

VELO_CASES sets how many applications are tried (three queries each); the default is what every run can afford.
"""

from __future__ import annotations

import json
import math
import os
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

CASES = int(os.environ.get("VELO_CASES", "5"))
QUERIES = 3
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COLUMNS = "k STRING, g INT, v BIGINT, w INT, d DECIMAL(12,4), f DOUBLE, s STRING, b BOOLEAN, at TIMESTAMP"
SCHEMA = pa.schema(
    [
        ("k", pa.string()),
        ("g", pa.int32()),
        ("v", pa.int64()),
        ("w", pa.int32()),
        ("d", pa.decimal128(12, 4)),
        ("f", pa.float64()),
        ("s", pa.string()),
        ("b", pa.bool_()),
        ("at", pa.timestamp("us", tz="UTC")),
    ]
)
AGGREGATES = (
    *("COUNT(*)", "COUNT(v)", "SUM(w)", "SUM(v)", "AVG(w)", "AVG(d)", "SUM(d)", "MIN(v)", "MAX(d)", "MIN(s)", "MAX(f)"),
    *("MIN(f)", "COUNT(DISTINCT w)", "SUM(DISTINCT w)", "STDDEV(w)", "VAR_POP(w)", "MEDIAN(w)", "BOOL_OR(b)"),
    *("COUNT(*) FILTER (WHERE w > 2)", "SUM(w * 2) + 1", "MAX(b)", "BIT_XOR(w)", "SUM(f)", "CORR(w, f)"),
    *("COUNT_IF(b)", "AVG(DISTINCT w)", "MIN(at)", "PERCENTILE(w, 0.25)", "KURTOSIS(w)"),
)
KEYS = ((), ("k",), ("g",), ("k", "g"), ("k", "b"), ("s",))


@dataclass(frozen=True)
class Window:
    """A window as SQL, and the windows of a record as pairs of microseconds."""

    sql: str
    size: int = 0
    advance: int = 0
    offset: int = 0
    gap: int = 0

    def of(self, time: int) -> list[tuple[int, int]]:
        if not self.size:
            return [(0, 0)]
        newest = (time - self.offset) // self.advance * self.advance + self.offset
        return [(start, start + self.size) for start in range(newest, time - self.size, -self.advance)]


CORRELATED = "CORR(w, f)"
SECOND = 1_000_000
WINDOWS = (
    Window("WINDOW TUMBLING(10s)", 10 * SECOND, 10 * SECOND),
    Window("WINDOW TUMBLING(7s, OFFSET 3s)", 7 * SECOND, 7 * SECOND, 3 * SECOND),
    Window("WINDOW SLIDING(10s, 3s)", 10 * SECOND, 3 * SECOND),
    Window("WINDOW SLIDING(15s, 5s)", 15 * SECOND, 5 * SECOND),
    Window("WINDOW SESSION(4s)", gap=4 * SECOND),
    Window(""),
)


def records(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """Records around 1970, on both sides of it, with NULLs and extremes."""

    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.1 else value

    return [
        {
            "k": maybe(chance.choice("abc")),
            "g": maybe(chance.randint(-2, 2)),
            "v": maybe(chance.choice([0, 1, -1, 2**40, -(2**40), chance.randint(-1000, 1000)])),
            "w": maybe(chance.randint(-5, 5)),
            "d": maybe(Decimal(chance.randint(-(10**9), 10**9)) / 10_000),
            "f": maybe(chance.choice([0.0, -0.0, 1.5, math.nan, math.inf, chance.uniform(-10, 10)])),
            "s": maybe(chance.choice(["", "ä", "zz", "Z"])),
            "b": maybe(chance.random() < 0.5),
            "at": EPOCH + timedelta(microseconds=chance.randint(-30 * SECOND, 60 * SECOND)),
        }
        for _ in range(count)
    ]


def query(chance: random.Random) -> tuple[tuple[str, ...], list[str], Window, str, str]:
    """Keys, aggregates, window, emission and a condition."""
    window = chance.choice(WINDOWS)
    keys = chance.choice(KEYS) or (() if window.sql else ("k",))  # a result over everything needs a window
    emits = ["", "EMIT FINAL", "EMIT CHANGES"] if window.sql else ["EMIT CHANGES", "EMIT FINAL"]
    where = chance.choice(["", "", "WHERE w > 0", "WHERE k IS NOT NULL AND b"])
    return keys, chance.sample(AGGREGATES, chance.randint(1, 4)), window, chance.choice(emits), where


def sessions(rows: list[dict[str, Any]], keys: tuple[str, ...], gap: int) -> list[dict[str, Any]]:
    """Rows with the bounds of their session."""
    ordered = sorted(rows, key=lambda row: (repr([row[key] for key in keys]), row["at"]))
    found: list[list[dict[str, Any]]] = []
    for row in ordered:
        last = found[-1][-1] if found else None
        same = last is not None and all(last[key] == row[key] for key in keys)
        if same and micros(row["at"]) - micros(last["at"]) <= gap:  # type: ignore[index]
            found[-1].append(row)
        else:
            found.append([row])
    return [{**row, "ws": micros(one[0]["at"]), "we": micros(one[-1]["at"]) + gap} for one in found for row in one]


def micros(time: datetime) -> int:
    return (time - EPOCH) // timedelta(microseconds=1)


def expected(spark: Any, rows: list[dict[str, Any]], asked: Any, view: str) -> list[dict[str, Any]]:
    """The batch query: every record once for each of its windows, then an ordinary GROUP BY."""
    keys, aggregates, window, _, where = asked
    table = pa.Table.from_pylist(rows, SCHEMA)
    spark.createDataFrame(table).createOrReplaceTempView(view)
    kept = [row.asDict() for row in spark.sql(f"SELECT * FROM {view} {where}").collect()]
    for row in kept:
        row["at"] = row["at"].astimezone(UTC) if row["at"].tzinfo else row["at"].replace(tzinfo=UTC)
    if window.gap:
        spread = sessions(kept, keys, window.gap)
    else:
        spread = [{**row, "ws": start, "we": end} for row in kept for start, end in window.of(micros(row["at"]))]
    schema = SCHEMA.append(pa.field("ws", pa.int64())).append(pa.field("we", pa.int64()))
    spark.createDataFrame(pa.Table.from_pylist(spread, schema)).createOrReplaceTempView(view)
    items = ", ".join([*keys, "ws", "we", *(f"{call} AS a{n}" for n, call in enumerate(aggregates))])
    group = ", ".join([*keys, "ws", "we"])
    if CORRELATED not in aggregates:
        return [row.asDict() for row in spark.sql(f"SELECT {items} FROM {view} GROUP BY {group}").collect()]
    # Where nothing varies a correlation is a division by zero: the batch query fails, of the stream that group.
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        asked_too = f"{CORRELATED} IS NULL AND COUNT(w + f) > 1 AS fails"
        found = spark.sql(f"SELECT {items}, {asked_too} FROM {view} GROUP BY {group}").collect()
        return [row.asDict() for row in found]
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


def application(chance: random.Random, home: Path, asked: list[Any]) -> str:
    """The SQL of the streaming queries."""
    source = {
        "type": "file_source",
        "path": f"{home}/in/*.parquet",
        "format": "parquet",
        "event.time.field": "at",
        "watermark.max_out_of_orderness": "10m",
        "files.per.batch": str(chance.randint(1, 3)),
        "scan.in_worker": chance.choice(["auto", "never"]),
        **({"partition.by": "file"} if chance.random() < 0.5 else {}),
    }
    written = ", ".join(f"'{key}' = '{value}'" for key, value in source.items())
    text = [f"CREATE STREAM s ({COLUMNS}) WITH ({written});"]
    for number, (keys, aggregates, window, emit, where) in enumerate(asked):
        calls = ", ".join(f"{call} AS a{n}" for n, call in enumerate(aggregates))
        bounds = (
            "UNIX_MICROS(_window_start) AS ws, UNIX_MICROS(_window_end) AS we" if window.sql else "0 AS ws, 0 AS we"
        )
        items = ", ".join([*keys, bounds, calls, "_revision AS r", "_emission AS e"])
        group = f"GROUP BY {', '.join(keys)}" if keys else ""
        settings = {
            f"out{number}.type": "file_sink",
            f"out{number}.path": f"{home}/out{number}",
            f"out{number}.format": "parquet",
            "num_partitions": str(chance.choice([1, 2, 5])),
        }
        if "CHANGES" in emit and chance.random() < 0.5:
            settings["emit.granularity"] = "batch"
        rest = ", ".join(f"'{key}' = '{value}'" for key, value in settings.items())
        text.append(
            f"CREATE STREAM q{number} AS SELECT {items} FROM s {where} {group} {window.sql} {emit}"
            f" INTO out{number} WITH ({rest});"
        )
    return "\n".join(text)


def newest(folder: Path, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """Of each group and window the row with the largest revision, in the order in which rows were written."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.parquet")):
        for row in pq.read_table(file).to_pylist():
            name = repr([row[key] for key in (*keys, "ws")])
            if name not in found or row["r"] >= found[name]["r"]:
                found[name] = row
    return [row for row in found.values() if row["e"] != "retract"]


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, datetime) and isinstance(other, datetime):
        return one.replace(tzinfo=UTC) == other.replace(tzinfo=UTC)
    return bool(one == other and type(one) is type(other))


def compared(got: list[dict[str, Any]], wanted: list[dict[str, Any]], keys: tuple[str, ...]) -> list[str]:
    """What differs, in words."""

    def name(row: dict[str, Any]) -> str:
        return repr([row[key] for key in (*keys, "ws", "we")])

    failed = {name(row) for row in wanted if row.pop("fails", False)}
    here = {name(row): row for row in got if name(row) not in failed}
    there = {name(row): row for row in wanted if name(row) not in failed}
    told = [f"missing {group}" for group in there.keys() - here.keys()]
    told += [f"unexpected {here[group]}" for group in here.keys() - there.keys()]
    for group in here.keys() & there.keys():
        for column, value in there[group].items():
            if not alike(here[group][column], value):
                told.append(f"{group} {column}: {here[group][column]!r}, batch says {value!r}")
    return told


@pytest.mark.parametrize("seed", range(CASES))
def test_a_stream_over_bounded_input_equals_the_batch_query(one_spark: Any, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows = records(chance, chance.choice([0, 1, 20, 80]))
    asked = [query(chance) for _ in range(QUERIES)]
    (tmp_path / "in").mkdir()
    cut = sorted(chance.sample(range(len(rows) + 1), min(3, len(rows) + 1)))
    for number, (begin, end) in enumerate(zip([0, *cut], [*cut, len(rows)], strict=True)):
        pq.write_table(pa.Table.from_pylist(rows[begin:end], SCHEMA), tmp_path / "in" / f"{number}.parquet")
    text = application(chance, tmp_path, asked)
    answer = validate(text, "case.sql", variables={})
    assert answer.ok, (text, answer.findings.errors)
    runner = Runner(plan(answer.bound, answer.library), one_spark, tmp_path / "checkpoint", tmp_path, print)
    runner.run_until_done()
    report = json.dumps(runner.report())
    assert all(job.accounts.adds_up for job in runner.jobs), report
    for number, one in enumerate(asked):
        wanted = expected(one_spark, rows, one, f"batch_{number}")
        differences = compared(newest(tmp_path / f"out{number}", one[0]), wanted, one[0])
        assert not differences, (differences[:5], text)
