"""Jobs: what they do, how far they are, and what holds them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field

from velostream.config.secrets import masked
from velostream.observability.inside import held_back, watermark_behind
from velostream.server.models.base import Model, Moment, moment_if


class JobView(Model):
    """A job in the figures that people look at."""

    name: str
    app: str
    version: str
    state: str
    reason: str
    kind: str
    stateful: bool
    read: int
    rate: float = Field(description="records a second, of late")
    rows_out: int
    open_records: int
    open_windows: int
    late_events: int
    dead_lettered: int
    state_bytes: int
    watermark: str | None
    watermark_lag_seconds: float | None = Field(description="how far it is behind the newest event")
    held_back_by: list[str] = Field(description="the partitions that hold the watermark back, as source/partition")
    held_back_seconds: float | None = Field(description="how far these are behind the newest event of all partitions")
    held_by_silence: bool = Field(description="true where these have delivered nothing, while others have")
    batch: int
    batch_seconds: float | None = Field(description="how long the micro-batch has run that is not over yet")
    seconds: float
    updated: Moment | None


def view_fields(
    job: Mapping[str, Any], *, app: str, version: str = "", reason: str = "", rate: float = 0.0, at: float | None = None
) -> dict[str, Any]:
    """The fields of a view, from what a job says of itself (`observability.snapshot`)."""
    records, windows = job.get("records", {}), job.get("windows", {})
    emitted = sum(job.get("emitted", {}).values())
    behind, silent = held_back(job)
    return {
        "name": job["name"],
        "app": app,
        "version": version,
        "state": job["state"],
        "reason": masked("", str(job.get("error", "") or reason)),
        "kind": job["kind"],
        "stateful": job["stateful"],
        "read": records.get("read", 0),
        "rate": rate,
        "rows_out": emitted if job["stateful"] else records.get("in_results", 0),
        "open_records": records.get("open", 0),
        "open_windows": windows.get("open_windows", 0),
        "late_events": windows.get("late_events_total", 0),
        "dead_lettered": sum(records.get("dead_lettered", {}).values()),
        "state_bytes": windows.get("state_bytes", 0),
        "watermark": job.get("watermark"),
        "watermark_lag_seconds": watermark_behind(job),
        "held_back_by": job.get("held_back_by", []),
        "held_back_seconds": behind,
        "held_by_silence": silent,
        "batch": job.get("batch", -1),
        "batch_seconds": job.get("timing", {}).get("running_seconds") if job["state"] == "running" else None,
        "seconds": job.get("seconds", 0.0),
        "updated": moment_if(at),
    }


class EndPoint(Model):
    """A source or a sink."""

    name: str
    type: str
    address: str


class JobDetail(JobView):
    """All about a job: its accounts, which add up, and its window metrics (SPEC B9)."""

    line: int
    mode: str
    sources: list[EndPoint]
    sinks: list[EndPoint]
    tables: list[str]
    makes: str | None = Field(description="the table that it makes")
    definitions: list[str]
    records: dict[str, Any] = Field(description="every record in one class: read + expanded + replayed = all others")
    emitted: dict[str, int]
    windows: dict[str, Any]
    joins: dict[str, dict[str, int]]
    progress: dict[str, Any] | None = Field(description="what Spark says of the last micro-batch")
    hint: str


class PartitionView(Model):
    """One partition of one source."""

    source: str
    partition: str
    max_event_time: str | None
    lag_ms: float | None
    idle: bool
    holds_watermark: bool


class Partitions(Model):
    """All partitions of a job, those that hold the watermark back first."""

    job: str
    app: str
    watermark: str | None
    held_back_by: list[str]
    partitions: list[PartitionView]


class Histogram(Model):
    """How many values are up to each bound, and one more count for all above."""

    bounds: list[float]
    counts: list[int]
    count: int
    sum: float


class Emission(Model):
    """One time that a window was written."""

    emission: str = Field(examples=["early", "final", "late", "change", "retract"])
    revision: int | None
    at: str
    batch: int | None = Field(description="null where only the cold tier still knows of it")


class WindowView(Model):
    """A window of a key, with all that was written of it; one that was put away as it closed has its values too."""

    key: str
    window_start: str
    window_end: str
    emissions: list[Emission]
    values: dict[str, Any] | None = Field(description="its row as it stands; null where none was put away")


class Windows(Model):
    """The windows of a job: how many are open, how late records come, and what was written."""

    job: str
    app: str
    watermark: str | None
    open_windows: int
    windows_held_by_lateness: int
    windows_created_total: int
    windows_completed_total: int
    late_events_total: int
    dropped_after_lateness: int
    state_bytes: int
    lateness_seconds: Histogram = Field(description="how late the late records came: what another lateness would do")
    window_event_count: Histogram
    types: dict[str, str] = Field(description="the columns of `values`; empty where no closed windows are put away")
    closed_since: str | None = Field(
        description="where there are very many closed windows: older ones were not looked at; `to` leads to them"
    )
    items: list[WindowView]
    total: int
    offset: int
    limit: int


class LogLine(Model):
    """A line of a log; some have more fields, such as job, batch or trace."""

    model_config = ConfigDict(extra="allow")

    at: str | None
    level: str
    message: str


class Logs(Model):
    """The newest lines of a job's log, oldest first."""

    app: str
    version: str
    lines: list[LogLine]
    output: list[str] = Field(description="what its process printed beside the log")


class PlanView(Model):
    """How a job runs: as text, and as the tree of `velo explain --format json`."""

    job: str
    app: str
    version: str
    text: str
    plan: dict[str, Any]


class MetricSample(Model):
    """One value of a metric; of a histogram the sum, and how many values it is of."""

    labels: dict[str, str]
    value: float
    count: int | None


class MetricView(Model):
    """A metric of the engine, and what it tells."""

    name: str
    kind: str
    help: str
    samples: list[MetricSample]


class MetricGroup(Model):
    """Metrics that are about the same thing."""

    group: str = Field(description="records, windows, watermarks, state, joins, tables, sinks, batches, jobs, metrics")
    metrics: list[MetricView]


class JobMetrics(Model):
    """The metrics of a job as data."""

    job: str
    app: str
    version: str
    engine: dict[str, Any] = Field(description="the figures of the engine, as the job's driver reports them")
    groups: list[MetricGroup] = Field(description="the metrics of the engine by what they are about")
    user: list[dict[str, Any]] = Field(description="those of @metric")


class VerbAnswer(Model):
    """What became of a verb: the state that the job or application is in now."""

    app: str
    job: str = Field(description="empty where all jobs of the application were meant")
    version: str
    verb: str
    state: str
    jobs: list[JobView]


class StopRequest(Model):
    """How to stop."""

    force: bool = Field(False, description="do not wait for the end of the running batch")


class RollbackRequest(Model):
    """Where to go back to."""

    version: str = Field("", max_length=100, description="without one: the version before this one")
