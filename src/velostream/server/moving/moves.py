"""Moves: the steps from one version to another, each kept in the registry before it is taken, so that any may be
repeated by a control plane that finds it half done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Event, Lock, Thread
from typing import Any

from velostream.errors import VeloError
from velostream.jobs.ownership import WHOLE, Ownership
from velostream.plan.job import ApplicationPlan
from velostream.server.control import Control
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.moving.copying import copy_state
from velostream.server.moving.movable import lateness, length, windows
from velostream.server.registry.deployment import ACTIVE, BESIDE, RETIRED, RUNNING, STOPPED, Deployment
from velostream.server.views import Seen

LOG = logging.getLogger("velostream.server")
LOOK = 0.5
PATIENCE = 120.0
ROLLING = (10, 25, 50, 100)
"""The shares of ROLLING, with a health check before each but the first."""
COPYING, WARMING, SWITCHING, MOVING, SETTLED, DRAINING = (
    *("copying", "warming", "switching", "moving", "settled", "draining"),
)
"""The phases of a move: state is copied; the new version catches up; the share is being changed; it has been changed
and the first windows of it are waited for; a canary that stays as it is; the version that goes writes its last."""


@dataclass(frozen=True)
class Pair:
    """Two versions of an application: the one that had all keys, and the one beside it."""

    old: Seen
    new: Seen

    @property
    def move(self) -> dict[str, Any]:
        """How far the move is: `phase`, `share` that is aimed at, `steps` that come after it."""
        return dict(self.new.deployment.settings["move"])


class Moves:
    """Carries moves out, one step at a time, from a thread of its own."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self._lock = Lock()
        self._closed = Event()
        self._thread = Thread(target=self._watch, name="velo-moves", daemon=True)
        self._steps: dict[str, Callable[[Pair], None]] = {
            COPYING: self._copy,
            WARMING: self._warm,
            SWITCHING: self._switch,
            MOVING: self._moving,
            DRAINING: self._drain,
        }

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def close(self) -> None:
        """Looks no more; what is half done is done by the next one."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _watch(self) -> None:
        while not self._closed.wait(LOOK):
            try:
                self.look()
            except Exception:
                LOG.exception("a look at the moves failed")

    def look(self) -> None:
        """Takes the next step of every move that can take one."""
        for new in [one for one in self.control.supervisor.seen.values() if one.deployment.role == BESIDE]:
            pair = self.pair(new.deployment.app)
            step = self._steps.get(pair.move["phase"]) if pair is not None else None
            if step is None or pair is None:
                continue
            try:
                with self._lock:
                    step(pair)
            except VeloError as error:
                LOG.warning("'%s' could not take the step '%s': %s", new.deployment.app, pair.move["phase"], error)

    def pair(self, app: str) -> Pair | None:
        """The two versions of an application; None where one runs alone."""
        known = [one for one in self.control.supervisor.seen.values() if one.deployment.app == app]
        old = next((one for one in known if one.deployment.role == ACTIVE), None)
        new = next((one for one in known if one.deployment.role == BESIDE), None)
        return None if old is None or new is None else Pair(old, new)

    # steps

    def _copy(self, pair: Pair) -> None:
        """The old version rests while its state is copied."""
        old, new = pair.old, pair.new
        source = self.control.folders.state(old.deployment.app, old.deployment.state)
        target = self.control.folders.state(new.deployment.app, new.deployment.state)
        resting = self._rest(old)
        copy_state(source, target)
        if resting:
            self._tell(old, Command(commands.RESUME))
        self._note(new, "the state was copied", phase=WARMING, goal=_watermarks(old))
        self.control.registry.change(self._fresh(new), wanted=RUNNING)

    def _warm(self, pair: Pair) -> None:
        """The new version must run, and be as far as the old one was."""
        if pair.new.state != "running" or pair.old.state != "running" or not _healthy(pair.new):
            return
        now = _watermarks(pair.new)
        goal = pair.move.get("goal") or {}
        if all(now.get(job, 0) >= time for job, time in goal.items() if job in now):
            self._note(pair.new, f"moves to {pair.move['share']} %", phase=SWITCHING)

    def _switch(self, pair: Pair) -> None:
        """Both rest; windows without a record yet get new owners; both go on."""
        if "points" not in pair.move and not _is_whole(pair, "running", "paused"):
            for one in (pair.old, pair.new):
                if any(job["state"] == "paused" and not job.get("whole") for job in one.jobs):
                    self._tell(one, Command(commands.RESUME))
            return
        for one in (pair.old, pair.new):
            self._tell(one, Command(commands.PAUSE))
        pair = self._again(pair)
        if "points" not in pair.move:
            self._require_rest(pair)
            share = int(pair.move["share"])
            points = self._points(pair)
            with self.control.registry.together():
                self._own(pair.old, points, share, WHOLE)
                self._own(pair.new, points, 0, share)
                self._set(pair.new, points=points)
        pair = self._again(pair)
        for one in (pair.old, pair.new):
            self._tell(one, Command(commands.SWITCH, (), {"owners": one.deployment.settings["owners"]}))
        for one in (pair.old, pair.new):
            self._tell(one, Command(commands.RESUME))
        self.control.registry.change(self._fresh(pair.new), share=int(pair.move["share"]))
        self.control.registry.change(self._fresh(pair.old), share=WHOLE - int(pair.move["share"]))
        self._note(pair.new, f"writes {pair.move['share']} % of the keys from now on", phase=MOVING)

    def _moving(self, pair: Pair) -> None:
        """The share holds once windows of it have been written; then comes the next step."""
        if not self._passed(pair.new, pair.move["points"]) or not _healthy(pair.new):
            return
        share, steps = int(pair.move["share"]), list(pair.move["steps"])
        if share in (0, WHOLE):
            self._note(pair.new, "the other version writes its last windows", phase=DRAINING)
        elif steps:
            self._set(pair.new, drop=("points",), phase=SWITCHING, share=steps[0], steps=steps[1:])
        else:
            self._note(pair.new, f"stays at {share} %", phase=SETTLED)

    def _drain(self, pair: Pair) -> None:
        """The version without keys runs until it holds no window that is its own."""
        stays, goes = (pair.new, pair.old) if int(pair.move["share"]) == WHOLE else (pair.old, pair.new)
        if not self._passed(goes, pair.move["points"], late=True):
            return
        registry = self.control.registry
        with registry.together():
            registry.change(self._fresh(goes), role=RETIRED, wanted=STOPPED, share=0)
            self._set(stays, drop=("move",))
            registry.change(self._fresh(stays), role=ACTIVE, share=WHOLE)
            registry.happened(stays.deployment, "moved", f"version {stays.deployment.version} has all keys")

    # what they need

    def _rest(self, one: Seen) -> bool:
        """Pauses all jobs of a version; True where it was running."""
        if not one.alive:
            return False
        self._tell(one, Command(commands.PAUSE))
        return True

    def _require_rest(self, pair: Pair) -> None:
        """Nothing may be half written when owners change: a version that was killed in a batch ends it first."""
        if _is_whole(pair, "paused"):
            return
        for one in (pair.old, pair.new):
            self._tell(one, Command(commands.RESUME))
        message = f"'{pair.new.deployment.app}' has a batch that was cut"
        raise VeloError(message, hint="it is finished first", code="job-state")

    def _tell(self, one: Seen, command: Command) -> None:
        folder = self.control.folders.driver(one.deployment.app, one.deployment.number)
        process = one.process
        if process is None or not process.alive:
            message = f"version '{one.deployment.version}' of '{one.deployment.app}' does not run"
            raise VeloError(message, hint="it is tried again", code="job-state")
        sent = commands.send(folder, command)
        if commands.outcome(folder, sent, PATIENCE, lambda: process.alive) is None:
            message = f"version '{one.deployment.version}' of '{one.deployment.app}' did not {command.verb} in time"
            raise VeloError(message, hint="it is tried again", code="job-state")

    def _points(self, pair: Pair) -> dict[str, int]:
        """For each job an event time beyond all windows that have a record in either version."""
        found: dict[str, int] = {}
        for one in (pair.old, pair.new):
            for job in one.jobs:
                planned = self._plan(one).job(job["name"])
                if planned is not None and windows(planned):
                    newest = _newest(job)
                    point = 0 if newest is None else newest + length(planned)
                    found[job["name"]] = max(found.get(job["name"], 0), point)
        return found

    def _own(self, one: Seen, points: dict[str, int], low: int, high: int) -> None:
        """Keeps what a version owns from now on."""
        deployment = self._fresh(one)
        owners = dict(deployment.settings.get("owners", {}))
        for job, point in points.items():
            if job in owners:
                owners[job] = Ownership.of(owners[job]).then(point, low, high).data()
        self.control.registry.change(deployment, settings={**deployment.settings, "owners": owners})

    def _passed(self, one: Seen, points: dict[str, int], *, late: bool = False) -> bool:
        """True once the watermark of each job has passed its point, with `late` also by the lateness."""
        now = _watermarks(one)
        plan = self._plan(one)
        for name, point in points.items():
            job = plan.job(name)
            if job is None or not point:
                continue
            if now.get(name, 0) < point + (lateness(job) if late else 0):
                return False
        return True

    def _plan(self, one: Seen) -> ApplicationPlan:
        return self.control.plan_of(one.deployment).plan

    def _fresh(self, one: Seen) -> Deployment:
        """The deployment as the registry has it now."""
        deployments = self.control.registry.deployments(one.deployment.app)
        return next(each for each in deployments if each.number == one.deployment.number)

    def _again(self, pair: Pair) -> Pair:
        self.control.supervisor.look()
        return self.pair(pair.new.deployment.app) or pair

    def _set(self, one: Seen, drop: tuple[str, ...] = (), **changes: Any) -> None:
        """Keeps how far a move is; with `move` dropped it is over."""
        deployment = self._fresh(one)
        settings = dict(deployment.settings)
        move = {**settings.pop("move", {}), **changes}
        move = {name: value for name, value in move.items() if name not in drop}
        if "move" not in drop:
            settings["move"] = move
        self.control.registry.change(deployment, settings=settings)
        self.control.supervisor.look()

    def _note(self, one: Seen, said: str, **changes: Any) -> None:
        self._set(one, **changes)
        self.control.registry.happened(one.deployment, "move", said)


def _is_whole(pair: Pair, *states: str) -> bool:
    """True where all jobs of both versions are in one of the states, and none has a batch that was cut."""
    jobs = [job for one in (pair.old, pair.new) for job in one.jobs if job["state"] not in ("done", "stopped")]
    return all(job.get("whole") and job["state"] in states for job in jobs)


def _healthy(one: Seen) -> bool:
    """True where a version runs as it should: a step to a larger share is taken only then."""
    return one.alive and one.state == "running" and not one.deployment.restarts


def _watermarks(one: Seen) -> dict[str, int]:
    """The watermark of each job, in microseconds."""
    return {job["name"]: _micros(job["watermark"]) for job in one.jobs if job.get("watermark")}


def _newest(job: dict[str, Any]) -> int | None:
    """The newest event time that a job has seen."""
    times = [each["max_event_time"] for each in job.get("partitions", {}).values() if each["max_event_time"]]
    times += [job["watermark"]] if job.get("watermark") else []
    return max(map(_micros, times), default=None)


def _micros(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)
