"""SQL, validation, dead letters and lineage."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from velostream.server.models.base import Finding, Model


class SqlRequest(Model):
    """Statements to carry out one after another."""

    sql: str = Field(examples=["SHOW JOBS"])
    app: str = Field("", max_length=100, description="whose streams and tables DESCRIBE, SHOW and SELECT mean")


class SqlResult(Model):
    """What one statement answered."""

    statement: str
    columns: list[str]
    types: list[str] = Field(description="the SQL type of each column; decimals and times are texts in JSON")
    rows: list[list[Any]]
    total: int = Field(description="how many rows there are; more than are here where they are too many for an answer")
    message: str


class SqlAnswer(Model):
    """What all statements answered."""

    results: list[SqlResult]


class ValidateRequest(Model):
    """SQL to check."""

    sql: str
    name: str = Field("editor", max_length=100)


class ValidateAnswer(Model):
    """All findings at once, as `velo validate` has them."""

    ok: bool
    statements: int
    jobs: list[str]
    findings: list[Finding]


class Letter(Model):
    """A dead letter: the record, and why it is in no result; one of Kafka also has key, headers, topic and time."""

    model_config = ConfigDict(extra="allow")

    id: str
    app: str
    job: str
    batch: int
    written_at: str | None
    reason: str
    error: str | None
    source: str | None
    partition: int | str | None
    offset: int | str | None
    event_time: str | None
    watermark: str | None
    lateness_ms: int | None
    record: Any
    replayed_at: str | None = Field(description="when it was processed once more")
    table: bool = Field(default=False, description="true for a row that a table could not take: `job` is its name")


class Letters(Model):
    """Dead letters, newest first, and how many there are of each reason."""

    items: list[Letter]
    total: int
    offset: int
    limit: int
    reasons: dict[str, int]


class ReplayRequest(Model):
    """Dead letters to process once more."""

    app: str = Field(max_length=100)
    job: str = Field(max_length=200)
    ids: list[str] = Field(default_factory=list, max_length=10_000, description="which; without any, all that match")
    reason: str = Field("", max_length=100)
    source: str = Field("", max_length=200)
    text: str = Field("", max_length=200, description="what record or error has in it")
    all: bool = Field(False, description="all of the job, where nothing says which")
    late: str = Field("process_all", max_length=40, description="what becomes of those that are late")


class PassedOver(Model):
    """A letter that cannot be processed once more, and why."""

    id: str
    reason: str


class ReplayAnswer(Model):
    """What was handed back to the job."""

    app: str
    job: str
    replayed: int
    passed_over: list[PassedOver]


class LineageNode(Model):
    """A source, a job, a table or a sink, with its columns."""

    id: str
    kind: str
    name: str
    app: str
    place: str = Field(description="where it is outside: broker and topic, file, database and table; empty for others")
    columns: list[str]


class LineageEdge(Model):
    """A column that comes from another one. `how`: identity, expression, aggregate, filter, join, group, …"""

    source: str
    source_column: str
    target: str
    target_column: str = Field(description="empty where it decides about rows rather than being in a value")
    how: str


class LineageView(Model):
    """The graph of all columns."""

    nodes: list[LineageNode]
    edges: list[LineageEdge]


def finding_of(one: Any) -> Finding:
    """A finding of validation as it is answered."""
    span = one.span
    place = (
        {"line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}
        if span is not None
        else {}
    )
    return Finding(
        severity=one.severity.value, code=one.code, message=one.message, hint=one.hint, statement=one.statement, **place
    )
