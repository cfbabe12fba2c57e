"""Prometheus alert rules of an application: what its jobs promise, and what a person on call must know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from velostream.observability.queries import of_app, promised, quoted, selector
from velostream.plan.job import ApplicationPlan, Job

GUIDES = {
    "watermark": "docs/guides/watermark-stuck.md",
    "late": "docs/guides/many-late-events.md",
    "memory": "docs/guides/memory-high.md",
}


def alert_rules(plan: ApplicationPlan) -> dict[str, Any]:
    """The groups of a rule file, one for each job, and one for the tables."""
    groups = [
        {
            "name": f"velostream {plan.name} {job.name}",
            "rules": [_labelled(rule, app=plan.name, job_name=job.name) for rule in _of_job(plan, job)],
        }
        for job in plan.jobs
    ]
    tables = list(_of_tables(plan))
    if tables:
        groups.append({"name": f"velostream {plan.name} tables", "rules": tables})
    return {"groups": groups}


def _rule(name: str, query: str, wait: str, severity: str, summary: str, guide: str = "") -> dict[str, Any]:
    told = {"summary": summary}
    if guide:
        told["runbook"] = GUIDES[guide]
    return {"alert": name, "expr": query, "for": wait, "labels": {"severity": severity}, "annotations": told}


def _labelled(rule: dict[str, Any], **labels: str) -> dict[str, Any]:
    """A rule whose alerts say where they come from, also where nothing is there to say it."""
    return {**rule, "labels": {**rule["labels"], **labels}}


def _of_job(plan: ApplicationPlan, job: Job) -> Iterator[dict[str, Any]]:
    app, name = plan.name, job.name
    here = selector(app, name)
    running, failed = selector(app, name, 'state="running"'), selector(app, name, 'state="failed"')
    yield _rule(
        "VeloJobFailed", f"velo_job_state{failed} == 1", "0m", "critical", f"job '{name}' of '{app}' has failed"
    )
    gone = f"absent(velo_job_state{running} == 1)"
    yield _rule("VeloJobNotRunning", gone, "5m", "critical", f"job '{name}' of '{app}' does not run")
    yield _rule(
        *("VeloDeadLetters", grown("velo_dead_letters_total", here, "10m"), "0m", "warning"),
        f"job '{name}' has new dead letters: {{{{ $labels.reason }}}}",
    )
    yield _rule(
        *("VeloBackPressure", f"velo_backpressure{here} == 2", "10m", "warning"),
        f"job '{name}' cannot keep up: {{{{ $labels.cause }}}}",
    )
    if job.metrics:
        over = selector(app, name, 'reason="over"')
        yield _rule(
            *("VeloTooManySeries", grown("velo_metric_skipped_total", over, "1h"), "0m", "warning"),
            f"metric {{{{ $labels.metric }}}} of job '{name}' has more label combinations than metrics.max_series",
        )
    if job.stateful:
        yield from _of_state(here, name)
    yield from _promises(here, running, job)


def grown(metric: str, labels: str, over: str) -> str:
    """True where a counter grew, or came into being: `increase` does not see the first value of a series."""
    return f"increase({metric}{labels}[{over}]) > 0 or ({metric}{labels} > 0 unless {metric}{labels} offset {over})"


def _of_state(here: str, name: str) -> Iterator[dict[str, Any]]:
    reads = f"increase(velo_records_read_total{here}[10m]) > 0"
    stands = f"changes(velo_watermark_timestamp_seconds{here}[10m]) == 0"
    yield _rule(
        *("VeloWatermarkStuck", f"{reads} and on (app, job_name) {stands}", "5m", "critical"),
        *(f"job '{name}' reads records, but its watermark stands still", "watermark"),
    )
    yield _rule(
        *("VeloRecordsTooLate", f"increase(velo_dropped_after_lateness_total{here}[10m]) > 0", "0m", "warning"),
        *(f"records come too late for job '{name}'", "late"),
    )
    now = f"velo_state_bytes{here}"
    grows = f"predict_linear({now}[6h], 86400) > 3 * {now} and {now} > 1e8"
    yield _rule("VeloStateGrows", grows, "1h", "warning", f"the state of job '{name}' grows and grows", "memory")


def _promises(here: str, running: str, job: Job) -> Iterator[dict[str, Any]]:
    latency, share = promised(job)
    if latency is not None:
        quantile = (
            f"histogram_quantile(0.99, sum by (app, job_name, le) (rate(velo_batch_duration_seconds_bucket{here}[5m])))"
        )
        summary = f"99 % of the micro-batches of job '{job.name}' should take at most {latency:g} s (sla.latency.p99)"
        yield _rule("VeloLatencyBroken", f"{quantile} > {latency:g}", "5m", "critical", summary)
    if share is not None:
        up = f"avg_over_time((velo_job_state{running} or vector(0))[1d:1m])"
        summary = f"job '{job.name}' should run {share:.4%} of the time (sla.availability)"
        yield _rule("VeloAvailabilityBroken", f"{up} < {share:g}", "0m", "critical", summary)


def _of_tables(plan: ApplicationPlan) -> Iterator[dict[str, Any]]:
    for table in (name for row in plan.table_order for name in row):
        here = f"{{{of_app(plan.name)}, table={quoted(table)}}}"
        summary = f"table '{table}' of '{plan.name}' is not ready: the jobs that join it wait"
        rule = _rule("VeloTableNotReady", f"velo_table_ready{here} == 0", "10m", "critical", summary)
        yield _labelled(rule, app=plan.name, table=table)
