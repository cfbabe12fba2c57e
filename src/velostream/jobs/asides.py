"""Statements of a file beside its jobs: what is shown before they run, and what a run cannot obey."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.sql import statements as sql
from velostream.validation.showing import Listing, shown

if TYPE_CHECKING:
    from velostream.plan.job import ApplicationPlan
    from velostream.positions import Span
    from velostream.sql.application import ParsedStatement
    from velostream.validation import Validated

_SERVER = "velo shell sends it to the job server"


def refuse_asides(answer: Validated) -> None:
    """Adds to the findings the statements that would be left out in silence."""
    for statement in answer.application.statements:
        error = _refusal(statement, answer)
        if error is not None:
            answer.findings.refuse(error, statement.span)
    if answer.ok:
        for error, span in _without_stream(answer):
            answer.findings.refuse(error, span)


def listings(answer: Validated) -> Iterator[Listing]:
    """The answers to SHOW, DESCRIBE and EXPLAIN, in the order of the file."""
    for statement in answer.application.statements:
        if isinstance(statement.tree, sql.Show | sql.Describe):
            listing = shown(statement.tree, answer.bound, answer.library)
            if listing is not None:
                yield listing
        elif isinstance(statement.tree, sql.Explain):
            yield _plan(statement, answer)


def runs_of(plan: ApplicationPlan) -> ApplicationPlan:
    """The plan without statements that are only to be explained."""
    return replace(plan, jobs=tuple(job for job in plan.jobs if job.kind != "explain"))


def _plan(statement: ParsedStatement, answer: Validated) -> Listing:
    from velostream.plan import plan
    from velostream.plan.explain import explain_job

    job = plan(answer.bound, answer.library).job(statement.name)
    lines = explain_job(job).splitlines() if job is not None else ()
    return Listing(("plan",), tuple((line,) for line in lines))


def _refusal(statement: ParsedStatement, answer: Validated) -> VeloError | None:
    tree = statement.tree
    said, hint = "", ""
    if isinstance(tree, sql.ControlJob | sql.RollbackJob):
        said, hint = "asks for a job that runs already", _SERVER
    elif isinstance(tree, sql.Show) and shown(tree, answer.bound, answer.library) is None:
        said, hint = "asks about jobs that run already", _SERVER
    elif isinstance(tree, sql.PrintTopic):
        said, hint = "belongs to velo shell", f"here write SELECT * FROM {tree.this.name}"
    elif isinstance(tree, sql.DropRelation) and tree.this.name.casefold() in _created(answer):
        said, hint = "names what this file itself creates", "remove it, and the statement that creates it"
    if not said:
        return None
    words = " ".join(statement.text.split()[:3]).rstrip(";")
    return VeloError(f"'{words}' has no effect on a run: it {said}", hint=hint, code="unsupported")


def _without_stream(answer: Validated) -> Iterator[tuple[VeloError, Span]]:
    """Statements that read tables or values only: they are questions, and no stream would ever start them as jobs."""
    from velostream.plan import plan

    places = {statement.name: statement.span for statement in answer.application.statements}
    for job in runs_of(plan(answer.bound, answer.library)).jobs:
        if not job.scans and job.name in places:
            tables = " and ".join(f"'{name}'" for name in job.tables)
            reads = f"reads {tables} and no stream" if tables else "reads no stream"
            hint = "velo query and velo shell ask tables; a job joins them with a stream"
            message = f"'{job.name}' {reads}, so that nothing would start it as a job"
            yield VeloError(message, hint=hint, code="unsupported"), places[job.name]


def _created(answer: Validated) -> set[str]:
    trees = (statement.tree for statement in answer.application.statements)
    return {tree.name.casefold() for tree in trees if isinstance(tree, sql.CreateRelation)}
