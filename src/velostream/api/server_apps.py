"""Applications on a server, and what became of a wish to deploy one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from velostream.api.jobs import Jobs, as_html, as_text
from velostream.api.server_jobs import ServerJob
from velostream.errors import VeloError
from velostream.server.client import quoted

if TYPE_CHECKING:
    from velostream.api.server import Server
    from velostream.cli.inputs import Input
    from velostream.server.models.apps import AppDetail

LOOK = 0.3
"""Seconds between two looks while somebody waits."""
_FAILED = "failed"


@dataclass(frozen=True, repr=False)
class ServerApp:
    """One application of a server, by its name."""

    name: str
    server: Server = field(compare=False)

    def detail(self) -> AppDetail:
        """All about it: state, jobs, versions, what happened to it."""
        from velostream.server.models.apps import AppDetail

        return AppDetail.model_validate(self.server.client.get(f"/api/v1/apps/{quoted(self.name)}"))

    @property
    def state(self) -> str:
        """In a word: starting, running, paused, stopping, stopped, restarting, failed or done."""
        return self.detail().state

    @property
    def jobs(self) -> Jobs[ServerJob]:
        """Its jobs."""
        return Jobs([ServerJob(f"{self.name}.{job}", self.server) for job in self.detail().jobs])

    def job(self, name: str) -> ServerJob:
        """One of its jobs."""
        return self.server.job(f"{self.name}.{name}")

    def wait(self, *states: str, seconds: float = 120.0) -> str:
        """Waits until it is in one of these states, by default running or done; one that fails instead is raised."""
        wanted, until = states or ("running", "done"), time.monotonic() + seconds
        while (now := self.detail()).state not in wanted:
            if now.state == _FAILED:
                message = f"'{self.name}' has failed: {now.reason}"
                raise VeloError(message, hint="its log says more: .jobs[0].logs()", code="job-state")
            if time.monotonic() > until:
                message = f"'{self.name}' is {now.state} after {seconds:g} seconds"
                raise VeloError(message, hint="wait longer, or see its log", code="job-state")
            time.sleep(LOOK)
        return now.state

    def pause(self) -> None:
        """Pauses all of its jobs after their running batches."""
        self.server.tell(self.name, "pause")

    def resume(self) -> None:
        """Lets all of its jobs go on."""
        self.server.tell(self.name, "resume")

    def restart(self) -> None:
        """Ends it cleanly and starts it again, also where it was stopped or has failed."""
        self.server.tell(self.name, "restart")

    def flush(self) -> None:
        """Writes what stands open in all of its jobs."""
        self.server.tell(self.name, "flush")

    def stop(self, *, force: bool = False) -> None:
        """Ends it after the running batches; with `force` at once."""
        self.server.tell(self.name, "stop", {"force": force})

    def rollback(self, version: str = "") -> None:
        """Goes back to the version before, or to one by its name."""
        self.server.tell(self.name, "rollback", {"version": version})

    def delete(self) -> None:
        """Stops it, and forgets it with its state, versions and log."""
        self.server.client.delete(f"/api/v1/apps/{quoted(self.name)}")

    def __repr__(self) -> str:
        now = self.detail()
        return f"{now.name} {now.version} is {now.state}\n{as_text(now.job_list)}"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        now = self.detail()
        head = f"<b>{escape(now.name)}</b> {escape(now.version)} is {now.state}"
        return head + as_html(now.job_list)


class Deployed:
    """What became of a wish to deploy; `app` is None where it was only asked whether it could be."""

    def __init__(self, said: Mapping[str, Any], app: ServerApp | None) -> None:
        from velostream.server.models.apps import DeployAnswer

        answer = DeployAnswer.model_validate(said)
        self.version = answer.version
        self.verdict = answer.verdict
        """Whether the state of the version before can be kept, and what has changed."""
        self.app = app

    @property
    def compatible(self) -> bool:
        """True where the state of the version before can be kept."""
        return self.verdict.compatible

    def __repr__(self) -> str:
        done = (
            f"version {self.version} of {self.app.name} is deployed" if self.app else "nothing was deployed: a dry run"
        )
        return f"{self.verdict.text}\n{done}"


def deployment_of(given: Input, name: str) -> dict[str, Any]:
    """An application as a server takes it; without a name it has that of its header."""
    from velostream.cli.deploy import name_of

    return {"name": name or name_of(given), "sql": given.text}
