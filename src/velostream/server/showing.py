"""What SHOW and DESCRIBE answer: of running jobs what their drivers say, else what applications declare."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.server.api.answers import job_views, version_views
from velostream.server.control import Control, Meant
from velostream.server.planning import checked
from velostream.sql import statements as tree
from velostream.sql.parse import ended

Answer = tuple[list[str], list[list[Any]]]
"""Columns and rows."""


def answered(control: Control, node: tree.Show | tree.Describe, text: str, declared: str, app: str) -> Answer:
    """The answer to a statement; `declared` is what stands before it, `app` the application that was named."""
    running = None if isinstance(node, tree.Describe) else _RUNNING.get(str(node.this))
    if running is not None:
        target, like = node.args.get("target"), node.args.get("like")
        columns, rows = running(control, target.name if target is not None else "")
        return columns, rows if like is None else _liked(rows, like.name)
    if app:
        return _listed(control, node, ended(control.app(app).deployment.sql) + declared + text)
    if declared or not control.apps:
        return _listed(control, node, declared + text)
    if len(control.apps) == 1:
        return _listed(control, node, ended(control.apps[0].deployment.sql) + text)
    return _of_all(control, node, text)


def _listed(control: Control, node: tree.Show | tree.Describe, text: str) -> Answer:
    """What a text declares."""
    from velostream.validation.showing import shown

    answer = checked(text, "sql", control.folders.files)
    listing = shown(node, answer.bound, answer.library)
    assert listing is not None
    return list(listing.columns), [list(row) for row in listing.rows]


def _of_all(control: Control, node: tree.Show | tree.Describe, text: str) -> Answer:
    """What all applications declare, each row with its application; a name must be that of one of them."""
    columns: list[str] = []
    rows: list[list[Any]] = []
    if not isinstance(node, tree.Describe) and str(node.this) == "FUNCTIONS":
        return _listed(control, node, text)
    missing: list[VeloError] = []
    for one in control.apps:
        try:
            columns, found = _listed(control, node, ended(one.deployment.sql) + text)
        except VeloError as error:
            if error.error_code != "unknown-stream":
                raise
            missing.append(error)
        else:
            rows += [[*row, one.deployment.app] for row in found]
    if len(missing) == len(control.apps):
        hint = "SHOW STREAMS and SHOW TABLES list what applications have"
        raise VeloError(missing[0].message, hint=hint, code="unknown-stream")
    return [*columns, "app"], rows


def _jobs(control: Control, name: str) -> Answer:
    figures = ["app", "version", "state", "read", "rate", "rows_out", "watermark"]
    views = [job for one in control.apps for job in job_views(one)]
    if name:
        meant = control.find(name)
        views = job_views(meant.seen, meant.job)
    rows = [
        [
            job.name,
            *(getattr(job, each) for each in figures),
            ", ".join(job.held_back_by),
            job.dead_lettered,
            job.reason,
        ]
        for job in views
    ]
    return ["job", *figures, "held_back_by", "dead_lettered", "reason"], rows


def _metrics(control: Control, name: str) -> Answer:
    from velostream.observability.exposition import Families
    from velostream.server.figures import snapshots_of

    seen = [control.find(name)] if name else [Meant(one) for one in control.apps]
    taken = [each for one in seen for each in snapshots_of(one.seen) if not one.job or each["name"] == one.job]
    rows = [
        [sample.name, json.dumps(sample.labels), sample.value]
        for family in Families(taken).collect()
        for sample in family.samples
    ]
    return ["metric", "labels", "value"], rows


def _versions(control: Control, name: str) -> Answer:
    app = control.find(name).deployment.app
    columns = ["number", "version", "strategy", "state", "role", "share", "moving", "created"]
    shown = [each.model_dump(mode="json") for each in version_views(control, app)]
    return columns, [[each[column] for column in columns] for each in shown]


def _partitions(control: Control, name: str) -> Answer:
    """The partitions of a job or application, or those of a source in all jobs that read it."""
    columns = ["job", "partition", "max_event_time", "lag_ms", "idle", "holds_watermark"]
    try:
        meant = control.find(name)
    except VeloError as error:
        sources = {each["name"] for one in control.apps for job in one.planned for each in job["sources"]}
        spelled = {each.casefold(): each for each in sources}.get(name.casefold())
        if error.error_code != "unknown-job":
            raise
        if spelled is None:
            hint = did_you_mean(name, [*sources], "streams from outside") or error.hint
            raise VeloError(f"there is no job, application or source '{name}'", hint=hint, code="unknown-job") from None
        jobs = [job for one in control.apps for job in one.jobs]
        return columns, [row for row in _places(jobs) if str(row[1]).rpartition("/")[0] == spelled]
    return columns, _places(job for job in meant.seen.jobs if meant.job in ("", job["name"]))


def _places(jobs: Iterable[Any]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for job in jobs:
        for key, said in job.get("partitions", {}).items():
            holds = key in job.get("held_back_by", [])
            rows.append([job["name"], key, said["max_event_time"], said["lag_ms"], bool(said["idle"]), holds])
    return rows


def _liked(rows: list[list[Any]], pattern: str) -> list[list[Any]]:
    from velostream.validation.showing import like_pattern

    wanted = like_pattern(pattern)
    return [row for row in rows if wanted.fullmatch(str(row[0]))]


_RUNNING = {"JOBS": _jobs, "STATUS": _jobs, "METRICS": _metrics, "VERSIONS": _versions, "PARTITIONS": _partitions}
