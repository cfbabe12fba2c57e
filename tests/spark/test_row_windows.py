"""Row windows on Spark: over records with a stop in between, and over windows that are corrected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.spark.test_running import SECOND, START, letters, rows, run, write

FEW = {"files.per.batch": "1", "partition.by": "file"}


def records(*given: tuple[str, int | None, int]) -> list[dict[str, Any] | str]:
    """Records as (key, value, second)."""
    return [{"k": key, "v": value, "at": START + second * SECOND} for key, value, second in given]


def test_over_equals_batch_and_goes_on_after_a_stop(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, v,
            LAG(v) OVER (PARTITION BY k ORDER BY _event_time) AS before,
            SUM(v) OVER (PARTITION BY k ORDER BY _event_time) AS total,
          LAST_VALUE(v) IGNORE NULLS OVER (PARTITION BY k ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS seen
        FROM s INTO out WITH (@sink, 'num_partitions' = '2')"""
    write(tmp_path / "in", "0.jsonl", records(("a", 1, 0), ("b", 5, 2), ("a", 3, 3)))
    write(tmp_path / "in", "1.jsonl", records(("a", None, 1), ("b", 7, 6)))
    run(one_spark, tmp_path, query, **FEW)
    write(tmp_path / "in", "2.jsonl", records(("a", 9, 10), ("b", 1, 4)))
    report = run(one_spark, tmp_path, query, **FEW)
    found = {(row["k"], row["v"]): (row["before"], row["total"], row["seen"]) for row in rows(tmp_path)}
    assert found == {
        ("a", 1): (None, 1, 1),
        ("a", None): (1, 1, 1),
        ("a", 3): (None, 4, 3),
        ("a", 9): (3, 13, 9),
        ("b", 5): (None, 5, 5),
        ("b", 7): (5, 12, 7),
    }
    assert report["records"]["read"] == 7
    assert report["records"]["dead_lettered"] == {"too_late": 1}
    assert [letter["reason"] for letter in letters(tmp_path, "x")] == ["too_late"]


def test_a_corrected_window_corrects_the_rows_that_looked_at_it(one_spark: Any, tmp_path: Path) -> None:
    query = """CREATE STREAM x AS SELECT k, t, before FROM (
            SELECT k, t, LAG(t) OVER (ROWS WINDOW BUFFER 3 ROWS PARTITION BY k ORDER BY ended) AS before FROM (
                SELECT k, SUM(v) AS t, _window_end AS ended FROM s GROUP BY k WINDOW TUMBLING(1m)))
        WHERE before > 1 INTO out WITH (@sink, 'num_partitions' = '2', 'allowed.lateness' = '1h')"""
    write(tmp_path / "in", "0.jsonl", records(("a", 1, 0), ("a", 2, 61), ("a", 10, 121)))
    run(one_spark, tmp_path, query)
    write(tmp_path / "in", "1.jsonl", records(("a", -1, 62)))
    run(one_spark, tmp_path, query)
    found = [(row["t"], row["before"], row["_emission"], row["_revision"]) for row in rows(tmp_path)]
    assert found == [(10, 2, "final", 1), (10, 2, "retract", 1)]
