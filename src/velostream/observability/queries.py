"""What an application has to show: the metrics of its jobs, and the questions that panels and alerts ask of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from velostream.durations import SECOND
from velostream.observability.exposition import exposed
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import JoinTable, Sinks

RATE = "$__rate_interval"
"""The stretch over which Grafana takes rates, by its own name."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One panel: a title, what is asked of Prometheus with the name of each line, and the unit."""

    title: str
    queries: tuple[tuple[str, str], ...]
    unit: str = "short"
    kind: str = "timeseries"
    text: str = ""


def quoted(text: str) -> str:
    """A text inside a selector."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def of_app(name: str) -> str:
    """The label that picks the series of an application. A job server has no spaces in names: where `velo run` says
    'my shop', it says 'my_shop'."""
    if " " not in name:
        return f"app={quoted(name)}"
    return f"app=~{quoted('[ _]'.join(map(re.escape, name.split(' '))))}"


def selector(app: str, job: str, *more: str) -> str:
    """The labels that pick the series of a job."""
    return "{" + ", ".join([of_app(app), f"job_name={quoted(job)}", *more]) + "}"


def of_users(plan: ApplicationPlan, job: Job) -> Iterator[Shown]:
    """A panel for every @metric of a job."""
    here = selector(plan.name, job.name)
    for planned in job.metrics:
        metric = planned.metric
        name = exposed(metric.name, metric.kind)
        by = ", ".join(planned.labels)
        line = " ".join(f"{{{{{label}}}}}" for label in planned.labels) or metric.name
        title = metric.help or metric.name
        scale = "" if metric.sample_rate >= 1 else f" / {metric.sample_rate:g}"
        if metric.kind == "counter":
            query = f"sum by ({by}) (rate({name}{here}[{RATE}])){scale}"
            yield Shown(f"{title} (per second)", ((query, line),), text=metric.name)
        elif metric.kind == "gauge":
            yield Shown(title, ((f"{name}{here}", line),), text=metric.name)
        else:
            inner = f"sum by ({', '.join(['le', *planned.labels])}) (rate({name}_bucket{here}[{RATE}]))"
            queries = tuple(
                (f"histogram_quantile({share}, {inner})", f"p{share * 100:g} {line}".replace(metric.name, "").strip())
                for share in (0.5, 0.95, 0.99)
            )
            yield Shown(title, queries, text=metric.name)


def of_engine(plan: ApplicationPlan, job: Job) -> Iterator[Shown]:
    """The panels that tell how a job does: of what it has, and of nothing else."""
    here = selector(plan.name, job.name)
    yield Shown(
        "Records per second",
        (
            (f"rate(velo_records_read_total{here}[{RATE}])", "read"),
            (f"rate(velo_records_in_results_total{here}[{RATE}])", "in results"),
        ),
    )
    yield Shown(
        "Dead letters and dropped records",
        (
            (f"velo_dead_letters_total{here}", "dead letter: {{reason}}"),
            (f"velo_records_dropped_total{here}", "dropped: {{reason}}"),
        ),
    )
    quantile = f"histogram_quantile(0.99, sum by (le) (rate(velo_batch_duration_seconds_bucket{here}[{RATE}])))"
    median = selector(plan.name, job.name, 'share="0.50"')
    yield Shown(
        "Micro-batches",
        (
            (quantile, "p99"),
            (f"velo_batch_latency_seconds{median}", "median"),
        ),
        unit="s",
    )
    yield Shown(
        "Time by stage",
        (
            (f"rate(velo_stage_seconds_total{here}[{RATE}])", "{{stage}}"),
            *([(f"rate(velo_sink_seconds_total{here}[{RATE}])", "sink {{sink}}")] if _sinks(job) else []),
        ),
        unit="s",
        text="seconds of work per second",
    )
    if job.stateful:
        yield from _of_state(here)
    if any(isinstance(node, JoinTable) for node in job.root.walk()):
        yield Shown(
            "Joins with tables",
            (
                (f"rate(velo_join_matched_total{here}[{RATE}])", "{{table}} found"),
                (f"rate(velo_join_missing_total{here}[{RATE}])", "{{table}} not found"),
            ),
        )


def _of_state(here: str) -> Iterator[Shown]:
    yield Shown(
        "Watermark behind the clock",
        (
            (f"time() - velo_watermark_timestamp_seconds{here}", "watermark"),
            (f"velo_watermark_lag_seconds{here}", "{{source}}/{{partition}}"),
        ),
        unit="s",
    )
    yield Shown(
        "Rows emitted per second",
        ((f"rate(velo_rows_emitted_total{here}[{RATE}])", "{{emission}}"),),
    )
    yield Shown(
        "Late records",
        (
            (f"rate(velo_late_events_total{here}[{RATE}])", "late"),
            (f"rate(velo_dropped_after_lateness_total{here}[{RATE}])", "too late"),
        ),
    )
    yield Shown(
        "State", ((f"velo_state_bytes{here}", "state"), (f"velo_hot_state_size_bytes{here}", "hot")), unit="bytes"
    )
    yield Shown(
        "Open windows", ((f"velo_open_windows{here}", "open"), (f"velo_windows_held_by_lateness{here}", "held"))
    )


def _sinks(job: Job) -> bool:
    return any(isinstance(node, Sinks) for node in job.root.walk())


def promised(job: Job) -> tuple[float | None, float | None]:
    """What a job promises: its 99th percentile in seconds, and the share of time that it runs."""
    latency: Any = job.settings.get("sla.latency.p99") if job.settings is not None else None
    share: Any = job.settings.get("sla.availability") if job.settings is not None else None
    return (None if latency is None else latency / SECOND), (None if share is None else float(share))
