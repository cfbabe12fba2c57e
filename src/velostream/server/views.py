"""Deployments as people see them: what the registry wants, what the driver says, and what that comes to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from velostream.server.driver.status import read_status
from velostream.server.folders import DriverFolder
from velostream.server.process import Process
from velostream.server.registry.deployment import RUNNING, STOPPED, Deployment

LIVE_STATES = ("starting", "running", "paused", "stopping")


@dataclass(frozen=True)
class Seen:
    """A deployment at one moment."""

    deployment: Deployment
    process: Process | None = None
    alive: bool = False
    status: Mapping[str, Any] = field(default_factory=dict)
    """What its driver said last; while a new one has said nothing yet, the figures of the one before."""
    planned: tuple[Mapping[str, Any], ...] = ()
    """What its SQL says of its jobs."""

    def of(self, deployment: Deployment) -> Seen:
        """The same, with the deployment as it is kept now."""
        return replace(self, deployment=deployment)

    @property
    def state(self) -> str:
        """One word: starting, running, paused, stopping, stopped, restarting, failed or done."""
        one = self.deployment
        if one.ending:
            return one.ending
        if not self.alive:
            if one.wanted == STOPPED:
                return "stopped"
            return "restarting" if one.restarts else "starting"
        if one.wanted != RUNNING:
            return "stopping"
        said = str(self.status.get("state", "starting"))
        states = {job["state"] for job in self.jobs}
        if said == "running" and states and states <= {"paused", "stopped"} and "paused" in states:
            return "paused"
        return said if said in LIVE_STATES else "starting"

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """The jobs as planned, with what the driver reports of them; `reported` is that alone."""
        reported = {job["name"]: job for job in self.status.get("jobs", ())}
        found = []
        for plan in self.planned:
            report = reported.get(plan["name"])
            state = self._job_state(report)
            found.append({**(report or {}), **plan, "state": state, "reported": report})
        return found

    def _job_state(self, report: Mapping[str, Any] | None) -> str:
        one = self.deployment
        said = str(report["state"]) if report is not None else "starting"
        if said in ("done", "failed"):
            return said
        if one.ending:
            return one.ending
        if not self.alive:
            return "stopped" if one.wanted == STOPPED else ("restarting" if one.restarts else "starting")
        return "starting" if said == "created" else said

    @property
    def hint(self) -> str:
        """What to do about a driver that has failed, in its own last words."""
        return str((self.status.get("error") or {}).get("hint", "")) if self.deployment.reason else ""

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The tables, as the driver reports them; where none runs nobody keeps them up, whatever the last one said."""
        told = [dict(table) for table in self.status.get("tables", ())]
        return told if self.alive else [self._at_rest(table) for table in told]

    def _at_rest(self, table: dict[str, Any]) -> dict[str, Any]:
        still = {"rate": 0.0, "eta_seconds": None}
        if self.state == "failed":
            error = table.get("error") or f"its application has failed: {self.deployment.reason}"
            return {**table, **still, "state": "failed", "error": error}
        return {**table, **still, "state": "waiting" if self.state in ("starting", "restarting") else "stopped"}


def seen(deployment: Deployment, folder: DriverFolder, planned: tuple[Mapping[str, Any], ...]) -> Seen:
    """How a deployment is now."""
    process = known_process(folder)
    alive = process is not None and process.alive
    status = read_status(folder) or {}
    if process is not None and status.get("mark") != process.mark:
        before = [{**job, "state": "created", "rate": 0.0} for job in status.get("jobs", ())]
        tables = [{**table, "state": "waiting", "rate": 0.0, "eta_seconds": None} for table in status.get("tables", ())]
        status = {"jobs": before, "tables": tables}
    return Seen(deployment, process, alive, status, planned)


def known_process(folder: DriverFolder) -> Process | None:
    """The process that was started last for a deployment."""
    try:
        said = json.loads(folder.process.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return Process(int(said["pid"]), str(said["mark"]))
