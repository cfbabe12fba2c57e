"""The stored ratios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.baseline import check, ratios, store


def result(ratio: float, cost: float = 1.5) -> dict[str, Any]:
    return {
        "records": 1000,
        "cores": 2,
        "scenarios": {"S3a": {"ratios": {"spark-rocksdb": ratio, "duckdb": 0.1}}},
        "comparisons": {"retained": {"ratio": cost}},
    }


def test_the_limit_is_no_ratio_to_keep_and_costs_are_turned_round() -> None:
    assert ratios(result(1.2, 2.0)) == {"S3a / spark-rocksdb": 1.2, "retained": 0.5}


def test_a_ratio_that_falls_by_a_tenth_fails(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    store(result(1.0), file)
    assert check(result(0.91), file)[1] == []
    assert check(result(0.89), file)[1] == ["S3a / spark-rocksdb"]
    assert check(result(1.0, 1.7), file)[1] == ["retained"]


def test_a_ratio_that_is_gone_fails(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    store(result(1.0), file)
    lines, fallen = check({**result(1.0), "scenarios": {}, "records": 10}, file)
    assert fallen == ["S3a / spark-rocksdb"]
    assert lines[0] == "note: stored with records = 1,000, compared with 10"
