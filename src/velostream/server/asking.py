"""Questions about applications: what a statement would do, and what their tables hold."""

from __future__ import annotations

from typing import Any

from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.server.control import Control
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.planning import Refused, checked
from velostream.sql.application import ParsedStatement
from velostream.sql.parse import ended

PATIENCE = 60.0


def explained(control: Control, statement: ParsedStatement, before: str, app: str) -> list[str]:
    """The plan of a statement, in the words of `velo explain`."""
    from velostream.plan import plan
    from velostream.plan.explain import explain_job

    if not app and not before and len(control.apps) == 1:
        app = control.apps[0].deployment.app
    text = _of(control, app) + before + statement.text
    answer = checked(text, app or "sql", control.folders.files)
    if answer.findings.errors:
        first = answer.findings.errors[0]
        if first.code == "unknown-stream" and not app and control.apps:
            hint = "name the application that has it in 'app', or declare it before"
            raise Refused(first.message, answer.findings.ordered(), hint=hint, code=first.code)
        raise Refused(first.message, answer.findings.ordered(), hint=first.hint, code=first.code)
    planned = plan(answer.bound, answer.library)
    jobs = [job for job in planned.jobs if job.kind == "explain"]
    return [masked("", line) for job in jobs for line in explain_job(job).splitlines()]


def _of(control: Control, app: str) -> str:
    return ended(control.app(app).deployment.sql) if app else ""


def asked(control: Control, query: str, app: str) -> dict[str, Any]:
    """What a SELECT from tables answers, as `columns`, `types`, `rows` and `total`: the driver of the application,
    which has Spark at hand, answers."""
    if not app:
        if len(control.apps) != 1:
            raise VeloError("whose tables?", hint="name the application in 'app'", code="usage")
        app = control.apps[0].deployment.app
    seen = control.app(app)
    if not seen.alive or seen.process is None or seen.state not in ("running", "paused"):
        hint = f"velo restart {app} starts it; velo query asks the tables of one that does not run"
        raise VeloError(f"'{app}' is {seen.state}: nobody is there to answer", hint=hint, code="job-state")
    folder = control.folders.driver(seen.deployment.app, seen.deployment.number)
    command = commands.send(folder, Command(commands.QUERY, (), {"sql": query}))
    process = seen.process
    said = commands.outcome(folder, command, PATIENCE, lambda: process.alive)
    if said is None:
        raise VeloError(f"'{app}' did not answer in time", hint="ask again", code="job-state")
    return said
