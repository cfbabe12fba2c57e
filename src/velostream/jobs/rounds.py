"""The order of jobs in a run that ends: who reads back what another one wrote comes after that one has ended."""

from __future__ import annotations

from velostream.plan.job import ApplicationPlan, Job


def rounds(plan: ApplicationPlan) -> list[list[Job]]:
    """The jobs in rounds. Those of one run side by side, when those of the rounds before have ended.

    A job that asks a table is in no earlier round than the job that makes it.
    """
    makers = {table: maker.name for table, maker in plan.makers.items()}
    levels = {job.name: 0 for job in plan.statements}
    for _ in levels:  # each step settles one more job of the longest chain
        for job in plan.statements:
            after = [levels[name] + 1 for name in job.reads_back if name in levels]
            beside = [levels[makers[table]] for table in job.tables if table in makers]
            levels[job.name] = max((levels[job.name], *after, *beside))
    found: dict[int, list[Job]] = {}
    for job in plan.jobs:
        found.setdefault(levels[job.name], []).append(job)
    return [found[level] for level in sorted(found)]
