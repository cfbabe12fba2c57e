"""Rows that the driver makes of results by itself are those that Spark would make: values, types and order."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.spark.test_running import START, rows, run, write

from velostream.jobs.writing import BatchWriter
from velostream.plan import plan
from velostream.plan.nodes import Aggregate
from velostream.spark.lower.finishing import NOTHING, SAME, TIME, WHOLE, Made, finisher
from velostream.validation import validate

MANY = """CREATE STREAM x AS SELECT k, _window_start, _window_end, _emission AS said, _revision, COUNT(*) AS n,
    SUM(v) AS total, AVG(v) AS mean, SUM(CAST(v AS DECIMAL(9, 2))) AS exact, COLLECT_LIST(v) AS every,
    MAX(timestamp_millis(at)) AS newest FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""


def test_every_turn_gives_the_type_and_value_that_spark_gives(one_spark: Any) -> None:
    results = pa.table(
        {
            "micros": pa.array([None, -1, 1_700_000_000_000_001], pa.int64()),
            "revision": pa.array([1, 2, None], pa.int64()),
            "text": pa.array(["a", None, "ü"]),
            "exact": pa.array([Decimal("1.10"), None, Decimal("-7.25")], pa.decimal128(20, 2)),
            "day": pa.array([date(1969, 1, 1), None, date(2026, 1, 1)]),
            "at": pa.array([datetime(2026, 1, 1, tzinfo=UTC), None, None], pa.timestamp("us", "UTC")),
            "many": pa.array([[{"a": 1.5}], [], None]),
        }
    )
    made = {name: Made(name) for name in ("text", "exact", "day", "at", "many")}
    made |= {"t": Made("micros", TIME), "before": Made("micros", TIME, -1_000), "r": Made("revision", WHOLE)}
    made |= {"filled": Made(turn=NOTHING)}
    frame = one_spark.createDataFrame(results)
    asked = frame.select(*(each.column().alias(name) for name, each in made.items())).toArrow()
    given = pa.table({name: each.array(results) for name, each in made.items()})
    assert given.schema.types == asked.schema.types
    assert given.to_pylist() == asked.to_pylist()
    assert {each.turn for each in made.values()} == {SAME, TIME, WHOLE, NOTHING}


def test_a_window_written_by_the_driver_alone_has_the_rows_and_types_of_one_that_asks_spark(
    one_spark: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    asked: list[bool] = []
    through_spark = BatchWriter._rows

    def noticing(self: BatchWriter, *more: Any) -> Any:
        asked.append(True)
        return through_spark(self, *more)

    monkeypatch.setattr(BatchWriter, "_rows", noticing)
    records = [{"k": f"T{n % 3}", "v": n, "at": START + n * 1_000} for n in range(200)]
    query = MANY.replace("@sink", "'out.type' = 'file_sink', 'out.path' = '@out', 'out.format' = 'parquet'")
    for way in ("alone", "asking"):
        write(tmp_path / way / "in", "0.jsonl", list(records))
        text = query.replace("@out", f"{tmp_path / way / 'out'}")
        run(one_spark, tmp_path / way, text.replace("COUNT(*) AS n", "COUNT(*) + 0 AS n") if way == "asking" else text)
        assert bool(asked) == (way == "asking")
    alone, through = (pq.read_table(tmp_path / way / "out") for way in ("alone", "asking"))
    assert alone.schema.types == through.schema.types
    order = [("k", "ascending"), ("_window_start", "ascending")]
    assert alone.sort_by(order).to_pylist() == through.sort_by(order).to_pylist()


def test_a_micro_batch_that_does_not_fit_after_one_that_did_is_computed_anew(
    one_spark: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("velostream.jobs.said.SMALL", 4_000)  # 2,000 for each of two buckets
    few = [{"k": "a", "v": n, "at": START + n * 60_000} for n in range(3)]
    many = [{"k": f"T{n}", "v": n, "at": START + 180_000} for n in range(500)]
    for place, lines in enumerate((few, few[2:], many, [{"k": "z", "v": 1, "at": START + 400_000}])):
        write(tmp_path / "in", f"{place}.jsonl", list(lines))
    query = """CREATE STREAM x AS SELECT k, _window_start, COUNT(*) AS n, SUM(v) AS total
        FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (@sink)"""
    report = run(one_spark, tmp_path, query, **{"files.per.batch": "1", "partition.by": "k", "partitions": "1"})
    said = rows(tmp_path)
    assert len(said) == len({(row["k"], row["_window_start"]) for row in said}) == 504
    assert sum(row["n"] for row in said) == report["records"]["in_results"] == 505


def test_a_select_list_that_computes_is_left_to_spark() -> None:
    text = """CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'memory_source');
        SELECT k, COUNT(*) + 1 AS n FROM s GROUP BY k WINDOW TUMBLING(1m);"""
    answer = validate(text.replace("'type' = 'memory_source'", "'s.type' = 'datagen_source'"), "x.sql", variables={})
    assert answer.ok, answer.findings.errors
    [job] = plan(answer.bound, answer.library).jobs
    aggregate = next(node for node in job.root.walk() if isinstance(node, Aggregate))
    above = [node for node in job.root.walk() if not isinstance(node, Aggregate) and node not in aggregate.walk()]
    assert finisher(above, {}) is None
