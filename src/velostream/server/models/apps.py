"""Applications and their versions."""

from __future__ import annotations

from pydantic import Field

from velostream.server.models.base import Finding, Model, Moment
from velostream.server.models.jobs import JobView, LogLine

_STATES = "starting, running, paused, stopping, stopped, restarting, failed or done"


class DeployRequest(Model):
    """A version to deploy."""

    name: str = Field(max_length=100, examples=["trading"])
    sql: str = Field(examples=["CREATE STREAM …"])
    version: str = Field("", max_length=100, description="without one: that of the file's header, else the next number")
    strategy: str = Field("REPLACE", max_length=20, examples=["REPLACE", "BLUE_GREEN", "CANARY(10)", "ROLLING"])
    fresh: bool = Field(False, description="begin without the state of the version before")
    savepoint: str = Field("", max_length=100, description="begin with the state of this savepoint of the application")
    dry_run: bool = Field(False, description="only say whether the state can be kept")


class ChangeView(Model):
    """One thing that differs between two versions as far as state is concerned."""

    job: str
    place: str
    text: str
    compatible: bool


class VerdictView(Model):
    """Whether a version can go on with the state of the one before."""

    compatible: bool
    first: bool = Field(description="true where no version runs yet")
    changes: list[ChangeView]
    text: str


class VersionView(Model):
    """One deployment of an application."""

    number: int
    version: str
    strategy: str
    state: str = Field(description=_STATES)
    role: str = Field(description="active, beside or retired")
    share: int = Field(description="of a hundred keys, how many it writes the results of")
    moving: str = Field(
        description="how far its keys are: copying, warming, switching, moving, settled, draining; or ''"
    )
    created: Moment
    keeps_state_of: int | None = Field(description="the number of the deployment whose state it went on with")


class AppView(Model):
    """An application in a few words."""

    name: str
    version: str
    number: int
    state: str = Field(description=_STATES)
    reason: str = Field(description="why it failed, or is being restarted")
    strategy: str
    created: Moment
    started: Moment | None
    restarts: int
    jobs: list[str]
    pid: int | None


class Happening(Model):
    """Something that was done with an application, or happened to it."""

    at: Moment
    number: int
    what: str
    detail: str


class AppDetail(AppView):
    """All about an application. Secrets in its SQL are masked."""

    hint: str = Field(description="what to do about the reason")
    sql: str
    job_list: list[JobView]
    versions: list[VersionView]
    happenings: list[Happening]
    log: list[LogLine] = Field(description="the last lines of the log, where it has failed or is being restarted")


class DeployAnswer(Model):
    """What became of a wish to deploy."""

    app: str
    version: str
    number: int | None = Field(description="none where nothing was deployed")
    deployed: bool
    verdict: VerdictView
    findings: list[Finding]


class SavepointRequest(Model):
    """What a savepoint is to be called."""

    name: str = Field(max_length=100, examples=["before-the-upgrade"])


class SavepointView(Model):
    """The state of all jobs of an application, kept as it was."""

    name: str
    app: str
    version: str
    number: int = Field(description="the deployment that it was taken of")
    created: Moment
    jobs: list[str]
