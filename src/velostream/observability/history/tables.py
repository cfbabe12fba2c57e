"""What is kept: five tables, and the rows that a snapshot of a job adds to them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from velostream.observability.inside import seconds_of, watermark_behind

TEXT, INTEGER, REAL, TIME = "text", "integer", "real", "time"
"""Kinds of columns; a time is seconds since the epoch."""
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: columns with their kinds. The first three of each are `at`, `app` and `job`."""

    name: str
    about: str
    columns: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(name for name, _ in self.columns)


_WHO = (("at", TIME), ("app", TEXT), ("job", TEXT))
JOBS = Table(
    "jobs",
    "a job at a moment",
    (
        *_WHO,
        *(("state", TEXT), ("batch", INTEGER), ("records_read", INTEGER), ("records_in_results", INTEGER)),
        *(("records_open", INTEGER), ("dead_letters", INTEGER), ("dropped", INTEGER), ("late", INTEGER)),
        *(("too_late", INTEGER), ("rows_emitted", INTEGER), ("watermark", TIME), ("lag_seconds", REAL)),
        *(("open_windows", INTEGER), ("state_bytes", INTEGER), ("batch_p50", REAL), ("batch_p99", REAL)),
        *(("busy", REAL), ("pressure", TEXT), ("cause", TEXT), ("behind_seconds", REAL)),
    ),
)
PARTITIONS = Table(
    "partitions",
    "a partition of a source at a moment",
    (
        *_WHO,
        *(("partition", TEXT), ("records", INTEGER), ("lag_seconds", REAL), ("idle", INTEGER), ("holds", INTEGER)),
    ),
)
STAGES = Table(
    "stages", "a stage of micro-batches up to a moment", (*_WHO, ("stage", TEXT), ("seconds", REAL), ("rows", INTEGER))
)
WINDOWS = Table(
    "windows",
    "rows of one kind that a window emitted in a micro-batch",
    (
        *_WHO,
        *(("stage", INTEGER), ("window_start", TIME), ("window_end", TIME), ("emission", TEXT), ("rows", INTEGER)),
        *(("revision", INTEGER), ("records", INTEGER), ("batch", INTEGER)),
    ),
)
METRICS = Table(
    "metrics",
    "a series of a @metric when its value has changed; of histograms the number of values",
    (*_WHO, ("metric", TEXT), ("labels", TEXT), ("value", REAL)),
)
TABLES: tuple[Table, ...] = (JOBS, PARTITIONS, STAGES, WINDOWS, METRICS)


def rows_of(taken: Mapping[str, Any], windows: Sequence[Sequence[Any]]) -> dict[str, list[Row]]:
    """The rows that a snapshot adds, by table; `windows` are lines of `jobs.seen` that were not kept yet."""
    who = (taken["taken"], taken["app"], taken["name"])
    return {
        JOBS.name: [who + _job(taken)],
        PARTITIONS.name: [who + row for row in _partitions(taken)],
        STAGES.name: [(*who, name, one["seconds"], one["rows"]) for name, one in taken["timing"]["stages"].items()],
        WINDOWS.name: [who + _window(line) for line in windows],
        METRICS.name: [who + row for row in _metrics(taken)],
    }


def _job(taken: Mapping[str, Any]) -> Row:
    records, windows = taken["records"], taken["windows"]
    lags = [lag for lag in windows["watermark_lag_seconds"].values() if lag is not None]
    return (
        taken["state"],
        taken["batch"],
        *(records["read"], records["in_results"], records["open"], sum(records["dead_lettered"].values())),
        *(sum(records["dropped"].values()), windows["late_events_total"], windows["dropped_after_lateness"]),
        sum(taken["emitted"].values()),
        None if taken["watermark"] is None else seconds_of(taken["watermark"]),
        max(lags) if lags else None,
        *(windows["open_windows"], windows["state_bytes"]),
        *(taken["timing"]["p50"], taken["timing"]["p99"]),
        *(taken["pressure"]["busy"], taken["pressure"]["state"], taken["pressure"]["cause"]),
        watermark_behind(taken),
    )


def _partitions(taken: Mapping[str, Any]) -> Iterator[Row]:
    for name, shown in taken["partitions"].items():
        delivered = taken["delivered"].get(name, {}).get("records", 0)
        lag = None if shown["lag_ms"] is None else shown["lag_ms"] / 1_000
        yield name, delivered, lag, int(bool(shown["idle"])), int(name in taken["held_back_by"])


def _window(line: Sequence[Any]) -> Row:
    stage, start, end, emission, rows, revision, records, batch = line
    return stage, _moment(start), _moment(end), emission, rows, revision, records, batch


def _metrics(taken: Mapping[str, Any]) -> Iterator[Row]:
    for metric in taken["metrics"]:
        for series in metric["series"]:
            labels = json.dumps(dict(zip(metric["labels"], series["labels"], strict=True)), ensure_ascii=False)
            yield metric["name"], labels, float(sum(series["counts"]) if "counts" in series else series["value"])


def _moment(micros: int | None) -> float | None:
    return None if micros is None else micros / 1e6
