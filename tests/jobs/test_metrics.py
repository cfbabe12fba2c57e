from typing import Any

from velostream.durations import SECOND
from velostream.jobs.accounts import Accounts
from velostream.jobs.metrics import checkpoint_seconds, window_metrics
from velostream.spark.lower.job import Role
from velostream.windows.statistics import BYTE_BOUNDS, COUNT_BOUNDS, LATENESS_BOUNDS, Stats

ONLY = Role(first=True, last=True, records=True)
B9 = {
    "initial_firings",
    "early_firings",
    "late_firings",
    "records_in_late_firing",
    "windows_with_late_data",
    "dropped_after_lateness",
    "records_added",
    "emissions",
    "windows_created_total",
    "windows_completed_total",
    "windows_pruned_total",
    "open_windows",
    "state_bytes",
    "state_bytes_largest",
    "state_bytes_at_clearing",
    "windows_held_by_lateness",
    "window_size_bytes",
    "window_event_count",
    "watermark",
    "watermark_lag_seconds",
    "watermark_idle_partitions",
    "watermark_advancement_rate",
    "late_events_total",
    "dropped_events_total",
    "allowed_lateness_violations",
    "hot_state_size_bytes",
    "warm_state_size_bytes",
    "state_evictions_total",
    "checkpoint_duration_seconds",
    "lateness_seconds",
}


def test_all_metrics_are_there_before_anything_has_happened() -> None:
    metrics = window_metrics(Accounts(), 0.0)
    assert set(metrics) >= B9
    assert metrics["late_events_total"] == 0
    assert metrics["watermark"] is metrics["watermark_advancement_rate"] is None
    assert metrics["lateness_seconds"]["count"] == 0


def test_what_the_buckets_count_is_added_up() -> None:
    partitions: dict[str, dict[str, int | bool | None]]
    partitions = {"s/0": {"max_event_time": 0, "lag_ms": 1_500, "idle": False}}
    partitions["s/1"] = {"max_event_time": None, "lag_ms": None, "idle": True}
    accounts = Accounts()
    for batch, (size, watermark) in enumerate([(100, 0), (40, 20 * SECOND)]):
        stats = Stats(late_events=1, state_bytes=size, watermark=watermark, partitions=partitions, holding=["s/0"])
        one = stats.as_data() | {"bucket": 1, "stage": 1, "counts": {"": 2}, "expanded": 0, "derived": 0}
        one["emitted"] = {"final": 2, "late": 1}
        one["dropped"] = {"late": 1}
        one["lateness"] = _filled(LATENESS_BOUNDS, 3 * SECOND)
        one["window_event_count"] = _filled(COUNT_BOUNDS, 7)
        one["window_size_bytes"] = _filled(BYTE_BOUNDS, 64)
        accounts.add(batch, [one], {1: ONLY}, [])
    metrics = window_metrics(accounts, 10.0)
    assert (metrics["initial_firings"], metrics["late_firings"], metrics["emissions"]) == (4, 2, 6)
    assert (metrics["late_events_total"], metrics["dropped_events_total"]) == (2, 2)
    assert (metrics["state_bytes"], metrics["state_bytes_largest"]) == (40, 100)
    assert metrics["watermark"] == "1970-01-01T00:00:20Z"
    assert metrics["watermark_advancement_rate"] == 2.0
    assert metrics["watermark_lag_seconds"] == {"s/0": 1.5, "s/1": None}
    assert metrics["watermark_idle_partitions"] == 1
    assert (metrics["lateness_seconds"]["count"], metrics["lateness_seconds"]["sum"]) == (2, 6)
    assert metrics["lateness_seconds"]["bounds"][0] == 1
    assert accounts.holding == ["s/0"]


def _filled(bounds: tuple[int, ...], total: int) -> dict[str, Any]:
    return {"bounds": list(bounds), "counts": [1, *([0] * len(bounds))], "total": total}


def test_the_time_of_a_checkpoint_is_what_its_parts_took() -> None:
    spent = {"walCommit": 20, "commitOffsets": 30, "addBatch": 900}
    assert checkpoint_seconds({"durationMs": spent, "stateOperators": [{"commitTimeMs": 450}]}) == 0.5
    assert checkpoint_seconds(None) is None
