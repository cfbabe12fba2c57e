"""Advice: rules that look at a job's accounts, history and plan, and say what to change; one function each.

`advise(plan, checkpoint, folder)` gives all of it, the most urgent first; `Advice.data()` is what the page shows.
"""

from __future__ import annotations

from pathlib import Path

from velostream.jobs.accounts import Accounts
from velostream.jobs.home import Home
from velostream.observability.advice import anomalies, columns, load, records
from velostream.observability.advice.base import KINDS, Advice, Case, Rule
from velostream.observability.history.reading import kept
from velostream.plan.job import ApplicationPlan

RULES: tuple[Rule, ...] = (
    records.late,
    records.dead_letters,
    records.joins,
    records.watermark,
    load.growing_state,
    load.slow_stages,
    load.skewed_keys,
    load.skewed_partitions,
    anomalies.anomalies,
    columns.unused,
)


def advise(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> list[Advice]:
    """What is to be said about the jobs of an application, running or stopped."""
    tables = {name: rows.to_pylist() for name, rows in kept(plan, checkpoint, folder, must=False).items()}
    found: list[Advice] = []
    for job in plan.jobs:
        history = {name: [row for row in rows if row["job"] == job.name] for name, rows in tables.items()}
        case = Case(plan, job, Accounts.load(Home(checkpoint / job.name).accounts), history)
        found += [advice for rule in RULES for advice in rule(case)]
    return sorted(found, key=lambda advice: KINDS.index(advice.kind))
