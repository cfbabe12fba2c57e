"""Tables, their progress while they load, and connections to what is outside."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from velostream.server.models.base import Model

TableState = Literal["waiting", "loading", "ready", "refreshing", "failed", "stopped"]
"""`stopped` is a table whose application was stopped, or is done: its rows are those of that moment."""


class TableView(Model):
    """A table of an application."""

    name: str
    app: str
    state: TableState
    rows: int
    read: int
    bytes: int
    total_bytes: int
    percent: float | None
    rate: float = Field(description="records a second while it loads")
    eta_seconds: float | None
    loaded_seconds: float
    refreshes: int
    dead_lettered: int
    error: str


class ProgressSummary(Model):
    """All tables in a few numbers."""

    tables: int
    ready: int
    loading: int
    waiting: int
    failed: int
    stopped: int
    rows: int
    percent: float | None


class ProgressView(Model):
    """How far all tables are."""

    summary: ProgressSummary
    tables: list[TableView]


class TablesHealth(Model):
    """Whether all tables are there."""

    ready: bool = Field(description="whether all are ready, apart from those of applications that are stopped or done")
    summary: ProgressSummary
    tables: list[TableView]


class WaitRequest(Model):
    """How long to wait for a table."""

    timeout_seconds: float = Field(60.0, ge=0, le=300)


class Row(Model):
    """A row of a table, from its newest complete version."""

    table: str
    app: str
    version: int = Field(description="the version of the table")
    key: dict[str, Any]
    row: dict[str, Any]
    types: dict[str, str] = Field(description="the SQL type of each column; decimals and times are texts in JSON")


class Connection(Model):
    """A source, a sink or a table from outside, and how calls to it go."""

    app: str
    job: str
    role: Literal["source", "sink", "table"]
    name: str
    type: str
    address: str
    state: str = Field(description="that of the job that uses it, or of the table")
    breaker: str | None = Field(description="of its circuit breaker: closed, open or half_open; none where it has none")
    calls: int
    failures: int
    suspended: int = Field(description="calls that were not made, since most of those before had failed")
    error: str


class Live(Model):
    """The control plane answers."""

    status: Literal["live"] = "live"


class Ready(Model):
    """Whether the control plane and what should run are there."""

    ready: bool
    apps: dict[str, str] = Field(description="the state of each application")
