"""A job, and a whole application, as text."""

from __future__ import annotations

from velostream.plan.explain import text
from velostream.plan.explain.words import listed
from velostream.plan.job import ApplicationPlan, Job


def explain_application(plan: ApplicationPlan) -> str:
    """All jobs in the order in which they start, after the tables that they wait for."""
    parts = [f"Application {plan.name}: {len(plan.jobs)} job{'' if len(plan.jobs) == 1 else 's'}"]
    for table in plan.tables:
        parts.append(f"Table {table.name} [{table.connector}], key {listed(table.key, 'none')}, loaded before the jobs")
    parts += [explain_job(job) for job in plan.jobs]
    return "\n\n".join(parts) + "\n"


def explain_job(job: Job) -> str:
    """One job: what it is, and its tree."""
    facts = [f"{job.kind}, {job.mode} mode"]
    if job.stateful:
        buckets = job.placement.buckets
        spread = "2 × cores buckets, at least 8" if buckets is None else f"{buckets} buckets"
        facts.append(f"state spread by {job.placement.strategy} over {spread}")
    else:
        facts.append("no state")
    lines = [f"Job {job.name} ({'; '.join(facts)})"]
    if job.definitions:
        lines.append(f"fused: {listed(job.definitions)}")
    if job.tables:
        lines.append(f"waits for: {listed(job.tables)}")
    lines += [f"metric: {listed([metric.metric.name])}" for metric in job.metrics]
    return "\n".join([*lines, text.tree(job.root)])
