import logging
from decimal import Decimal

import pyarrow as pa
import pytest

from velostream.jobs.accounts import Accounts
from velostream.jobs.measured import OTHER, Measured, capped, key_of, merged, number, plus, same_shape
from velostream.jobs.measuring import DEFAULT_BOUNDS, Shape, bounds_of, increments
from velostream.plan.job import PlannedMetric
from velostream.positions import Span
from velostream.sql.metrics import Metric


def metric(kind: str, labels: tuple[str, ...] = (), field: str = "", buckets: tuple[float, ...] = ()) -> PlannedMetric:
    declared = Metric("m", kind, "", labels, field, None, 1.0, buckets, Span(0, 0, 1, 1, 1, 1))
    return PlannedMetric(declared, None, object() if field else None, labels)  # type: ignore[arg-type]


def rows(
    values: list[object], keys: list[str] | None = None, times: list[int] | None = None, **more: object
) -> pa.Table:
    count = len(values)
    return pa.table(
        {
            "_met0": more.get("met", [True] * count),
            "_value0": pa.array(values, more.get("type")),
            "_label_k": keys or ["a"] * count,
            "_metric_time": times or list(range(count)),
        }
    )


def series(found: Measured) -> dict[str, object]:
    return dict(found["m"]["series"])


def test_a_counter_adds_up_by_label() -> None:
    found = increments(rows([1, 1, 1], ["a", "b", "a"]), [Shape(metric("counter", ("k",)))])
    assert series(found) == {'["a"]': 2, '["b"]': 1}


def test_whole_numbers_and_decimals_lose_nothing() -> None:
    largest = 2**63 - 1
    shape = [Shape(metric("counter", (), "v"))]
    assert series(increments(rows([largest, largest, 5]), shape)) == {"[]": 2 * largest + 5}
    cents = rows([Decimal("0.10")] * 3, type=pa.decimal128(10, 2))
    once = increments(cents, shape)
    assert number(series(merged(once, once))["[]"]) == Decimal("0.60")


def test_rows_that_are_not_met_or_null_are_left_out_and_failures_are_counted() -> None:
    table = rows([1, 2, None, 4], met=[True, False, True, None])
    found = increments(table, [Shape(metric("counter", (), "v"))])
    assert series(found) == {"[]": 1}
    assert found["m"]["skipped"] == {"failed": 1}


def test_a_counter_never_goes_down() -> None:
    found = increments(rows([2.5, -1.0, float("nan")]), [Shape(metric("counter", (), "v"))])
    assert series(found) == {"[]": 2.5}
    assert found["m"]["skipped"] == {"negative": 2}


def test_a_gauge_shows_the_newest_row_and_does_not_go_back() -> None:
    shape = [Shape(metric("gauge", ("k",), "v"))]
    first = increments(rows([5, 7, 6], times=[1, 9, 3]), shape)
    assert series(first) == {'["a"]': [9, 7]}
    older = increments(rows([1], times=[4]), shape)
    assert series(merged(first, older)) == {'["a"]': [9, 7]}
    newer = increments(rows([2], times=[9]), shape)
    assert series(merged(first, newer)) == {'["a"]': [9, 2]}


def test_a_histogram_counts_up_to_its_bounds_and_all_above() -> None:
    shape = [Shape(metric("histogram", (), "v", (1.0, 2.0)))]
    found = increments(rows([float("-inf"), 1.0, 1.5, 2.0, 2.1, float("inf"), float("nan")]), shape)
    assert series(found)["[]"]["counts"] == [2, 2, 3]  # type: ignore[index]
    assert bounds_of(metric("histogram", (), "v")) == DEFAULT_BOUNDS


def test_series_beyond_the_cap_are_counted_together_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    kept: Measured = {}
    with caplog.at_level(logging.WARNING):
        for keys in (["a", "b"], ["c", "a", "d"], ["e", "b"]):
            found = increments(rows([1] * len(keys), keys), [Shape(metric("counter", ("k",)))])
            kept = merged(kept, capped(kept, found, 2, "job"))
    assert series(kept) == {'["a"]': 2, '["b"]': 2, key_of([OTHER]): 3}
    assert sum("label combinations" in record.message for record in caplog.records) == 1


def test_what_was_kept_goes_on_unless_the_metric_means_something_else() -> None:
    shape = {"kind": "counter", "labels": ["k"], "bounds": []}
    kept: Measured = {"m": {"series": {"[]": 3}, "skipped": {}, "shape": shape}, "gone": {"series": {}, "skipped": {}}}
    assert same_shape(kept, {"m": shape}) == {"m": kept["m"]}
    assert same_shape(kept, {"m": shape | {"labels": []}})["m"]["series"] == {}


def test_a_repeated_micro_batch_counts_once() -> None:
    accounts = Accounts()
    found = increments(rows([1, 1]), [Shape(metric("counter"))])
    for batch in (0, 0, 1, 1):
        accounts.add(batch, [], {}, [], found)
    assert series(accounts.measured) == {"[]": 4}


def test_sums_are_exact_where_both_parts_are() -> None:
    assert plus("0.1", "0.2") == "0.3"
    assert plus(2**70, 1) == 2**70 + 1
    assert plus("0.5", 1) == "1.5"
    assert plus(0.5, "0.5") == 1.0
