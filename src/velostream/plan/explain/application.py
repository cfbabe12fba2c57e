"""A job, and a whole application, as text."""

from __future__ import annotations

from velostream.durations import show
from velostream.plan.explain import text
from velostream.plan.explain.words import listed
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.passes.separate_tables import is_derived


def explain_application(plan: ApplicationPlan) -> str:
    """All jobs in the order in which they start, after the tables that they wait for."""
    parts = [f"Application {plan.name}: {len(plan.jobs)} job{'' if len(plan.jobs) == 1 else 's'}"]
    for table in plan.tables:
        parts.append(f"Table {table.name} [{table.connector}], key {listed(table.key, 'none')}, loaded before the jobs")
    parts += [explain_job(job) for job in plan.statements]
    return "\n\n".join(parts) + "\n"


def explain_job(job: Job) -> str:
    """One job, or one table made of other tables: what it is, and its tree."""
    if is_derived(job):
        return "\n".join([f"Table {job.name} ({_derived(job)})", text.tree(job.root)])
    facts = [f"{job.kind}, {job.mode} mode"]
    if job.stateful:
        buckets = job.placement.buckets
        spread = "a bucket for each core, at least 2" if buckets is None else f"{buckets} buckets"
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


def _derived(job: Job) -> str:
    """What a table made of other tables is made of, and when it is computed."""
    made = f"made of {listed(job.tables)}" if job.tables else "made of values"
    settings = job.made.settings
    mode, interval = (settings and settings.find(name) for name in ("refresh.mode", "refresh.interval"))
    if not job.tables or (mode is not None and mode.value == "none"):
        return f"{made}: computed once"
    often = f", {show(interval.value)} after the last time at the soonest" if interval is not None else ""
    return f"{made}: computed anew when one of them has changed{often}"
