"""Moves: the steps from one version to another, each kept in the registry before it is taken, so that any may be
repeated by a control plane that finds it half done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any

from velostream.errors import VeloError
from velostream.jobs.ownership import WHOLE, Ownership
from velostream.plan.job import ApplicationPlan
from velostream.server.control import Control
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.moving.copying import carry_letters, copy_state
from velostream.server.moving.meetings import by_position, meet
from velostream.server.moving.phases import (
    DRAINING,
    MOVING,
    SETTLED,
    SWITCHING,
    WARMING,
    Pair,
    has_passed,
    has_written,
    healthy,
    points_of,
    watermarks,
)
from velostream.server.registry.deployment import ACTIVE, BESIDE, COPYING, RETIRED, STOPPED, Deployment
from velostream.server.views import Seen

LOG = logging.getLogger("velostream.server")
LOOK = 0.5
PATIENCE = 120.0


class Moves:
    """Carries moves out, one step at a time, from a thread of its own. Whoever wants something else of a move leaves
    it in the registry (`asked`): it is taken up between two steps."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self._lock = Lock()
        self._closed = Event()
        self._thread = Thread(target=self._watch, name="velo-moves", daemon=True)
        self._said: dict[str, str] = {}
        """What was said last of each move that could not go on: it is said once."""
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
            app = new.deployment.app
            with self._lock:
                pair = self.pair(app)
                if pair is None or not pair.move:
                    continue
                try:
                    self._step(pair)
                    self._said.pop(app, None)
                except VeloError as error:
                    self._cannot(app, f"'{app}' could not take the step '{pair.move['phase']}': {error}")

    def _cannot(self, app: str, said: str) -> None:
        if self._said.get(app) != said:
            LOG.warning("%s", said)
        self._said[app] = said

    def pair(self, app: str) -> Pair | None:
        """The two versions of an application as they are kept now; None where one runs alone."""
        known = {
            one.deployment.number: one for one in self.control.supervisor.seen.values() if one.deployment.app == app
        }
        kept = [one for one in self.control.registry.deployments(app) if one.number in known]
        old = next((one for one in kept if one.role == ACTIVE), None)
        new = next((one for one in kept if one.role == BESIDE), None)
        return None if old is None or new is None else Pair(known[old.number].of(old), known[new.number].of(new))

    def _step(self, pair: Pair) -> None:
        if pair.new.deployment.ending and pair.move.get("resting"):
            self._spare(pair)
            return
        asked = pair.move.get("asked")
        if asked is not None:
            self._turn(pair, list(asked))
            return
        step = self._steps.get(pair.move["phase"])
        if step is not None:
            step(pair)

    # steps

    def _turn(self, pair: Pair, asked: list[int]) -> None:
        """Other shares are wanted now. A version that never had a key simply ends."""
        if asked != [0] or pair.move["phase"] not in (COPYING, WARMING):
            self._note(
                pair.new,
                f"aims at {asked[0]} %",
                drop=("asked", "points", "since"),
                phase=SWITCHING,
                share=asked[0],
                steps=asked[1:],
            )
            return
        if pair.move.get("resting"):
            self._tell(pair.old, Command(commands.RESUME))
        with self.control.registry.together():
            self._set(pair.new, drop=("move",), role=RETIRED, wanted=STOPPED)
            self.control.registry.happened(pair.new.deployment, "moved back", "it had no key yet")

    def _spare(self, pair: Pair) -> None:
        """The new version has failed while both rested: the old one goes on, with the keys that it has by now."""
        self._tell(pair.old, _switch_of(pair.old))
        self._tell(pair.old, Command(commands.RESUME))
        after = {"phase": MOVING} if "points" in pair.move else {}
        self._note(pair.new, "it has failed: the other version goes on", drop=("resting",), **after)

    def _copy(self, pair: Pair) -> None:
        """The old version rests while its state is copied."""
        old, new = pair.old, pair.new
        if not old.alive:
            return
        self._begin_rest(pair)
        self._tell(old, Command(commands.PAUSE))
        goal = watermarks(self._again(pair).old)
        folders = self.control.folders
        copy_state(
            folders.state(old.deployment.app, old.deployment.state),
            folders.state(new.deployment.app, new.deployment.state),
        )
        self._tell(old, Command(commands.RESUME))
        with self.control.registry.together():  # somebody may have stopped the application at this moment
            wanted = self.control.registry.now(old.deployment).wanted
            self._note(new, "the state was copied", drop=("resting",), wanted=wanted, phase=WARMING, goal=goal)

    def _warm(self, pair: Pair) -> None:
        """The new version must run, and be as far as the old one was."""
        if pair.old.state != "running" or not healthy(pair.new):
            return
        now, plan = watermarks(pair.new), self._plan(pair.new)
        goal = pair.move.get("goal") or {}
        if all(now.get(job, 0) >= time for job, time in goal.items() if plan.job(job) is not None):
            self._note(pair.new, f"moves to {pair.share} %", phase=SWITCHING)

    def _switch(self, pair: Pair) -> None:
        """Both rest, where they have read the same if rows have no windows; what has no record yet gets new owners;
        both go on."""
        if not all(one.alive for one in pair.both):
            return
        self._begin_rest(pair)
        if "points" not in pair.move and not pair.is_whole("running", "paused"):
            self._finish_batches(pair)
            return
        for one in pair.both:
            self._tell(one, Command(commands.PAUSE))
        pair = self._again(pair)
        if "points" not in pair.move:
            if not pair.is_whole("paused"):  # a version that was killed in a batch ends it first
                self._finish_batches(pair)
                return
            meet(self.control, pair, self._tell)
            self._own(self._again(pair))
            pair = self._again(pair)
        for one in pair.both:
            self._tell(one, _switch_of(one))
        for one in pair.both:
            self._tell(one, Command(commands.RESUME))
        with self.control.registry.together():
            self.control.registry.change(pair.old.deployment, share=WHOLE - pair.share)
            said = f"writes {pair.share} % of the keys from now on"
            self._note(pair.new, said, drop=("resting",), share_now=pair.share, phase=MOVING)

    def _moving(self, pair: Pair) -> None:
        """The share holds once windows or micro-batches of it have been written; then comes the next step."""
        plan = self._plan(pair.new)
        if not has_passed(pair.new, plan, pair.move["points"]) or (pair.share and not healthy(pair.new)):
            return
        if 0 < pair.share < WHOLE and not has_written(pair.new, pair.move.get("since", {})):
            return
        steps = list(pair.move["steps"])
        if pair.share in (0, WHOLE):
            self._note(pair.new, "the other version writes its last windows", phase=DRAINING)
        elif steps:
            self._set(pair.new, drop=("points", "since"), phase=SWITCHING, share=steps[0], steps=steps[1:])
        else:
            self._note(pair.new, f"stays at {pair.share} %", phase=SETTLED)

    def _drain(self, pair: Pair) -> None:
        """The version without keys runs until it holds no window that is its own."""
        stays, goes = (pair.new, pair.old) if pair.share == WHOLE else (pair.old, pair.new)
        if not has_passed(goes, self._plan(goes), pair.move["points"], late=True):
            return
        if pair.move["points"] and not self._leave_letters(pair, stays, goes):
            return
        states = [self.control.folders.state(one.deployment.app, one.deployment.state) for one in (goes, stays)]
        carry_letters(*states)
        registry = self.control.registry
        with registry.together():
            self._set(goes, drop=("move",), role=RETIRED, wanted=STOPPED, share_now=0)
            self._set(stays, drop=("move",), role=ACTIVE, share_now=WHOLE)
            registry.happened(stays.deployment, "moved", f"version {stays.deployment.version} has all keys")

    def _leave_letters(self, pair: Pair, stays: Seen, goes: Seen) -> bool:
        """Where both have read the same, the version that stays writes all dead letters from now on, also those of
        windows that were the other one's: these are closed in both. False where that has to wait."""
        if "alone" not in pair.move:
            ended = bool(goes.deployment.ending)
            if not stays.alive or not (goes.alive or ended):
                return False
            self._begin_rest(pair)
            for one in (stays,) if ended else pair.both:
                self._tell(one, Command(commands.PAUSE))
            pair = self._again(pair)
            if not ended and not pair.is_whole("paused"):
                self._finish_batches(pair)
                return False
            if not ended:
                meet(self.control, pair, self._tell)
            with self.control.registry.together():
                kept = self.control.registry.now(stays.deployment)
                owners = {job: Ownership.of(said).alone().data() for job, said in kept.settings["owners"].items()}
                self.control.registry.change(kept, settings={**kept.settings, "owners": owners})
                self._set(pair.new, alone=True)
        now = self._again(pair)
        left = now.new if stays.deployment.number == now.new.deployment.number else now.old
        self._tell(left, _switch_of(left))
        self._tell(left, Command(commands.RESUME))
        return True

    # what they need

    def _begin_rest(self, pair: Pair) -> None:
        """Jobs are paused for the move from now on; what somebody else has paused stays so, and the move waits."""
        if pair.move.get("resting"):
            return
        if pair.paused:
            raise VeloError(f"job '{pair.paused}' is paused", hint="resume it: the move goes on then", code="job-state")
        self._set(pair.new, resting=True)

    def _finish_batches(self, pair: Pair) -> None:
        """Nothing may be half written when owners change: lets batches that were cut come to their end."""
        for one in pair.both:
            if any(job["state"] == "paused" and not job.get("whole") for job in one.jobs):
                self._tell(one, Command(commands.RESUME))

    def _tell(self, one: Seen, command: Command) -> dict[str, Any]:
        folder = self.control.folders.driver(one.deployment.app, one.deployment.number)
        process = one.process
        if process is None or not process.alive:
            message = f"version '{one.deployment.version}' of '{one.deployment.app}' does not run"
            raise VeloError(message, hint="it is tried again", code="job-state")
        sent = commands.send(folder, command)
        answer = commands.outcome(folder, sent, PATIENCE, lambda: process.alive)
        if answer is None:
            message = f"version '{one.deployment.version}' of '{one.deployment.app}' did not {command.verb} in time"
            raise VeloError(message, hint="it is tried again", code="job-state")
        return answer

    def _own(self, pair: Pair) -> None:
        """Keeps what each version owns from now on: windows beyond all with records in either; and of jobs without
        windows all rows behind the point at which both stand."""
        points: dict[str, int] = {}
        for one in pair.both:
            for job, point in points_of(one, self._plan(one)).items():
                points[job] = max(points.get(job, 0), point)
        jobs = by_position(*(self._plan(one) for one in pair.both))
        since = {job["name"]: job["batch"] for job in pair.new.jobs if job["name"] in jobs}
        with self.control.registry.together():
            self._owned(pair.old.deployment, points, jobs, (pair.share, WHOLE))
            self._owned(pair.new.deployment, points, jobs, (0, pair.share))
            self._set(pair.new, points=points, since=since)

    def _owned(self, one: Deployment, points: dict[str, int], jobs: list[str], places: tuple[int, int]) -> None:
        kept = self.control.registry.now(one)
        owners = dict(kept.settings.get("owners", {}))
        for job, point in points.items():
            if job in owners:
                owners[job] = Ownership.of(owners[job]).then(point, *places).data()
        owners |= {job: Ownership(places).data() for job in jobs if job in owners}
        self.control.registry.change(kept, settings={**kept.settings, "owners": owners})

    def _plan(self, one: Seen) -> ApplicationPlan:
        return self.control.plan_of(one.deployment).plan

    def _again(self, pair: Pair) -> Pair:
        """The same two, as they are now; never inside of `together`, since a look takes the supervisor's lock first."""
        self.control.supervisor.look()
        return self.pair(pair.new.deployment.app) or pair

    def _set(
        self,
        one: Seen,
        drop: tuple[str, ...] = (),
        *,
        role: str = "",
        wanted: str = "",
        share_now: int | None = None,
        **changes: Any,
    ) -> None:
        """Keeps how far a move is, and what becomes of the version; with `move` dropped it is over."""
        columns = {"role": role, "wanted": wanted}
        told: dict[str, Any] = {name: value for name, value in columns.items() if value}
        told |= {} if share_now is None else {"share": share_now}
        with self.control.registry.together():
            kept = self.control.registry.now(one.deployment)
            settings = dict(kept.settings)
            move = {**settings.pop("move", {}), **changes}
            if "move" not in drop:
                settings["move"] = {name: value for name, value in move.items() if name not in drop}
            self.control.registry.change(kept, settings=settings, **told)

    def _note(self, one: Seen, said: str, drop: tuple[str, ...] = (), **changes: Any) -> None:
        with self.control.registry.together():
            self._set(one, drop, **changes)
            self.control.registry.happened(one.deployment, "move", said)


def _switch_of(one: Seen) -> Command:
    """What a version is told when it gets or gives keys."""
    return Command(commands.SWITCH, (), {"owners": one.deployment.settings["owners"]})
