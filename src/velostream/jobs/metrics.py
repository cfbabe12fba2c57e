"""The window metrics of a job, by the names under which reports and Prometheus have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from velostream.durations import SECOND
from velostream.jobs.accounts import Accounts
from velostream.sinks.letters import iso

_TOTALS = {
    "records_added": "records_added",
    "records_in_late_firing": "records_in_late_firing",
    "windows_with_late_data": "windows_with_late_data",
    "dropped_after_lateness": "dropped_after_lateness",
    "allowed_lateness_violations": "allowed_lateness_violations",
    "windows_created": "windows_created_total",
    "windows_completed": "windows_completed_total",
    "windows_pruned": "windows_pruned_total",
    "late_events": "late_events_total",
    "failed_groups": "failed_groups",
    "hot_hits": "hot_hits",
    "hot_misses": "hot_misses",
    "hot_evictions": "state_evictions_total",
}
_GAUGES = {
    "open_windows": "open_windows",
    "windows_held": "windows_held_by_lateness",
    "state_rows": "state_rows",
    "state_bytes": "state_bytes",
    "state_bytes_largest": "state_bytes_largest",
    "state_bytes_before_clearing": "state_bytes_at_clearing",
    "hot_state_size_bytes": "hot_state_size_bytes",
}
_FIRINGS = {"initial_firings": "final", "early_firings": "early", "late_firings": "late"}
_COMMITTING = ("walCommit", "commitOffsets", "commitBatch")


def window_metrics(accounts: Accounts, seconds: float, progress: Any = None) -> dict[str, Any]:
    """All of them. `seconds` is how long the job has run, `progress` what Spark says of its last micro-batch."""
    metrics: dict[str, Any] = {name: accounts.fired[kind] for name, kind in _FIRINGS.items()}
    metrics["emissions"] = sum(accounts.fired.values())
    metrics |= {name: accounts.windows[counted] for counted, name in _TOTALS.items()}
    metrics |= {name: accounts.gauges.get(gauge, 0) for gauge, name in _GAUGES.items()}
    metrics["warm_state_size_bytes"] = accounts.gauges.get("state_bytes", 0)
    metrics["dropped_events_total"] = sum(accounts.dropped.values())
    for name, unit in (("window_event_count", 1), ("window_size_bytes", 1), ("lateness", SECOND)):
        shown = f"{name}_seconds" if unit == SECOND else name
        metrics[shown] = _histogram(accounts.histograms.get(name), unit)
    return metrics | _watermark(accounts, seconds) | {"checkpoint_duration_seconds": checkpoint_seconds(progress)}


def _watermark(accounts: Accounts, seconds: float) -> dict[str, Any]:
    lags = {name: shown["lag_ms"] for name, shown in sorted(accounts.partitions.items())}
    rate = None
    if accounts.watermark is not None and accounts.first_watermark is not None and seconds > 0:
        rate = round((accounts.watermark - accounts.first_watermark) / SECOND / seconds, 3)
    return {
        "watermark": iso(accounts.watermark),
        "watermark_lag_seconds": {name: None if lag is None else lag / 1_000 for name, lag in lags.items()},
        "watermark_idle_partitions": sum(1 for shown in accounts.partitions.values() if shown["idle"]),
        "watermark_advancement_rate": rate,
    }


def _histogram(counted: Mapping[str, Any] | None, unit: int) -> dict[str, Any]:
    """How many values are up to each bound, and one for all above; with their number and sum."""
    if counted is None:
        return {"bounds": [], "counts": [], "count": 0, "sum": 0}
    bounds = [bound / unit if unit > 1 else bound for bound in counted["bounds"]]
    total = counted["total"] / unit if unit > 1 else counted["total"]
    return {"bounds": bounds, "counts": list(counted["counts"]), "count": sum(counted["counts"]), "sum": total}


def checkpoint_seconds(progress: Any) -> float | None:
    """How long the last micro-batch took to keep its offsets and state; None before the first."""
    if progress is None:
        return None
    spent = progress["durationMs"] if isinstance(progress, Mapping) else progress.durationMs
    states = progress["stateOperators"] if isinstance(progress, Mapping) else progress.stateOperators
    commits = [one["commitTimeMs"] if isinstance(one, Mapping) else one.commitTimeMs for one in states]
    return float(sum(spent.get(name, 0) for name in _COMMITTING) + sum(commits)) / 1_000
