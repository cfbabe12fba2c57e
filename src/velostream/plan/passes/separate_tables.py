"""Tables made of other tables alone are set apart from the jobs: no stream drives them, so no query runs for them."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.job import ApplicationPlan, Job


def separate_tables(plan: ApplicationPlan) -> ApplicationPlan:
    """The plan with such tables in `derived`, in an order in which each comes after those that it reads."""
    apart = {job.name: job for job in plan.jobs if is_derived(job)}
    if not apart:
        return plan
    makers = {job.made.table: job for job in apart.values()}
    ordered = tuple(makers[name] for names in plan.table_order for name in names if name in makers)
    return replace(plan, jobs=tuple(job for job in plan.jobs if job.name not in apart), derived=ordered)


def is_derived(job: Job) -> bool:
    """True for a statement that makes a table and reads no stream."""
    return job.kind == "table" and job.root.static
