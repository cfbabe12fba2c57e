"""The text for Prometheus is what Prometheus' own parser reads."""

import copy
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from velostream.jobs.accounts import Accounts
from velostream.jobs.metrics import window_metrics
from velostream.jobs.timing import Spent, Timings
from velostream.observability.catalogue import CATALOGUE, TABLES
from velostream.observability.exposition import exposition

METRICS = [
    {
        "name": "paid_total",
        "kind": "counter",
        "help": 'Money "paid"\nin \\ all',
        "labels": ["country"],
        "series": [{"labels": ['N"L\n'], "value": 12}, {"labels": [""], "value": 3.5}],
        "skipped": {"negative": 2},
    },
    {
        "name": "ratio",
        "kind": "histogram",
        "help": "",
        "labels": [],
        "bounds": [1.0, 2.5],
        "series": [{"labels": [], "counts": [1, 2, 3], "sum": "NaN"}],
        "skipped": {},
    },
    {
        "name": "position",
        "kind": "gauge",
        "help": "",
        "labels": ["k"],
        "series": [{"labels": ["a"], "value": "-Inf"}],
        "skipped": {},
    },
]


def taken(state: str = "running", *, stateful: bool = True) -> dict[str, Any]:
    """The snapshot of a job in which something has happened everywhere."""
    accounts = Accounts(read=7, partitions={"s/x/3": {"max_event_time": 0, "lag_ms": 1_500, "idle": True}})
    accounts.dead_lettered["late"] = 2
    accounts.dropped["late"] = 1
    accounts.watermark = accounts.first_watermark = 1_000_000
    accounts.add_join("t", "skip_record", 3, 1)
    timings = Timings("j")
    timings.stages |= {"compute": Spent(1.0)}
    timings.stages |= {"sink out": Spent(2.0, 1.0, 5, 2)}
    timings.recent.append((1.0, 0.5))
    windows = window_metrics(accounts, 5.0, {"durationMs": {"walCommit": 5}, "stateOperators": []})
    return {
        "app": "shop",
        "name": "j",
        "state": state,
        "stateful": stateful,
        "kind": "stream",
        "mode": "simple",
        "seconds": 5.0,
        "records": accounts.records,
        "emitted": {"final": 4},
        "windows": windows,
        "watermark": "1970-01-01T00:00:01+00:00",
        "held_back_by": ["s/x/3"],
        "joins": accounts.joins,
        "partitions": {"s/x/3": {"max_event_time": None, "lag_ms": 1_500, "idle": True, "records": 7, "rate": 1.5}},
        "timing": timings.data(),
        "pressure": {"state": "busy", "busy": 0.8, "cause": "sink out"},
        "progress": {"inputRowsPerSecond": 10.0, "processedRowsPerSecond": 20.0},
        "refused": 1,
        "lost": {"s": 2},
        "failed_rows": {"bad_value": 1},
        "circuit_breakers": {"out": {"state": "open"}},
        "latency": {"s/x/3": {"p50": 1.0, "p95": 2.0, "p99": 3.0}},
        "delivered": {"s/x/3": {"records": 7, "last": 1, "rate": 1.5}},
        "stages": [{"stage": 1, "node": "Aggregate", "records": 7, "rows": 4, "seconds": 0.5, "skew": 1.5}],
        "metrics": copy.deepcopy(METRICS),
    }


TABLE = {
    "name": "t",
    "app": "shop",
    "rows": 3,
    "state": "ready",
    "loaded_seconds": 1,
    "refreshes": 2,
    "dead_lettered": 0,
}


def parsed(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}


def test_every_metric_of_the_catalogue_is_there_with_type_and_help() -> None:
    text = exposition([taken()], [TABLE])
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for metric in (*CATALOGUE, *TABLES):
        family = families[metric.name.removesuffix("_total") if metric.kind == "counter" else metric.name]
        assert family.type == metric.kind, metric.name
        assert family.documentation == metric.help
        assert set(family.samples[0].labels) >= set(metric.labels), metric.name


def test_values_of_users_come_out_as_they_are_whatever_their_labels_hold() -> None:
    found = parsed(exposition([taken()]))
    base = (("app", "shop"), ("job_name", "j"))
    assert found["paid_total", (base[0], ("country", 'N"L\n'), base[1])] == 12
    assert found["paid_total", (base[0], ("country", ""), base[1])] == 3.5
    assert found["ratio_bucket", (*base, ("le", "2.5"))] == 3
    assert found["ratio_bucket", (*base, ("le", "+Inf"))] == found["ratio_count", base] == 6
    assert found["ratio_sum", base] != found["ratio_sum", base]
    assert found["position", (*base, ("k", "a"))] == float("-inf")
    assert found["velo_metric_skipped_total", (*base, ("metric", "paid_total"), ("reason", "negative"))] == 2


def test_a_source_with_a_slash_in_its_name_keeps_it() -> None:
    labels = (("app", "shop"), ("job_name", "j"), ("partition", "3"), ("source", "s/x"))
    found = parsed(exposition([taken()]))
    assert found["velo_watermark_lag_seconds", labels] == 1.5
    assert found["velo_partition_holds_watermark", labels] == 1


@pytest.mark.parametrize("state", ["stopped", "done"])
def test_the_series_of_a_stopped_job_go(state: str) -> None:
    assert exposition([taken(state)]).strip() == ""


def test_of_a_failed_job_only_its_state_is_told() -> None:
    found = parsed(exposition([taken("failed")]))
    assert {name for name, _ in found} == {"velo_job_state"}
    assert sum(found.values()) == 1


def test_a_job_without_state_shows_nothing_of_windows() -> None:
    names = {name for name, _ in parsed(exposition([taken(stateful=False)]))}
    assert not any(name.startswith(("velo_watermark", "velo_windows", "velo_state", "velo_lateness")) for name in names)
    assert "velo_records_read_total" in names


def test_a_snapshot_of_an_older_version_shows_what_it_has() -> None:
    older = {name: value for name, value in taken().items() if name not in ("latency", "delivered", "stages", "lost")}
    names = {name for name, _ in parsed(exposition([older]))}
    assert "velo_records_read_total" in names
    assert "velo_partition_records_total" not in names


def test_two_jobs_share_a_metric() -> None:
    other = taken() | {"name": "other"}
    found = parsed(exposition([taken(), other]))
    assert sum(value for (name, _), value in found.items() if name == "paid_total") == 31
