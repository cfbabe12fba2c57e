"""From runs to figures: what is compared, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.scenario import Comparison
from benchmarks.scenarios import COMPARISONS, SCENARIOS
from benchmarks.verdict import compared, differences, figures, judged, quantiles

S3A = next(each for each in SCENARIOS if each.name == "S3a")
PRINTS = {"rows": 10.0, "records": 1000.0}


def lane(seconds: float, prints: dict[str, float] | None = None, **more: Any) -> dict[str, Any]:
    batches = [
        {"rows": 16, "ms": 400, "parts": {"addBatch": 300, "walCommit": 100}},
        {"rows": 16, "ms": 600, "parts": {"addBatch": 600}},
        {"rows": 16, "ms": 100, "parts": {"addBatch": 100}},
    ]
    cpu = {"jvm": 1.0, "python": 2.0}
    run = {
        "cpu": cpu,
        "seconds": seconds,
        "batches": batches,
        "prints": PRINTS if prints is None else prints,
        "state": {},
    }
    return {"runs": [run, run], "peak_bytes": 1_000_000, **more}


def test_a_steady_rate_counts_the_records_of_files_and_not_what_a_source_yields() -> None:
    found = figures(lane(2.0), [500, 500])
    assert found["rate"] == 500
    assert found["steady"] == 1000
    assert found["parts_ms"] == {"addBatch": 1000, "walCommit": 100, "outside": 900}
    assert found["tenths"] == [1250, pytest.approx(833, abs=1)]


def test_a_ratio_is_ours_divided_by_theirs() -> None:
    answer = judged(S3A, {"velostream": lane(2.0), "spark-rocksdb": lane(4.0)}, [500_000, 500_000], 2)
    assert answer["ratios"] == {"spark-rocksdb": 2.0}
    assert [check["ok"] for check in answer["checks"]] == [True, True]


def test_there_is_no_ratio_of_unequal_work() -> None:
    other = lane(4.0, {"rows": 9.0, "records": 1000.0})
    answer = judged(S3A, {"velostream": lane(2.0), "spark-rocksdb": other}, [500, 500], 2)
    assert answer["ratios"] == {}
    assert "rows 10 against 9" in answer["unequal"]["spark-rocksdb"]


def test_a_refusal_is_shown_and_not_measured() -> None:
    refused = {"runs": [], "peak_bytes": 0, "refused": "a plan with RowWindows cannot be run yet"}
    answer = judged(S3A, {"velostream": refused, "spark-rocksdb": lane(1.0)}, [500, 500], 2)
    assert answer["contestants"]["velostream"] == {"refused": "a plan with RowWindows cannot be run yet"}
    assert answer["ratios"] == {}


def test_sums_of_floats_may_differ_in_the_last_digits_only() -> None:
    assert differences({"means": 1e9}, {"means": 1e9 + 1e-3}) == []
    assert differences({"means": 1e9}, {"means": 1e9 + 10}) != []
    assert differences({"rows": 1.0}, {"records": 1.0}) == ["nothing to compare"]


def test_quantiles_are_values_that_were_measured() -> None:
    assert quantiles([5.0, 1.0, 3.0]) == {"p50": 3.0, "p95": 5.0, "p99": 5.0}


def test_a_comparison_needs_both_scenarios() -> None:
    comparison = Comparison("x", "x", "A", "B", "rate", least=0.9)
    one = {"A": {"contestants": {"velostream": {"rate": 80.0}}}}
    assert compared(comparison, one) is None
    both = {**one, "B": {"contestants": {"velostream": {"rate": 100.0}}}}
    assert compared(comparison, both) == {"title": "x", "aim": "≥ 0.9", "ratio": 0.8, "ok": False}


def test_comparisons_name_scenarios_that_exist() -> None:
    names = {each.name for each in SCENARIOS}
    assert len(names) == len(SCENARIOS)
    assert {name for each in COMPARISONS for name in (each.of, each.to)} <= names
