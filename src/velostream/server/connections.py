"""What applications read from and write to outside, and how calls to it go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.server.control import Control
from velostream.server.models.tables import Connection
from velostream.server.planning import address
from velostream.server.views import Seen


def connections(control: Control) -> Iterator[Connection]:
    """The sources and sinks of all jobs, and the tables that are loaded from outside."""
    for one in control.apps:
        for job in one.jobs:
            breakers = job.get("circuit_breakers", {})
            for role in ("source", "sink"):
                for each in job[f"{role}s"]:
                    told = {"app": one.deployment.app, "job": job["name"], "role": role, "state": job["state"], **each}
                    yield _connection(told, breakers.get(each["name"], {}), str(job.get("error") or ""))
        yield from _tables(control, one)


def _tables(control: Control, one: Seen) -> Iterator[Connection]:
    try:
        tables = control.plan_of(one.deployment).plan.tables
    except VeloError:  # what its SQL needs is gone since: its driver says so
        return
    said = {each["name"]: each for each in one.tables}
    for table in tables:
        about = said.get(table.name, {})
        told = {"app": one.deployment.app, "job": "", "role": "table", "name": table.name, "type": table.connector}
        told |= {"address": address(table.settings), "state": about.get("state", "waiting")}
        yield _connection(told, {}, str(about.get("error", "")))


def _connection(told: Mapping[str, Any], breaker: Mapping[str, Any], error: str) -> Connection:
    return Connection(
        **told,
        breaker=breaker.get("state"),
        calls=breaker.get("calls", 0),
        failures=breaker.get("failures", 0),
        suspended=breaker.get("suspended", 0),
        error=masked("", str(breaker.get("error") or error)),
    )
