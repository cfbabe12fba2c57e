"""Whether two versions can share the rows of a job: both must mean the same by a key or, without one, by where a record
stands."""

from __future__ import annotations

from collections.abc import Mapping

from velostream.errors import VeloError
from velostream.functions.base import Function
from velostream.jobs.ownership import key_of
from velostream.plan.canonical import CANONICAL
from velostream.plan.job import Job
from velostream.plan.lineage import LINEAGE
from velostream.plan.nodes import Deduplicate, Distinct
from velostream.plan.varying import varying_call

_USE = "deploy it with BLUE_GREEN or REPLACE"


def check_keys(before: Job, job: Job, functions: Mapping[str, Function]) -> None:
    """Refuses rows without a key, keys that are computed otherwise than before, and those that two versions compute
    differently of one record; `functions` are those of the user by name."""
    was, now = _meaning(before), _meaning(job)
    if not now or was != now:
        told = " → ".join(", ".join(each) or "none" for each in (was, now))
        message = f"the keys of job '{job.name}' cannot be shared between versions: {told}"
        raise VeloError(message, hint=_USE, code="strategy")
    called = varying_call(job.root, key_of(job), functions)
    if called:
        message = f"the key of job '{job.name}' is computed with {called}, which gives each version another value"
        raise VeloError(message, hint=_USE, code="strategy")


def check_share(before: Job, job: Job, functions: Mapping[str, Function]) -> None:
    """The same where there are no windows: the versions may read a record at different times, and rows without a key
    are shared by where their records stand. Which of equal records goes out each version decides for itself."""
    if any(isinstance(node, Deduplicate | Distinct) for node in job.root.walk()):
        message = (
            f"the rows of job '{job.name}' go out once for equal records: all of them can move, but no share of them"
        )
        raise VeloError(message, hint=_USE, code="strategy")
    if not key_of(before) and not key_of(job):
        _check_places(job)
        return
    check_keys(before, job, functions)
    origins = [origin for key in key_of(job) for origin in LINEAGE(job.root).columns.get(key, ())]
    made = [origin for origin in origins if origin.source in job.tables or origin.column == "_processing_time"]
    if made:
        message = (
            f"the key of job '{job.name}' comes from '{made[0].source}.{made[0].column}', which each version reads"
        )
        raise VeloError(f"{message} at another time", hint=_USE, code="strategy")


def _check_places(job: Job) -> None:
    """A database has no order that stays."""
    for scan in job.scans:
        if scan.connector == "database_source":
            message = f"the rows of job '{job.name}' have no key, and records of '{scan.source}' no place that stays"
            raise VeloError(message, hint=f"declare a PRIMARY KEY, or {_USE}", code="strategy")


def _meaning(job: Job) -> tuple[str, ...]:
    """What the key of a job is, in names of its sources, and of which types."""
    names, fields = CANONICAL(job.root), job.root.fields
    return tuple(f"{names.get(key, key)} {fields.of(key).type}" for key in key_of(job))
