"""What the control plane knows, in the shapes of the REST interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from velostream.config.secrets import masked
from velostream.server.control import Control, Meant
from velostream.server.driver.logs import last_lines
from velostream.server.masking import masked_sql
from velostream.server.models.apps import (
    AppDetail,
    AppView,
    ChangeView,
    Happening,
    SavepointView,
    VerdictView,
    VersionView,
)
from velostream.server.models.base import moment, moment_if
from velostream.server.models.jobs import JobDetail, JobView, LogLine, VerbAnswer, view_fields
from velostream.server.registry.deployment import Deployment
from velostream.server.savepoints import Savepoint
from velostream.server.verdict import Verdict
from velostream.server.views import Seen

LAST_LINES = 20


def app_view(one: Seen) -> AppView:
    """An application in a few words."""
    return AppView(**_app(one))


def _app(one: Seen) -> dict[str, Any]:
    deployment = one.deployment
    return {
        "name": deployment.app,
        "version": deployment.version,
        "number": deployment.number,
        "state": one.state,
        "reason": masked("", deployment.reason),
        "strategy": deployment.strategy,
        "created": moment(deployment.created),
        "started": moment_if(one.status.get("started")) if one.alive else None,
        "restarts": deployment.restarts,
        "jobs": [job["name"] for job in one.planned],
        "pid": one.process.pid if one.alive and one.process is not None else None,
    }


def app_detail(control: Control, one: Seen) -> AppDetail:
    """All about an application."""
    deployment = one.deployment
    troubled = one.state in ("failed", "restarting")
    folder = control.folders.driver(deployment.app, deployment.number)
    lines = last_lines(folder.log, LAST_LINES) if troubled else []
    return AppDetail(
        **_app(one),
        hint=masked("", one.hint),
        sql=masked_sql(deployment.sql),
        job_list=job_views(one),
        versions=version_views(control, deployment.app),
        happenings=[
            Happening(**{**each, "at": moment(each["at"]), "detail": masked("", each["detail"])})
            for each in control.registry.happenings(deployment.app)[:200]
        ],
        log=[LogLine(**line) for line in lines],
    )


def version_views(control: Control, app: str) -> list[VersionView]:
    """The deployments of an application, newest first."""
    known = control.supervisor.seen
    found: list[VersionView] = []
    deployments = control.registry.deployments(app)
    for one in reversed(deployments):
        seen = known.get((one.app, one.number)) or Seen(one)
        found.append(_version(one, seen, deployments))
    return found


def _version(one: Deployment, seen: Seen, all_of: Iterable[Deployment]) -> VersionView:
    earlier = [other.number for other in all_of if other.state == one.state and other.number < one.number]
    said = {name: getattr(one, name) for name in ("number", "version", "strategy", "role", "share")}
    before = max(earlier, default=None)
    moving = str(one.move.get("phase", ""))
    return VersionView(**said, state=seen.state, moving=moving, created=moment(one.created), keeps_state_of=before)


def job_views(one: Seen, only: str = "") -> list[JobView]:
    """The jobs of an application."""
    return [JobView(**_job(one, job)) for job in one.jobs if not only or job["name"] == only]


def job_detail(meant: Meant, job: Mapping[str, Any]) -> JobDetail:
    """All about a job."""
    seen = meant.seen
    return JobDetail(
        **_job(seen, job),
        line=job["line"],
        mode=job["mode"],
        sources=job["sources"],
        sinks=job["sinks"],
        tables=job["tables"],
        makes=job["makes"],
        definitions=job["definitions"],
        records=job.get("records", {}),
        emitted=job.get("emitted", {}),
        windows=job.get("windows", {}),
        joins=job.get("joins", {}),
        progress=job.get("progress"),
        hint=masked("", str(job.get("hint", "") or seen.hint)),
    )


def _job(one: Seen, job: Mapping[str, Any]) -> dict[str, Any]:
    deployment = one.deployment
    return view_fields(
        job,
        app=deployment.app,
        version=deployment.version,
        reason=deployment.reason,
        rate=job.get("rate", 0.0) if one.alive else 0.0,
        at=one.status.get("at"),
    )


def verb_answer(meant: Meant, verb: str) -> VerbAnswer:
    """What became of a verb."""
    jobs = job_views(meant.seen, meant.job)
    state = meant.seen.state if meant.is_whole or not jobs else jobs[0].state
    deployment = meant.deployment
    return VerbAnswer(app=deployment.app, job=meant.job, version=deployment.version, verb=verb, state=state, jobs=jobs)


def savepoint_view(one: Savepoint) -> SavepointView:
    """A savepoint."""
    said = {name: getattr(one, name) for name in ("name", "app", "version", "number")}
    return SavepointView(**said, created=moment(one.created), jobs=list(one.jobs))


def verdict_view(verdict: Verdict) -> VerdictView:
    """A verdict."""
    changes = [
        ChangeView(job=each.job, place=each.place, text=each.text, compatible=each.compatible)
        for each in verdict.changes
    ]
    return VerdictView(compatible=verdict.compatible, first=verdict.first, changes=changes, text=str(verdict))
