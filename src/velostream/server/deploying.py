"""Deployments: a new version of an application, judged before it runs, and put in the place of the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from velostream.errors import VeloError
from velostream.jobs.ownership import WHOLE, Ownership
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Materialise
from velostream.registry import did_you_mean
from velostream.server.control import Control
from velostream.server.folders import check_name
from velostream.server.moving.movable import check_movable, windows
from velostream.server.moving.moves import COPYING, DRAINING, ROLLING, SETTLED, SWITCHING, WARMING
from velostream.server.planning import Planned, planned
from velostream.server.registry.deployment import BESIDE, RETIRED, RUNNING, STOPPED, STRATEGIES, Deployment
from velostream.server.registry.registry import Registry
from velostream.server.verdict import Verdict, judge


@dataclass(frozen=True, slots=True)
class Wish:
    """A version that somebody wants to deploy."""

    name: str
    sql: str
    version: str = ""
    strategy: str = "REPLACE"
    percent: int | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            hint = did_you_mean(self.strategy, STRATEGIES, "strategies")
            raise VeloError(f"there is no strategy '{self.strategy}'", hint=hint, code="usage")
        if (self.strategy == "CANARY") != (self.percent is not None):
            hint = "CANARY(10) moves 10 % of the keys; the other strategies take no number"
            raise VeloError("CANARY takes the share of the keys, and only CANARY does", hint=hint, code="usage")
        if self.percent is not None and not 1 <= self.percent <= WHOLE:
            raise VeloError(f"{self.percent} % is not a share", hint="from 1 to 100", code="usage")

    @property
    def steps(self) -> list[int]:
        """The shares that the new version gets one after another."""
        if self.strategy == "CANARY":
            return [self.percent or WHOLE]
        return list(ROLLING) if self.strategy == "ROLLING" else [WHOLE]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a wish comes to."""

    wish: Wish
    planned: Planned
    verdict: Verdict
    before: Deployment | None

    @property
    def accepted(self) -> bool:
        """True where it can be deployed as wished."""
        return self.verdict.compatible or self.wish.fresh

    @property
    def goes_on(self) -> bool:
        """True where it goes on with the state of the version before."""
        return self.before is not None and not self.wish.fresh

    @property
    def version(self) -> str:
        """What the version is called: as wished, as its header says, or the next number."""
        number = 1 if self.before is None else self.before.number + 1
        return self.wish.version or self.planned.version or str(number)


def judged(control: Control, wish: Wish) -> Judged:
    """Checks a wish; SQL that cannot run, and a strategy that cannot work, are refused here."""
    check_name(wish.name)
    before = control.registry.active(wish.name)
    state = None if before is None or wish.fresh else control.folders.state(before.app, before.state)
    new = planned(wish.sql, wish.name, control.folders.files, state)
    if before is None:
        return Judged(wish, new, judge(None, new.plan), None)
    old = control.plan_of(before).plan
    answer = Judged(wish, new, judge(old, new.plan), before)
    if wish.strategy != "REPLACE" and answer.accepted:
        check_movable(old, new.plan, by_share=any(share < WHOLE for share in wish.steps), fits=not wish.fresh)
    return answer


def deploy(control: Control, wish: Wish) -> Deployment:
    """Makes a version the one that runs: in the place of the one before, or beside it until it has its keys."""
    answer = judged(control, wish)
    if not answer.accepted:
        raise incompatible(wish.name, answer.verdict)
    beside = _beside(control.registry, wish.name)
    if beside is not None:
        return _promoted(control, beside, answer)
    if wish.strategy == "REPLACE" or answer.before is None:
        return _replace(control, answer)
    return _run_beside(control, answer)


def _replace(control: Control, answer: Judged) -> Deployment:
    """The version before ends after its batch; then the new one starts, with its state where that fits."""
    registry, before, wish = control.registry, answer.before, answer.wish
    owners = before.settings.get("owners", {}) if before is not None and answer.goes_on else {}
    with registry.together():
        if before is not None:
            registry.change(before, role=RETIRED, wanted=STOPPED)
        new = registry.add(
            Deployment(
                wish.name,
                0,
                answer.version,
                wish.sql,
                before.state if before is not None and answer.goes_on else "",
                "REPLACE",
                settings={"owners": owners} if owners else {},
            )
        )
        kept = "" if answer.goes_on or before is None else ", without earlier state"
        registry.happened(new, "deployed", f"version {new.version}{kept}")
    control.supervisor.look()
    return new


def _run_beside(control: Control, answer: Judged) -> Deployment:
    """The new version runs beside the old one, and gets keys step by step (see `moving.moves`)."""
    registry, before, wish = control.registry, answer.before, answer.wish
    assert before is not None
    seen = control.app(wish.name)
    if seen.state != "running":
        hint = "start it first, or deploy with REPLACE"
        raise VeloError(f"'{wish.name}' is {seen.state}: nothing runs to move keys from", hint=hint, code="job-state")
    steps = wish.steps
    move: dict[str, Any] = {"phase": COPYING if answer.goes_on else WARMING, "share": steps[0], "steps": steps[1:]}
    old_plan = control.plan_of(before).plan
    with registry.together():
        held = before.settings.get("owners") or _owners(old_plan, Ownership())
        registry.change(before, settings={**before.settings, "owners": held})
        owners = {job: Ownership((0, 0)).data() for job in held if answer.planned.plan.job(job) is not None}
        new = registry.add(
            Deployment(
                wish.name,
                0,
                answer.version,
                wish.sql,
                "",
                wish.strategy,
                share=0,
                role=BESIDE,
                wanted=STOPPED if answer.goes_on else RUNNING,
                settings={"owners": owners, "move": move},
            )
        )
        registry.happened(new, "deployed", f"version {new.version} beside {before.version}: {wish.strategy}")
    control.supervisor.look()
    return new


def _owners(plan: ApplicationPlan, owned: Ownership) -> dict[str, Any]:
    """What is owned of each job whose rows can move."""
    jobs = [job for job in plan.jobs if windows(job) and not isinstance(job.root, Materialise)]
    return {job.name: owned.data() for job in jobs}


def _promoted(control: Control, beside: Deployment, answer: Judged) -> Deployment:
    """The same version deployed once more while it runs beside the old one: its share changes."""
    move = beside.settings["move"]
    if beside.sql != answer.wish.sql or answer.wish.strategy == "REPLACE":
        hint = (
            f"roll it back first (velo rollback {beside.app}), or deploy version '{beside.version}' with a larger share"
        )
        message = f"version '{beside.version}' runs beside '{beside.app}' already, and has {beside.share} % of the keys"
        raise VeloError(message, hint=hint, code="job-state")
    if move["phase"] != SETTLED:
        message = f"version '{beside.version}' of '{beside.app}' is on its way to {move['share']} %"
        raise VeloError(message, hint="wait until it is there: velo versions", code="job-state")
    steps = [share for share in answer.wish.steps if share > beside.share or answer.wish.strategy == "CANARY"]
    return _aimed(control, beside, steps or [WHOLE])


def _aimed(control: Control, beside: Deployment, steps: list[int]) -> Deployment:
    """Gives a version that runs beside another one a new share."""
    move = {name: value for name, value in beside.settings["move"].items() if name != "points"}
    move |= {"phase": SWITCHING, "share": steps[0], "steps": steps[1:]}
    changed = control.registry.change(beside, settings={**beside.settings, "move": move})
    control.registry.happened(beside, "move", f"aims at {steps[0]} %")
    control.supervisor.look()
    return changed


def _beside(registry: Registry, app: str) -> Deployment | None:
    return next((one for one in registry.deployments(app) if one.role == BESIDE), None)


def incompatible(name: str, verdict: Verdict) -> VeloError:
    """The refusal of a version that cannot go on with the state of the one before."""
    lost = "; ".join(str(change) for change in verdict.changes if not change.compatible)
    hint = "deploy it with --fresh to begin without state, or under another name"
    message = f"the state of '{name}' does not fit the new version: {lost}"
    return VeloError(message, hint=hint, code="state-mismatch")


def rollback(control: Control, name: str, version: str = "") -> Deployment:
    """Goes back to an older version. Keys that are on the move go back; else the older version takes the place of the
    one of now: with its state where that fits, beside it where it can, or with what it had when it ended."""
    app = control.find(name).deployment.app
    beside = _beside(control.registry, app)
    if beside is not None and version in ("", _active(control, app).version):
        return _moved_back(control, beside)
    now, back = _active(control, app), _older(control, app, version)
    old, new = control.plan_of(now).plan, control.plan_of(back).plan
    if now.strategy in ("REPLACE", "ROLLBACK") or judge(old, new).compatible:
        return _put_back(control, now, back, fits=judge(old, new).compatible)
    check_movable(old, new, by_share=False, fits=True)
    return _returned(control, now, back)


def _active(control: Control, app: str) -> Deployment:
    found = control.registry.active(app)
    assert found is not None
    return found


def _older(control: Control, app: str, version: str) -> Deployment:
    """The deployment to go back to."""
    past, now = control.registry.deployments(app), _active(control, app)
    older = [one for one in past if one.number < now.number and (one.version == version if version else True)]
    older = [one for one in older if version or one.version != now.version or one.sql != now.sql]
    if not older:
        said = f"no version '{version}' before this one" if version else "no version before this one"
        known = ", ".join(dict.fromkeys(f"'{one.version}'" for one in past if one.number < now.number))
        hint = f"there were {known}" if known else "deploy a version instead"
        raise VeloError(f"'{app}' had {said}", hint=hint, code="unknown-version")
    return older[-1]


def _moved_back(control: Control, beside: Deployment) -> Deployment:
    """A move that is not over: the keys go back, and the new version ends when it holds no window of its own."""
    move = beside.settings["move"]
    if move["phase"] == DRAINING and int(move["share"]) == WHOLE:
        hint = "wait until the move is over (velo versions), then roll back"
        raise VeloError(f"'{beside.app}' has moved to '{beside.version}' already", hint=hint, code="job-state")
    if beside.share == 0 and move["phase"] in (COPYING, WARMING):
        return control.registry.change(beside, role=RETIRED, wanted=STOPPED)
    return _aimed(control, beside, [0])


def _put_back(control: Control, now: Deployment, back: Deployment, *, fits: bool) -> Deployment:
    state = now.state if fits else back.state
    owners = (now if fits else back).settings.get("owners")
    with control.registry.together():
        control.registry.change(now, role=RETIRED, wanted=STOPPED)
        new = control.registry.add(
            Deployment(
                now.app, 0, back.version, back.sql, state, "ROLLBACK", settings={"owners": owners} if owners else {}
            )
        )
        control.registry.happened(new, "rolled back", f"from version {now.version} to {back.version}")
    control.supervisor.look()
    return new


def _returned(control: Control, now: Deployment, back: Deployment) -> Deployment:
    """A version that gave its keys away goes on from where it stopped, catches up, and gets them back."""
    move = {"phase": WARMING, "share": WHOLE, "steps": [], "goal": {}}
    owners = back.settings.get("owners", {})
    settings = {"owners": owners, "move": move}
    new = Deployment(now.app, 0, back.version, back.sql, back.state, "ROLLBACK", 0, BESIDE, settings=settings)
    added = control.registry.add(new)
    control.registry.happened(added, "rolled back", f"from version {now.version} to {back.version}, beside it")
    control.supervisor.look()
    return added
