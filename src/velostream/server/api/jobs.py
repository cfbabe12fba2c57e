"""`/api/v1/jobs`: jobs, the verbs, and everything that can be seen of a job. NAME is a job, `app.job` or an app."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.jobs.closed_rows import Wanted, in_utc
from velostream.observability.grouped import grouped
from velostream.server.api.answers import job_detail, job_views, savepoint_view, verb_answer, version_views
from velostream.server.api.inside import Inside, Limit, Offset, Patience
from velostream.server.api.problems import documented
from velostream.server.control import Control, Meant
from velostream.server.driver.logs import last_lines, last_words
from velostream.server.figures import snapshots_of
from velostream.server.models.apps import SavepointRequest, SavepointView, VersionView
from velostream.server.models.base import Page, page
from velostream.server.models.jobs import (
    JobDetail,
    JobMetrics,
    JobView,
    LogLine,
    Logs,
    MetricGroup,
    Partitions,
    PartitionView,
    PlanView,
    RollbackRequest,
    StopRequest,
    VerbAnswer,
    Windows,
)
from velostream.server.returning import rollback
from velostream.server.savepoints import take
from velostream.server.windows import Asked, windows_of

ROUTES = APIRouter(prefix="/api/v1/jobs", tags=["jobs"], responses=documented(404, 409))


@ROUTES.get("")
def jobs(plane: Inside, limit: Limit = 100, offset: Offset = 0) -> Page[JobView]:
    """All jobs of all applications."""
    found = [job for one in plane.control.apps for job in job_views(one)]
    return page(sorted(found, key=lambda job: (job.app, job.name)), offset, limit)


@ROUTES.get("/{name}")
def job(name: str, plane: Inside) -> JobDetail:
    """All about a job."""
    return job_detail(*_only(plane.control, name))


def _only(control: Control, name: str) -> tuple[Meant, Mapping[str, Any]]:
    """The one job that a name means."""
    meant = control.find(name)
    if not meant.job:
        names = ", ".join(f"'{each['name']}'" for each in meant.seen.planned)
        message = f"application '{name}' has several jobs"
        raise VeloError(message, hint=f"name one: {names}" if names else "it has none", code="ambiguous-job")
    return meant, next(each for each in meant.seen.jobs if each["name"] == meant.job)


@ROUTES.post("/{name}/stop")
def stop(name: str, plane: Inside, asked: StopRequest | None = None, patience: Patience = 30.0) -> VerbAnswer:
    """Ends jobs after the running batch; with `force` at once. `restart` starts them again."""
    force = asked is not None and asked.force
    return verb_answer(plane.control.stop(name, force=force, patience=patience), "stop")


@ROUTES.post("/{name}/pause")
def pause(name: str, plane: Inside, patience: Patience = 30.0) -> VerbAnswer:
    """Ends queries after the running batch; process and checkpoint stay."""
    return verb_answer(plane.control.pause(name, patience=patience), "pause")


@ROUTES.post("/{name}/resume")
def resume(name: str, plane: Inside, patience: Patience = 30.0) -> VerbAnswer:
    """Lets paused jobs go on."""
    return verb_answer(plane.control.resume(name, patience=patience), "resume")


@ROUTES.post("/{name}/restart")
def restart(name: str, plane: Inside, patience: Patience = 30.0) -> VerbAnswer:
    """Ends jobs cleanly and starts them again; also those that were stopped or have failed."""
    return verb_answer(plane.control.restart(name, patience=patience), "restart")


@ROUTES.post("/{name}/flush")
def flush(name: str, plane: Inside, patience: Patience = 30.0) -> VerbAnswer:
    """Writes what stands open, as it stands. No state is lost: later records correct it."""
    return verb_answer(plane.control.flush(name, patience=patience), "flush")


@ROUTES.post("/{name}/rollback")
def rollback_job(name: str, plane: Inside, asked: RollbackRequest | None = None) -> VerbAnswer:
    """Goes back to the version before, or to the one that is named."""
    new = rollback(plane.control, name, "" if asked is None else asked.version)
    return verb_answer(plane.control.find(new.app), "rollback")


@ROUTES.post("/{name}/savepoint", status_code=201)
def savepoint(name: str, asked: SavepointRequest, plane: Inside) -> SavepointView:
    """Keeps the state of the application that a job belongs to under a name: `savepoint` of a deployment begins with
    it. All of its jobs rest meanwhile, at the end of their batches."""
    return savepoint_view(take(plane.control, name, asked.name))


@ROUTES.get("/{name}/logs")
def logs(name: str, plane: Inside, lines: Annotated[int, Query(ge=1, le=10_000)] = 200) -> Logs:
    """The newest lines of the log of a job's driver."""
    meant = plane.control.find(name)
    deployment = meant.deployment
    folder = plane.folders.driver(deployment.app, deployment.number)
    found = [LogLine(**line) for line in last_lines(folder.log, lines)]
    if meant.job and not meant.is_whole:
        found = [line for line in found if (line.model_extra or {}).get("job", meant.job) == meant.job]
    return Logs(app=deployment.app, version=deployment.version, lines=found, output=last_words(folder.output, lines))


@ROUTES.get("/{name}/plan")
def plan(name: str, plane: Inside) -> PlanView:
    """How a job runs."""
    from velostream.plan.explain import explain_job
    from velostream.plan.explain.data import job_data

    meant, _ = _only(plane.control, name)
    planned = plane.control.plan_of(meant.deployment).plan.job(meant.job)
    assert planned is not None
    deployment = meant.deployment
    data = _masked(job_data(planned))
    return PlanView(
        job=meant.job,
        app=deployment.app,
        version=deployment.version,
        text=masked("", explain_job(planned)),
        plan=data,
    )


def _masked(data: Any, key: str = "") -> Any:
    """Plain data without secrets, and as JSON can have it."""
    if isinstance(data, Mapping):
        return {str(name): _masked(each, str(name)) for name, each in data.items()}
    if isinstance(data, list | tuple):
        return [_masked(each, key) for each in data]
    return masked(key, data) if isinstance(data, str) else data if isinstance(data, int | float) else _text(data)


def _text(value: Any) -> Any:
    return None if value is None else str(value)


@ROUTES.get("/{name}/partitions")
def partitions(name: str, plane: Inside) -> Partitions:
    """The partitions that a job reads; those that hold the watermark back come first."""
    meant, found = _only(plane.control, name)
    holding = found.get("held_back_by", [])
    shown = [_partition(key, said, holding) for key, said in found.get("partitions", {}).items()]
    shown.sort(key=lambda each: (not each.holds_watermark, each.idle, each.max_event_time or "", each.source))
    return Partitions(
        job=meant.job,
        app=meant.deployment.app,
        watermark=found.get("watermark"),
        held_back_by=holding,
        partitions=shown,
    )


def _partition(key: str, said: Mapping[str, Any], holding: list[str]) -> PartitionView:
    source, _, partition = key.rpartition("/")
    return PartitionView(
        source=source,
        partition=partition,
        max_event_time=said["max_event_time"],
        lag_ms=said["lag_ms"],
        idle=bool(said["idle"]),
        holds_watermark=key in holding,
    )


@ROUTES.get("/{name}/windows", responses=documented(502))
def windows(
    name: str,
    plane: Inside,
    key: Annotated[str, Query(max_length=1000, description="only windows of this key")] = "",
    begin: Annotated[
        datetime | None, Query(alias="from", description="only windows that begin at this or later")
    ] = None,
    end: Annotated[datetime | None, Query(alias="to", description="only windows that begin before this")] = None,
    closed: Annotated[bool, Query(description="false: only those of which something was written of late")] = True,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Windows:
    """Open windows, how late records come, and what was written of each window, newest first; with them the closed
    windows that the job has put away (`state.cold.backend`), with their values, whether it runs or not."""
    meant, found = _only(plane.control, name)
    wanted = Wanted(key, in_utc(begin), in_utc(end))
    return windows_of(plane.control, meant, found, Asked(wanted, limit, offset, closed=closed))


@ROUTES.get("/{name}/metrics")
def metrics(name: str, plane: Inside) -> JobMetrics:
    """The metrics of a job as data."""
    meant, found = _only(plane.control, name)
    deployment = meant.deployment
    tables = [table for table in meant.seen.tables if table["name"] in found["tables"]]
    taken = next((each for each in snapshots_of(meant.seen) if each["name"] == meant.job), {})
    engine = {key: value for key, value in taken.items() if key not in ("metrics", "app", "name")}
    return JobMetrics(
        job=meant.job,
        app=deployment.app,
        version=deployment.version,
        engine=engine,
        groups=[MetricGroup(**each) for each in grouped(taken, tables)],
        user=list(taken.get("metrics", [])),
    )


@ROUTES.get("/{name}/versions")
def versions(name: str, plane: Inside, limit: Limit = 100, offset: Offset = 0) -> Page[VersionView]:
    """The deployments of the application that a job belongs to, newest first."""
    app = plane.control.find(name).deployment.app
    return page(version_views(plane.control, app), offset, limit)
