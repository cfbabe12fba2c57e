"""Advice: rules that look at a job's accounts, history and plan, and say what to change; one function each.

`advise(plan, checkpoint, folder)` gives all of it, the most urgent first; `Advice.data()` is what the page shows.
"""

from __future__ import annotations

import time
from pathlib import Path

from velostream.jobs.accounts import Accounts
from velostream.jobs.home import Home
from velostream.observability.advice import anomalies, columns, load, records
from velostream.observability.advice.base import KINDS, Advice, Case, Rule
from velostream.observability.history.reading import moments
from velostream.observability.history.tables import JOBS, PARTITIONS, STAGES
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

LOOKED_AT = ((JOBS, 86_400.0), (PARTITIONS, 3_600.0), (STAGES, 3_600.0))
"""How many seconds of history are looked at: what explains a figure may be much, and is needed for the last hour."""


def advise(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> list[Advice]:
    """What is to be said about the jobs of an application, running or stopped."""
    now = time.time()
    tables = moments(plan, checkpoint, folder, [(table, now - seconds) for table, seconds in LOOKED_AT])
    found: list[Advice] = []
    for job in plan.jobs:
        history = {name: [row for row in rows if row["job"] == job.name] for name, rows in tables.items()}
        case = Case(plan, job, Accounts.load(Home(checkpoint / job.name).accounts), history)
        found += [advice for rule in RULES for advice in rule(case)]
    return sorted(found, key=lambda advice: KINDS.index(advice.kind))
