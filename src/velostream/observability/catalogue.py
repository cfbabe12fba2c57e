"""Every metric of the engine: name, kind, help, labels, and how it is read from a job's snapshot.

The page of metrics, `/metrics`, dashboards and history come from this table. All have the labels `app` and `job_name`
first; names of counters end in `_total`, as Prometheus wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
COMMON = ("app", "job_name")
"""The labels that every series has, users' included."""
PREFIX = "velo_"
STATES = ("created", "running", "paused", "stopped", "done", "failed")
TABLE_STATES = ("waiting", "loading", "ready", "refreshing", "failed")
OF_STATE = ("windows", "watermarks", "state")
"""The groups of metrics that only a job with state has."""
PRESSURES = {"ok": 0, "busy": 1, "saturated": 2}

Snapshot = Mapping[str, Any]
Samples = Iterable[tuple[tuple[str, ...], Any]]


@dataclass(frozen=True, slots=True)
class EngineMetric:
    """One metric. `read` answers with label values and a number, or a histogram's data; None is left out."""

    name: str
    kind: str
    group: str
    help: str
    read: Callable[[Snapshot], Samples]
    labels: tuple[str, ...] = ()


def _one(*path: str) -> Callable[[Snapshot], Samples]:
    """A single number of the snapshot."""

    def read(taken: Snapshot) -> Samples:
        value: Any = taken
        for name in path:
            value = None if value is None else value.get(name)
        return [((), value)]

    return read


def _each(*path: str) -> Callable[[Snapshot], Samples]:
    """A number for every entry of a table of the snapshot."""

    def read(taken: Snapshot) -> Samples:
        ((_, table),) = _one(*path)(taken)
        return [((str(name),), value) for name, value in sorted((table or {}).items())]

    return read


def _partitions(value: Callable[[Mapping[str, Any]], Any]) -> Callable[[Snapshot], Samples]:
    """A number for every partition of every source."""

    def read(taken: Snapshot) -> Samples:
        for name, shown in taken["partitions"].items():
            source, _, partition = name.rpartition("/")
            yield (source, partition), value(shown)

    return read


def _stages(prefix: str, field: str) -> Callable[[Snapshot], Samples]:
    """A number for every sink, or for every other stage."""

    def read(taken: Snapshot) -> Samples:
        for name, spent in taken["timing"]["stages"].items():
            if prefix and name.startswith(prefix):
                yield (name.removeprefix(prefix),), spent[field]
            elif not prefix and not name.startswith("sink "):
                yield (name,), spent[field]

    return read


def _joins(field: str) -> Callable[[Snapshot], Samples]:
    return lambda taken: [((table,), counted[field]) for table, counted in sorted(taken["joins"].items())]


def _breakers(state: str) -> Callable[[Snapshot], Samples]:
    """1 for each breaker that is in a state."""
    return lambda taken: [
        ((name,), int(told.get("state") == state)) for name, told in sorted(taken.get("circuit_breakers", {}).items())
    ]


def _skipped(taken: Snapshot) -> Samples:
    for metric in taken["metrics"]:
        for reason, count in sorted(metric["skipped"].items()):
            yield (metric["name"], reason), count


def _state(taken: Snapshot) -> Samples:
    return [((state,), int(taken["state"] == state)) for state in STATES]


def _info(taken: Snapshot) -> Samples:
    node = taken.get("node", {})
    told = (taken["kind"], taken["mode"], node.get("node_id", ""), node.get("node_name", ""), node.get("region", ""))
    return [(told, 1)]


def _watermark(taken: Snapshot) -> Samples:
    told = taken["watermark"]
    return [((), None if told is None else datetime.fromisoformat(told).timestamp())]


def _lags(taken: Snapshot) -> Samples:
    return _partitions(lambda shown: None if shown["lag_ms"] is None else shown["lag_ms"] / 1_000)(taken)


def _delivered(field: str) -> Callable[[Snapshot], Samples]:
    def read(taken: Snapshot) -> Samples:
        for name, told in taken["delivered"].items():
            source, _, partition = name.rpartition("/")
            yield (source, partition), told[field]

    return read


def _latencies(taken: Snapshot) -> Samples:
    for name, told in taken["latency"].items():
        source, _, partition = name.rpartition("/")
        for share in (50, 95, 99):
            yield (source, partition, f"0.{share}"), told[f"p{share}"]


def _nodes(field: str) -> Callable[[Snapshot], Samples]:
    return lambda taken: [((str(stage["stage"]), stage["node"]), stage[field]) for stage in taken["stages"]]


def _holding(taken: Snapshot) -> Samples:
    for name in taken["partitions"]:
        source, _, partition = name.rpartition("/")
        yield (source, partition), int(name in taken["held_back_by"])


def _windows(name: str) -> Callable[[Snapshot], Samples]:
    return _one("windows", name)


def _quantiles(taken: Snapshot) -> Samples:
    return [((f"0.{share}",), taken["timing"][f"p{share}"]) for share in (50, 95, 99)]


_COUNTED = (
    ("initial_firings", "rows that windows and groups emitted when they closed"),
    ("early_firings", "rows emitted before the close"),
    ("late_firings", "corrections emitted after the close"),
    ("emissions", "all rows that windows and groups emitted"),
    ("records_added", "records added to windows and groups"),
    ("records_in_late_firing", "records in the windows that were corrected"),
    ("windows_with_late_data", "windows that a late record came to"),
    ("windows_created_total", "windows opened"),
    ("windows_completed_total", "windows closed and let go"),
    ("windows_pruned_total", "closed windows put away in the cold tier"),
    ("late_events_total", "records below the watermark when their micro-batch began"),
    ("dropped_events_total", "records dropped by a strategy that the user chose"),
    ("dropped_after_lateness", "records too late for any window that is still kept"),
    ("allowed_lateness_violations", "records that came after end + allowed lateness of their window"),
    ("failed_groups", "groups whose aggregates failed, such as a sum that overflows"),
)
_STATE = (
    ("open_windows", "windows that are open now"),
    ("windows_held_by_lateness", "windows that have closed and are kept for late records"),
    ("state_rows", "rows of state now"),
    ("state_bytes", "bytes of state now"),
    ("state_bytes_largest", "the most bytes of state so far"),
    ("state_bytes_at_clearing", "bytes of state before the last clearing"),
    ("hot_state_size_bytes", "bytes of decoded state in memory"),
    ("warm_state_size_bytes", "bytes of state in the state store"),
)


def total(name: str) -> str:
    """The name of a counter in Prometheus."""
    return PREFIX + name.removesuffix("_total") + "_total"


# One line each, however long: this is a table to be read downwards.
# fmt: off
CATALOGUE: tuple[EngineMetric, ...] = (
    EngineMetric("velo_job_state", GAUGE, "jobs", "1 for the state that the job is in", _state, ("state",)),
    EngineMetric(
        *("velo_job_info", GAUGE, "jobs", "what the job is and where it runs; always 1", _info),
        ("kind", "mode", "node_id", "node_name", "region"),
    ),
    EngineMetric("velo_job_running_seconds", GAUGE, "jobs", "how long the job has run, restarts added", _one("seconds")),
    EngineMetric("velo_records_read_total", COUNTER, "records", "records read", _one("records", "read")),
    EngineMetric("velo_records_filtered_total", COUNTER, "records", "records that WHERE removed", _one("records", "filtered")),
    EngineMetric("velo_records_in_results_total", COUNTER, "records", "records that are in results", _one("records", "in_results")),
    EngineMetric("velo_records_duplicate_total", COUNTER, "records", "records removed as duplicates", _one("records", "duplicates")),
    EngineMetric("velo_records_unmatched_total", COUNTER, "records", "records that matched nothing in a join", _one("records", "unmatched")),
    EngineMetric("velo_records_open", GAUGE, "records", "records that wait in open windows, groups and joins", _one("records", "open")),
    EngineMetric("velo_records_expanded_total", COUNTER, "records", "further rows made of records, as by UNNEST", _one("records", "expanded")),
    EngineMetric("velo_records_replayed_total", COUNTER, "records", "dead letters that were replayed", _one("records", "replayed")),
    EngineMetric("velo_records_dropped_total", COUNTER, "records", "records dropped, by reason", _each("records", "dropped"), ("reason",)),
    EngineMetric("velo_dead_letters_total", COUNTER, "records", "records that became dead letters, by reason", _each("records", "dead_lettered"), ("reason",)),
    EngineMetric("velo_records_lost_total", COUNTER, "records", "records that a source no longer had when they were to be read", _each("lost"), ("source",)),
    EngineMetric("velo_rows_failed_total", COUNTER, "records", "rows that failed behind windows, by reason", _each("failed_rows"), ("reason",)),
    EngineMetric("velo_rows_emitted_total", COUNTER, "records", "rows emitted, by kind: early, final, late, change, retract", _each("emitted"), ("emission",)),
    *(EngineMetric(total(name), COUNTER, "windows", text, _windows(name)) for name, text in _COUNTED),
    EngineMetric("velo_window_event_count", HISTOGRAM, "windows", "records of a window when it closed", _windows("window_event_count")),
    EngineMetric("velo_window_size_bytes", HISTOGRAM, "windows", "bytes of a window's state when it closed", _windows("window_size_bytes")),
    EngineMetric("velo_lateness_seconds", HISTOGRAM, "windows", "how far late records lay below the watermark", _windows("lateness_seconds")),
    EngineMetric("velo_watermark_timestamp_seconds", GAUGE, "watermarks", "the watermark, as seconds since the epoch", _watermark),
    EngineMetric("velo_watermark_advancement_rate", GAUGE, "watermarks", "seconds of event time per second of running", _windows("watermark_advancement_rate")),
    EngineMetric("velo_watermark_idle_partitions", GAUGE, "watermarks", "partitions that deliver nothing and are not waited for", _windows("watermark_idle_partitions")),
    EngineMetric("velo_watermark_lag_seconds", GAUGE, "watermarks", "how far the newest event time of a partition is behind the clock", _lags, ("source", "partition")),
    EngineMetric("velo_partition_holds_watermark", GAUGE, "watermarks", "1 for a partition that holds the watermark back", _holding, ("source", "partition")),
    EngineMetric("velo_partition_idle", GAUGE, "watermarks", "1 for a partition that is idle", _partitions(lambda shown: int(bool(shown["idle"]))), ("source", "partition")),
    EngineMetric("velo_partition_latency_seconds", GAUGE, "watermarks", "how old the newest record of a partition was at the end of the last micro-batches, as quantiles", _latencies, ("source", "partition", "share")),
    EngineMetric("velo_partition_records_total", COUNTER, "watermarks", "records that a partition delivered", _delivered("records"), ("source", "partition")),
    EngineMetric("velo_partition_records_per_second", GAUGE, "watermarks", "records per second of running that a partition delivered", _delivered("rate"), ("source", "partition")),
    EngineMetric("velo_node_records_total", COUNTER, "windows", "records that a stateful node took", _nodes("records"), ("stage", "node")),
    EngineMetric("velo_node_rows_total", COUNTER, "windows", "rows that a stateful node gave", _nodes("rows"), ("stage", "node")),
    EngineMetric("velo_node_seconds_total", COUNTER, "windows", "time that a stateful node worked, of all its buckets", _nodes("seconds"), ("stage", "node")),
    EngineMetric("velo_node_skew", GAUGE, "windows", "how many times the mean the fullest bucket of a stateful node has", _nodes("skew"), ("stage", "node")),
    *(EngineMetric(PREFIX + name, GAUGE, "state", text, _windows(name)) for name, text in _STATE),
    EngineMetric("velo_state_cache_hits_total", COUNTER, "state", "reads of state found decoded in memory", _windows("hot_hits")),
    EngineMetric("velo_state_cache_misses_total", COUNTER, "state", "reads of state that went to the state store", _windows("hot_misses")),
    EngineMetric("velo_state_evictions_total", COUNTER, "state", "decoded state that gave way to other", _windows("state_evictions_total")),
    EngineMetric("velo_checkpoint_duration_seconds", GAUGE, "state", "how long the last micro-batch took to keep offsets and state", _windows("checkpoint_duration_seconds")),
    EngineMetric("velo_batches_total", COUNTER, "batches", "micro-batches written by this process", _one("timing", "batches")),
    EngineMetric("velo_batch_failures_total", COUNTER, "batches", "micro-batches that failed in this process", _one("timing", "failures")),
    EngineMetric("velo_batch_duration_seconds", HISTOGRAM, "batches", "how long micro-batches take", _one("timing", "histogram")),
    EngineMetric("velo_batch_latency_seconds", GAUGE, "batches", "how long the last micro-batches took, as quantiles", _quantiles, ("share",)),
    EngineMetric("velo_input_rows_per_second", GAUGE, "batches", "records that arrive, as Spark measures it", _one("progress", "inputRowsPerSecond")),
    EngineMetric("velo_processed_rows_per_second", GAUGE, "batches", "records that are processed while a micro-batch runs", _one("progress", "processedRowsPerSecond")),
    EngineMetric("velo_stage_seconds_total", COUNTER, "batches", "time spent in each stage of micro-batches", _stages("", "seconds"), ("stage",)),
    EngineMetric(
        *("velo_backpressure", GAUGE, "batches", "0 keeps up, 1 busy, 2 saturated: arriving records wait; with what takes the time"),
        lambda taken: [((taken["pressure"]["cause"],), PRESSURES[taken["pressure"]["state"]])],
        ("cause",),
    ),
    EngineMetric("velo_busy_ratio", GAUGE, "batches", "the share of the last minute in which micro-batches ran", _one("pressure", "busy")),
    EngineMetric("velo_sink_rows_total", COUNTER, "sinks", "rows given to a sink by this process", _stages("sink ", "rows"), ("sink",)),
    EngineMetric("velo_sink_seconds_total", COUNTER, "sinks", "time spent writing to a sink", _stages("sink ", "seconds"), ("sink",)),
    EngineMetric("velo_sink_writes_total", COUNTER, "sinks", "micro-batches written to a sink by this process", _stages("sink ", "batches"), ("sink",)),
    EngineMetric("velo_sink_refused_rows_total", COUNTER, "sinks", "rows that a sink did not take", _one("refused")),
    EngineMetric("velo_circuit_breaker_open", GAUGE, "sinks", "1 while calls to a sink or source are held back since most of them failed", _breakers("open"), ("target",)),
    EngineMetric("velo_join_matched_total", COUNTER, "joins", "rows that found something in a table", _joins("matched"), ("table",)),
    EngineMetric("velo_join_missing_total", COUNTER, "joins", "rows that found nothing in a table", _joins("missing"), ("table",)),
    EngineMetric("velo_join_skipped_total", COUNTER, "joins", "rows left out since a table had nothing for them", _joins("skipped"), ("table",)),
    EngineMetric("velo_join_defaulted_total", COUNTER, "joins", "rows filled with defaults since a table had nothing", _joins("defaulted"), ("table",)),
    EngineMetric("velo_join_retried_total", COUNTER, "joins", "rows that waited for a table", _joins("retried"), ("table",)),
    EngineMetric("velo_metric_skipped_total", COUNTER, "metrics", "rows that a @metric left out (failed, negative), and series beyond the cap (over)", _skipped, ("metric", "reason")),
)

TABLES: tuple[EngineMetric, ...] = (
    EngineMetric("velo_table_rows", GAUGE, "tables", "rows of the newest version of a table", _one("rows")),
    EngineMetric("velo_table_ready", GAUGE, "tables", "1 once a table can be joined", lambda told: [((), int(told["state"] in ("ready", "refreshing")))]),
    EngineMetric("velo_table_state", GAUGE, "tables", "1 for the state that the table is in", lambda told: [((state,), int(told["state"] == state)) for state in TABLE_STATES], ("state",)),
    EngineMetric("velo_table_load_seconds", GAUGE, "tables", "how long loading a table took", _one("loaded_seconds")),
    EngineMetric("velo_table_refreshes_total", COUNTER, "tables", "refreshes of a table that found something new", _one("refreshes")),
    EngineMetric("velo_table_dead_letters_total", COUNTER, "tables", "records of a table that could not be read", _one("dead_lettered")),
)
"""The metrics of tables, read from their reports; their labels are `app` and `table`."""
# fmt: on
