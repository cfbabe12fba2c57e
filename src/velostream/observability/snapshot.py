"""A job, or a whole application, at one moment: plain data for status files, the page, Prometheus and history."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from velostream.jobs.measured import GAUGE, HISTOGRAM
from velostream.jobs.measuring import bounds_of
from velostream.observability.inside import emissions, partitions, stages, what_if

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.jobs.running import RunningJob
    from velostream.plan.job import PlannedMetric

T = TypeVar("T")
TRIES = 20
_PROGRESS = ("batchId", "numInputRows", "inputRowsPerSecond", "processedRowsPerSecond", "durationMs", "timestamp")
_NODE = ("deployment.node_id", "deployment.node_name", "deployment.region")


def snapshot(job: RunningJob, app: str = "") -> dict[str, Any]:
    """One job: its report, and `app`, `kind`, `mode`, `line`, `batch`, `timing`, `pressure`, `metrics`, `taken`; of
    `inside.py` `stages`, `emissions`, `delivered`, `latency` and `lateness`."""
    taken = steady(job.report)
    progress = job.query.lastProgress if job.query is not None else None
    return {
        "app": app,
        "taken": time.time(),
        **taken,
        "kind": job.job.kind,
        "mode": job.job.mode,
        "line": job.job.line,
        "node": _node(job),
        "batch": job.accounts.batch,
        "sinks": [target.name for target in getattr(job.job.root, "targets", ())],
        "progress": None if progress is None else {name: progress[name] for name in _PROGRESS},
        "timing": steady(job.timings.data),
        "stages": steady(lambda: stages(job.job, job.accounts)),
        "emissions": steady(lambda: emissions(job.accounts)),
        "delivered": steady(lambda: partitions(job.accounts, taken["seconds"])),
        "latency": steady(job.timings.latencies),
        "lateness": what_if(taken["windows"]["lateness_seconds"]),
        "pressure": steady(job.timings.pressure),
        "metrics": steady(lambda: metrics_of(job)),
    }


def application(runner: Runner) -> dict[str, Any]:
    """All jobs of an application, and its tables."""
    return {
        "app": runner.plan.name,
        "taken": time.time(),
        "jobs": [snapshot(job, runner.plan.name) for job in list(runner.jobs)],
        "tables": steady(lambda: runner.tables.report() if runner.tables is not None else []),
    }


def steady(look: Callable[[], T]) -> T:
    """What a look at something finds that another thread may be counting into at that moment."""
    for _ in range(TRIES):
        try:
            return look()
        except RuntimeError:  # a dictionary grew while it was read
            time.sleep(0.005)
    return look()


def metrics_of(job: RunningJob) -> list[dict[str, Any]]:
    """The @metric values of a job, each with all of its series."""
    kept = job.accounts.measured
    return [_metric(each, kept[each.metric.name]) for each in job.job.metrics if each.metric.name in kept]


def _metric(metric: PlannedMetric, kept: dict[str, Any]) -> dict[str, Any]:
    kind = metric.metric.kind
    return {
        "name": metric.metric.name,
        "kind": kind,
        "help": metric.metric.help,
        "labels": list(metric.labels),
        "sample_rate": metric.metric.sample_rate,
        **({"bounds": list(bounds_of(metric))} if kind == HISTOGRAM else {}),
        "series": [_series(kind, json.loads(key), state) for key, state in sorted(kept["series"].items())],
        "skipped": dict(kept["skipped"]),
    }


def _series(kind: str, labels: list[str], state: Any) -> dict[str, Any]:
    if kind == HISTOGRAM:
        return {"labels": labels, "counts": state["counts"], "sum": _number(state["sum"])}
    return {"labels": labels, "value": _number(state[1] if kind == GAUGE else state)}


def _number(value: Any) -> int | float | str:
    """A number that strict JSON has, or its name as Prometheus writes it."""
    if isinstance(value, str):
        value = float(Decimal(value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return value  # type: ignore[no-any-return]


def _node(job: RunningJob) -> dict[str, str]:
    """Where it runs, as its settings say."""
    settings = job.job.settings
    told = {name.removeprefix("deployment."): settings.get(name) for name in _NODE} if settings is not None else {}
    return {name: str(value) for name, value in told.items() if value is not None}
