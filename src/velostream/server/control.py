"""The verbs, each carried out in one place: REST, SQL and the command line all come here."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.registry import did_you_mean
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.folders import Folders
from velostream.server.planning import Planned, planned
from velostream.server.registry.deployment import ACTIVE, RESTARTING, RETIRED, RUNNING, STOPPED, Deployment
from velostream.server.registry.registry import Registry
from velostream.server.settings import ServerSettings
from velostream.server.supervisor import Supervisor
from velostream.server.views import Seen

PATIENCE = 30.0
"""Seconds that a verb is waited for by default."""
LOOK = 0.05
TRY_AGAIN = 30.0


@dataclass(frozen=True)
class Meant:
    """What a name means: a deployment, and all of its jobs or one of them."""

    seen: Seen
    job: str = ""

    @property
    def deployment(self) -> Deployment:
        """The deployment."""
        return self.seen.deployment

    @property
    def is_whole(self) -> bool:
        """True where all jobs of the application are meant."""
        return not self.job or len(self.seen.planned) == 1

    def __str__(self) -> str:
        return self.job or self.deployment.app


class Control:
    """What can be done with applications and their jobs."""

    def __init__(self, registry: Registry, folders: Folders, settings: ServerSettings) -> None:
        self.registry = registry
        self.folders = folders
        self.settings = settings
        self._plans: dict[tuple[str, int], Planned] = {}
        self._unplanned: dict[tuple[str, int], float] = {}
        """Deployments whose plan could not be made, and when that is tried again."""
        self.supervisor = Supervisor(registry, folders, settings, self._jobs_of)

    # what there is

    def plan_of(self, one: Deployment) -> Planned:
        """The plan of a deployment."""
        key = (one.app, one.number)
        if key not in self._plans:
            self._plans[key] = planned(one.sql, one.app, self.folders.files, self.folders.state(one.app, one.state))
        return self._plans[key]

    def _jobs_of(self, one: Deployment) -> tuple[Mapping[str, Any], ...]:
        if time.monotonic() < self._unplanned.get((one.app, one.number), 0.0):
            return ()
        try:
            return self.plan_of(one).jobs
        except VeloError:  # what it needs is gone since, such as a file of functions: its driver will say so
            self._unplanned[one.app, one.number] = time.monotonic() + TRY_AGAIN
            return ()

    @property
    def apps(self) -> list[Seen]:
        """The applications, each as its active deployment."""
        return [one for one in self.supervisor.seen.values() if one.deployment.role == ACTIVE]

    def beside(self, app: str) -> list[Seen]:
        """All deployments of an application that are not of the past, or not quite."""
        known = [one for one in self.supervisor.seen.values() if one.deployment.app == app]
        return [one for one in known if one.alive or one.deployment.role != RETIRED]

    def spelled(self, name: str) -> str:
        """The name of an application as it was deployed first: names that differ in case alone mean the same one."""
        known = {one.deployment.app.casefold(): one.deployment.app for one in self.apps}
        return known.get(name.casefold(), name)

    def app(self, name: str) -> Seen:
        """The application of that name."""
        found = {one.deployment.app.casefold(): one for one in self.apps}
        if name.casefold() not in found:
            names = [one.deployment.app for one in self.apps]
            hint = did_you_mean(name, names, "applications") or "deploy one: velo deploy FILE"
            raise VeloError(f"there is no application '{name}'", hint=hint, code="unknown-app")
        return found[name.casefold()]

    def find(self, name: str) -> Meant:
        """What a name means: an application, a job (`job` or `app.job`)."""
        wanted = name.casefold()
        jobs: list[Meant] = []
        for one in self.apps:
            app = one.deployment.app
            for job in one.planned:
                if wanted == f"{app}.{job['name']}".casefold():
                    return Meant(one, job["name"])
                if wanted == job["name"].casefold():
                    jobs.append(Meant(one, job["name"]))
            if wanted == app.casefold():
                only = one.planned[0]["name"] if len(one.planned) == 1 else ""
                return Meant(one, only)
        if len(jobs) == 1:
            return jobs[0]
        known = [*(one.deployment.app for one in self.apps), *(job["name"] for one in self.apps for job in one.planned)]
        if jobs:
            names = ", ".join(f"'{each.deployment.app}.{each.job}'" for each in jobs)
            hint = f"say which application: {names}"
            raise VeloError(f"several applications have a job '{name}'", hint=hint, code="ambiguous-job")
        hint = did_you_mean(name, known, "jobs") or "velo jobs lists those there are"
        raise VeloError(f"there is no job or application '{name}'", hint=hint, code="unknown-job")

    # verbs

    def stop(self, name: str, *, force: bool = False, patience: float = PATIENCE) -> Meant:
        """Ends jobs after the running batch; `force` does not wait for that."""
        meant = self.find(name)
        deployment = meant.deployment
        if not meant.is_whole and not force and deployment.wanted != STOPPED:
            self._tell(meant, commands.STOP, patience)
            return self._again(meant)
        if not meant.is_whole and force:
            hint = f"stop the whole application: STOP JOB {deployment.app} FORCE"
            message = f"'{meant}' shares its process with other jobs of '{deployment.app}', which FORCE would cut too"
            raise VeloError(message, hint=hint, code="job-state")
        changes: dict[str, Any] = {"wanted": STOPPED, "retry_at": 0.0}
        self.registry.change(deployment, **changes)
        for other in self.beside(deployment.app):
            self.registry.change(other.deployment, **changes)
            if force and other.process is not None:
                other.process.kill()
        self._await(lambda: all(not one.alive for one in self.beside(deployment.app)), patience)
        return self._again(meant)

    def pause(self, name: str, *, patience: float = PATIENCE) -> Meant:
        """Ends queries after the running batch; process and checkpoint stay."""
        return self._command(name, commands.PAUSE, patience)

    def resume(self, name: str, *, patience: float = PATIENCE) -> Meant:
        """Lets paused jobs go on."""
        return self._command(name, commands.RESUME, patience)

    def flush(self, name: str, *, patience: float = PATIENCE) -> Meant:
        """Writes what stands open, as it stands; the state stays."""
        return self._command(name, commands.FLUSH, patience)

    def restart(self, name: str, *, patience: float = PATIENCE) -> Meant:
        """Ends jobs cleanly and starts them again from their checkpoints; also stopped ones, and those that failed."""
        meant = self.find(name)
        if not meant.is_whole and meant.seen.alive:
            return self._command(name, commands.RESTART, patience)
        deployment = meant.deployment
        before = meant.seen.process
        for one in self.beside(deployment.app):
            if one.deployment.role != RETIRED and not one.deployment.waits_for_state:
                if not self._rests(deployment.app):  # who has paused them for a move lets them go on
                    self._release(one.deployment, "" if meant.is_whole else meant.job)
                changes: dict[str, Any] = {"ending": "", "reason": "", "restarts": 0, "retry_at": 0.0}
                self.registry.change(one.deployment, wanted=RESTARTING, **changes)
        self._await(lambda: self._is_new(meant, before), patience)
        return self._again(meant)

    def _rests(self, app: str) -> bool:
        """True while the jobs of an application are paused, since keys get other owners at this moment."""
        return any(one.deployment.rests for one in self.beside(app))

    def _release(self, deployment: Deployment, job: str) -> None:
        """A start does not keep jobs paused or stopped any more; with a name, only that one."""
        folder = self.folders.driver(deployment.app, deployment.number)
        held = folder.held
        kept = {name: state for name, state in held.items() if job and name != job}
        if kept != held:
            replace_text(folder.wanted, json.dumps(kept))

    def _is_new(self, meant: Meant, before: Any) -> bool:
        seen = self._again(meant).seen
        return seen.alive and seen.process != before

    def delete(self, name: str, *, patience: float = PATIENCE) -> None:
        """Stops an application and forgets it, with its versions, state and log. What its sinks hold stays."""
        app = self.app(name).deployment.app
        for one in self.beside(app):
            self.registry.change(one.deployment, wanted=STOPPED)
        if not self._await(lambda: all(not one.alive for one in self.beside(app)), patience):
            hint = f"try again, or stop it at once first: velo stop {app} --force"
            raise VeloError(f"'{app}' still runs: its batch has not ended yet", hint=hint, code="job-state")
        self.folders.put_away(app)
        self.registry.forget(app)
        self.supervisor.look()
        self.folders.clear()
        self._plans = {key: plan for key, plan in self._plans.items() if key[0] != app}

    # how

    def _command(self, name: str, verb: str, patience: float) -> Meant:
        meant = self.find(name)
        self._tell(meant, verb, patience)
        return self._again(meant)

    def _tell(self, meant: Meant, verb: str, patience: float) -> None:
        """Has the drivers of an application do something with its jobs."""
        deployment = meant.deployment
        if self._rests(deployment.app):
            message = f"keys of '{deployment.app}' get other owners at this moment"
            raise VeloError(message, hint="try again in a few seconds", code="job-state")
        if not meant.seen.alive or deployment.wanted != RUNNING:
            hint = f"velo restart {deployment.app} starts it" if deployment.wanted == STOPPED else "wait until it runs"
            message = f"'{meant}' is {meant.seen.state}: there is nothing to {verb}"
            raise VeloError(message, hint=hint, code="job-state")
        jobs = (meant.job,) if meant.job else ()
        sent = []
        for one in self.beside(deployment.app):
            if one.alive and one.deployment.wanted == RUNNING:
                folder = self.folders.driver(one.deployment.app, one.deployment.number)
                sent.append((one, folder, commands.send(folder, Command(verb, jobs))))
        for one, folder, command in sent:
            assert one.process is not None
            process = one.process
            commands.outcome(folder, command, patience, lambda process=process: process.alive)  # type: ignore[misc]
        self.registry.happened(deployment, verb, meant.job)

    def _again(self, meant: Meant) -> Meant:
        """The same thing, as it is now."""
        self.supervisor.look()
        seen = self.supervisor.seen[(meant.deployment.app, meant.deployment.number)]
        return Meant(seen, meant.job)

    def _await(self, done: Callable[[], bool], patience: float) -> bool:
        """Waits until something has come about; False where it did not in time, and goes on."""
        until = time.monotonic() + patience
        self.supervisor.look()
        while not done():
            if time.monotonic() > until:
                return False
            time.sleep(LOOK)
            self.supervisor.look()
        return True
