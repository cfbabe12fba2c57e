"""Whether two versions can share the rows of a job: both must mean the same by a key or, without one, by where a record
stands; and of a record that fails in one version only it must be known whose it is."""

from __future__ import annotations

from collections.abc import Mapping

from velostream.errors import VeloError
from velostream.functions.base import Function
from velostream.jobs.letter_owner import tells_key
from velostream.jobs.ownership import key_of
from velostream.plan.canonical import CANONICAL, canonical
from velostream.plan.expression import Expression
from velostream.plan.forms import form_of
from velostream.plan.job import Job
from velostream.plan.lineage import LINEAGE
from velostream.plan.nodes import Deduplicate, Distinct, Node
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
    _check_letters(before, job)


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


def _check_letters(before: Job, job: Job) -> None:
    """A record that fails in one version only is the letter of that one if it owns what the record would be in. That is
    known by its key, where it can be decoded; where it is not known, both versions must fail alike."""
    was, now = (
        {scan.source: ([(each.name, each.type) for each in scan.declared], scan.event_time) for scan in one.scans}
        for one in (before, job)
    )
    for source in was.keys() & now.keys():
        if was[source] != now[source]:
            message = f"source '{source}' of job '{job.name}' is declared otherwise: a record may fail"
            raise VeloError(f"{message} in one version only, and be nobody's letter", hint=_USE, code="strategy")
    if (tells_key(before) and tells_key(job)) or not job.stateful:
        return
    other = sorted(_may_fail(before) ^ _may_fail(job))
    if other:
        message = f"'{other[0]}' may fail in one version of job '{job.name}' only, and its rows do not tell whose"
        raise VeloError(f"{message} letter that would be", hint=_USE, code="strategy")


def _may_fail(job: Job) -> set[str]:
    """What may fail before the last node with state, in names of sources."""
    found: set[str] = set()
    for top in (node for node in job.root.walk() if node.keeps_state):
        for node in top.walk():
            names = {name: text for child in node.children for name, text in CANONICAL(child).items()}
            found |= {canonical(each, names) for each in node.expressions if not _never_fails(each, node)}
    return found


def _never_fails(expression: Expression, node: Node) -> bool:
    if expression.is_field:
        return True
    return len(node.children) == 1 and form_of(expression, node.children[0].fields) is not None


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
