"""Top-N, DISTINCT, deduplication, ORDER BY and LIMIT on Spark, each stopped and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.spark.test_row_windows import FEW, records
from tests.spark.test_running import rows, run, write

FIRST = records(("a", 1, 0), ("a", 2, 1), ("b", 5, 2), ("a", 3, 3))
SECOND_FILE = records(("a", 4, 4), ("b", 6, 5), ("b", 7, 6))


def stopped(spark: Any, home: Path, query: str, later: list[Any], **settings: str) -> dict[str, Any]:
    """Runs over two files, and again when a third has come; the last report."""
    write(home / "in", "0.jsonl", FIRST)
    write(home / "in", "1.jsonl", SECOND_FILE)
    whole = f"CREATE STREAM x AS {query} INTO out WITH (@sink, 'num_partitions' = '2')"
    run(spark, home, whole, **FEW, **settings)
    write(home / "in", "2.jsonl", later)
    return run(spark, home, whole, **FEW, **settings)


def standing(found: list[dict[str, Any]], *names: str) -> set[tuple[Any, ...]]:
    """What a reader holds who takes back what is withdrawn."""
    held: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in found:
        key = (row["k"], row["v"])
        if row["_emission"] == "retract":
            del held[key]
        else:
            held[key] = tuple(row[name] for name in names)
    return set(held.values())


def test_the_best_of_each_key_with_their_places(one_spark: Any, tmp_path: Path) -> None:
    query = """SELECT k, v, place FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS place FROM s)
        WHERE place <= 2"""
    report = stopped(one_spark, tmp_path, query, records(("a", 9, 10)))
    assert standing(rows(tmp_path), "v", "place") == {(9, 1), (4, 2), (7, 1), (6, 2)}
    assert report["records"]["in_results"] == report["records"]["read"] == 8
    assert report["emitted"]["retract"] > 0


def test_equal_rows_of_a_union_go_on_once(one_spark: Any, tmp_path: Path) -> None:
    report = stopped(one_spark, tmp_path, "SELECT k FROM s UNION SELECT k FROM s", records(("a", 9, 10), ("c", 1, 11)))
    assert sorted(row["k"] for row in rows(tmp_path)) == ["a", "b", "c"]
    assert (report["records"]["in_results"], report["records"]["duplicates"]) == (3, 15)


def test_records_of_one_key_count_once_before_their_window(one_spark: Any, tmp_path: Path) -> None:
    query = "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1h)"
    report = stopped(one_spark, tmp_path, query, records(("a", 2, 10), ("a", 8, 11)), **{"dedup.key": "v"})
    newest = {row["k"]: row["n"] for row in rows(tmp_path)}
    assert newest == {"a": 5, "b": 3}
    assert report["records"]["duplicates"] == 1


def test_the_best_groups_of_each_window_in_their_order(one_spark: Any, tmp_path: Path) -> None:
    query = "SELECT k, SUM(v) AS v FROM s GROUP BY k WINDOW TUMBLING(1m) ORDER BY v DESC LIMIT 1"
    write(tmp_path / "in", "0.jsonl", FIRST)
    whole = f"CREATE STREAM x AS {query} INTO out WITH (@sink, 'num_partitions' = '2', 'allowed.lateness' = '1h')"
    run(one_spark, tmp_path, whole, **FEW)
    write(tmp_path / "in", "1.jsonl", records(("b", 2, 5)))
    run(one_spark, tmp_path, whole, **FEW)
    found = [(row["k"], row["v"], row["_emission"]) for row in rows(tmp_path)]
    assert found == [("a", 6, "final"), ("a", 6, "retract"), ("b", 7, "late")]


def test_a_job_ends_after_so_many_rows_also_when_it_is_started_again(one_spark: Any, tmp_path: Path) -> None:
    report = stopped(one_spark, tmp_path, "SELECT k, v FROM s LIMIT 5", records(("a", 9, 10)))
    assert [row["v"] for row in rows(tmp_path)] == [1, 2, 5, 3, 4]
    assert report["state"] == "done"
