"""The supervisor: makes what runs equal to what the registry wants, again and again, whoever was killed meanwhile."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import Any

from velostream.files import replace_text
from velostream.server.driver import commands
from velostream.server.driver.holding import holder_of
from velostream.server.driver.logs import last_words
from velostream.server.driver.status import INTERRUPTED
from velostream.server.driver.task import Task
from velostream.server.folders import DriverFolder, Folders
from velostream.server.hearing import Hearing
from velostream.server.process import Process
from velostream.server.registry.deployment import DONE, FAILED, RESTARTING, RETIRED, RUNNING, STOPPED, Deployment
from velostream.server.registry.registry import Registry
from velostream.server.settings import ServerSettings
from velostream.server.views import Seen, seen

LOG = logging.getLogger("velostream.server")
LOOK = 0.25
"""Seconds between two looks."""


class Supervisor:
    """Starts, stops and restarts drivers. All that it decides by is in the registry and in the drivers' folders."""

    def __init__(
        self,
        registry: Registry,
        folders: Folders,
        settings: ServerSettings,
        planned: Callable[[Deployment], tuple[Mapping[str, Any], ...]],
    ) -> None:
        self.registry = registry
        self.folders = folders
        self.settings = settings
        self._planned = planned
        self._seen: dict[tuple[str, int], Seen] = {}
        self._stops: set[tuple[str, int, str]] = set()
        """Drivers that were told to stop, by deployment and process."""
        self.hearing = Hearing(settings.silence)
        self.program: tuple[str, ...] = (sys.executable, "-m", "velostream.server.driver")
        """What a driver is started with, before the name of its folder."""
        self._lock = Lock()
        self._closed = Event()
        self.ready = Event()
        """Set once all deployments have been looked at."""
        self._thread = Thread(target=self._watch, name="velo-supervisor", daemon=True)
        self.each_look: list[Callable[[], None]] = []
        """What else is done at every look of the watch."""

    def start(self) -> None:
        """Begins to watch. Nobody hears that there are no applications before the first look, which plans them all, is
        through: what their drivers say is known without."""
        try:
            known = ((one, self.folders.driver(one.app, one.number)) for one in self.registry.deployments())
            self._seen = {(one.app, one.number): seen(one, folder, ()) for one, folder in known}
        except Exception:  # such as a registry that is away for a while
            LOG.exception("the applications are not known yet")
        self._thread.start()

    def close(self) -> None:
        """Watches no more. Drivers go on."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    @property
    def closed(self) -> bool:
        """True once it watches no more."""
        return self._closed.is_set()

    def _watch(self) -> None:
        while True:
            try:
                self.look()
                self.ready.set()
            except Exception:  # such as a registry that is away for a while: drivers go on, and so does this
                LOG.exception("a look at the applications failed")
            for each in self.each_look:
                try:
                    each()
                except Exception:
                    LOG.exception("something that looks at applications failed")
            if self._closed.wait(LOOK):
                return

    def look(self) -> None:
        """One look at every deployment that is or should be running."""
        with self._lock:
            deployments = self.registry.deployments()
            known = {(one.app, one.number): self._seen_of(one) for one in deployments}
            for key, one in known.items():
                known[key] = self._reconciled(one, known)
            self._seen = known

    def _seen_of(self, one: Deployment) -> Seen:
        """How a deployment is; one of the past that has ended is not looked at, and nobody needs its plan."""
        folder = self.folders.driver(one.app, one.number)
        if one.role == RETIRED and one.wanted == STOPPED and not folder.process.exists():
            return Seen(one)
        return seen(one, folder, self._planned(one))

    @property
    def seen(self) -> Mapping[tuple[str, int], Seen]:
        """All deployments as they were at the last look."""
        return self._seen

    def _reconciled(self, one: Seen, known: Mapping[tuple[str, int], Seen]) -> Seen:
        """Does the one thing that brings a deployment nearer to what is wanted of it."""
        deployment = one.deployment
        if one.alive:
            return self._cared_for(one)
        if deployment.ending:
            return one
        if one.process is not None and not one.process.alive:
            deployment = self._buried(one)
            one = replace(one, deployment=deployment, process=None)
        if deployment.wanted == RESTARTING:
            deployment = self.registry.change(deployment, wanted=RUNNING, restarts=0, retry_at=0.0, reason="")
            one = replace(one, deployment=deployment)
        due = deployment.wanted == RUNNING and not deployment.ending and time.time() >= deployment.retry_at
        if due and not self._is_in_use(deployment, known):
            self._start(deployment)
            return seen(deployment, self.folders.driver(deployment.app, deployment.number), one.planned)
        return one

    def _cared_for(self, one: Seen) -> Seen:
        """A driver that lives: it is told to stop where that is wanted, restarted where it is silent, and forgiven its
        restarts once it has run for a while."""
        deployment = one.deployment
        assert one.process is not None
        silent = self.hearing.silent(one.process, one.status.get("at"))
        if silent:
            self.registry.happened(deployment, "hung", f"it lives, but has said nothing for {silent:.0f} s")
            LOG.warning("the driver of '%s' is ended: it has said nothing for %.0f s", deployment.app, silent)
            one.process.kill()
            return one
        if deployment.wanted != RUNNING:
            self._ask_to_stop(one)
        elif deployment.restarts and one.state == "running" and _lived(one.status) >= self.settings.healthy_after:
            return replace(one, deployment=self.registry.change(deployment, restarts=0, reason=""))
        return one

    def _is_in_use(self, wanted: Deployment, known: Mapping[tuple[str, int], Seen]) -> bool:
        """True while another deployment still writes to the state that this one goes on with, or one of the past has
        not ended yet: what it writes last comes before what this one writes first."""
        return any(
            other.alive and (other.deployment.state == wanted.state or other.deployment.role == RETIRED)
            for (app, number), other in known.items()
            if app == wanted.app and number != wanted.number
        )

    def _ask_to_stop(self, one: Seen) -> None:
        """Tells a driver once to end after the running batch."""
        assert one.process is not None
        key = (one.deployment.app, one.deployment.number, one.process.mark)
        if key not in self._stops:
            self._stops.add(key)
            folder = self.folders.driver(one.deployment.app, one.deployment.number)
            commands.send(folder, commands.Command(commands.STOP))

    def _buried(self, one: Seen) -> Deployment:
        """A driver has ended: clears away what is left of it, and decides what comes next."""
        deployment, process = one.deployment, one.process
        assert process is not None
        folder = self.folders.driver(deployment.app, deployment.number)
        process.kill()
        folder.process.unlink(missing_ok=True)
        hung = self.hearing.reason(process)
        said = one.status if one.status.get("mark") == process.mark else {}
        state = said.get("state")
        if deployment.wanted != RUNNING or state == "stopped":
            self.registry.happened(deployment, "stopped")
            return deployment if deployment.wanted == RESTARTING else self.registry.change(deployment, wanted=STOPPED)
        if state == DONE:
            self.registry.happened(deployment, DONE)
            return self.registry.change(deployment, ending=DONE, wanted=STOPPED)
        if state == INTERRUPTED:
            self.registry.happened(deployment, INTERRUPTED)
            return deployment
        return self._died(deployment, said, hung or _reason(said, folder))

    def _died(self, deployment: Deployment, said: Mapping[str, Any], reason: str) -> Deployment:
        """A driver has failed: it is started again after a pause, if it has not failed too often."""
        restarts = 1 if _lived(said) >= self.settings.healthy_after else deployment.restarts + 1
        if restarts > self.settings.restarts:
            self.registry.happened(deployment, FAILED, reason)
            return self.registry.change(deployment, ending=FAILED, wanted=STOPPED, reason=reason)
        retry_at = time.time() + self.settings.pause(restarts)
        self.registry.happened(deployment, "restart", f"{restarts} of {self.settings.restarts}: {reason}")
        return self.registry.change(deployment, restarts=restarts, retry_at=retry_at, reason=reason)

    def _start(self, deployment: Deployment) -> None:
        """Starts a driver in a session of its own, so that it outlives the control plane."""
        folder = self.folders.driver(deployment.app, deployment.number)
        state = self.folders.state(deployment.app, deployment.state)
        holder = holder_of(state)
        if holder is not None:  # started by a control plane that was killed before it could say so
            if holder.folder == str(folder.root):
                holder.process.write(folder.process)
            return
        folder.root.mkdir(parents=True, exist_ok=True)
        for stale in (*folder.commands.glob("*.json"), *folder.answers.glob("*.json")):
            stale.unlink(missing_ok=True)
        replace_text(folder.sql, deployment.sql)
        folder.sql.chmod(0o600)
        task = Task(
            deployment.app,
            deployment.number,
            deployment.version,
            str(state),
            str(self.folders.files),
            self.settings.master,
            self.settings.spark_settings,
            deployment.settings.get("owners", {}),
        )
        task.write(folder)
        writing = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        pid = os.posix_spawn(
            self.program[0],
            [*self.program, str(folder.root)],
            {**os.environ, "PYTHONFAULTHANDLER": "1", "VELO_TOKEN": ""},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(folder.output), writing, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
        process = Process.of(pid)
        process.write(folder.process)
        self.registry.happened(deployment, "started", f"process {process.pid}")


def _lived(said: Mapping[str, Any]) -> float:
    """For how many seconds a driver has said something."""
    return float(said["at"]) - float(said["started"]) if said.get("at") and said.get("started") else 0.0


def _reason(said: Mapping[str, Any], folder: DriverFolder) -> str:
    """Why a driver ended, in one line."""
    error = said.get("error")
    if error:
        return str(error["message"])
    words = [line for line in last_words(folder.output, 20) if line.strip()]
    return f"the driver's process ended without a word{': ' + words[-1].strip() if words else ''}"
