"""Deployments: a new version of an application, judged before it runs, and put in the place of the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from velostream.errors import VeloError
from velostream.jobs.ownership import WHOLE, Ownership
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Materialise
from velostream.registry import did_you_mean
from velostream.server.control import Control
from velostream.server.folders import check_name
from velostream.server.moving.movable import check_movable, goes_by_position, windows
from velostream.server.moving.phases import ROLLING, SETTLED, WARMING
from velostream.server.planning import Planned, planned
from velostream.server.registry.deployment import BESIDE, COPYING, RETIRED, RUNNING, STOPPED, STRATEGIES, Deployment
from velostream.server.savepoints import Savepoint, find, folder_of, planned_of, state_from
from velostream.server.verdict import Verdict, judge
from velostream.sinks.letters import COPIED


@dataclass(frozen=True, slots=True)
class Wish:
    """A version that somebody wants to deploy."""

    name: str
    sql: str
    version: str = ""
    strategy: str = "REPLACE"
    percent: int | None = None
    fresh: bool = False
    savepoint: str = ""

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            hint = did_you_mean(self.strategy, STRATEGIES, "strategies")
            raise VeloError(f"there is no strategy '{self.strategy}'", hint=hint, code="usage")
        if (self.strategy == "CANARY") != (self.percent is not None):
            hint = "CANARY(10) moves 10 % of the keys; the other strategies take no number"
            raise VeloError("CANARY takes the share of the keys, and only CANARY does", hint=hint, code="usage")
        if self.percent is not None and not 1 <= self.percent <= WHOLE:
            raise VeloError(f"{self.percent} % is not a share", hint="from 1 to 100", code="usage")
        if self.savepoint and (self.fresh or self.strategy != "REPLACE"):
            hint = "deploy it with REPLACE and without fresh"
            message = f"a start from savepoint '{self.savepoint}' takes the place of the version before"
            raise VeloError(message, hint=hint, code="usage")

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
    savepoint: Savepoint | None = None

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
    wish = replace(wish, name=control.spelled(check_name(wish.name)))
    before = control.registry.active(wish.name)
    state = None if before is None or wish.fresh else control.folders.state(before.app, before.state)
    new = planned(wish.sql, wish.name, control.folders.files, state)
    if wish.savepoint:
        point = find(control, wish.name, wish.savepoint)
        verdict = judge(planned_of(control, point).plan, new.plan, folder_of(control, point))
        return Judged(wish, new, verdict, before, point)
    if before is None:
        return Judged(wish, new, Verdict((), first=True), None)
    old = control.plan_of(before).plan
    answer = Judged(wish, new, judge(old, new.plan, control.folders.state(before.app, before.state)), before)
    if wish.strategy != "REPLACE" and answer.accepted:
        check_movable(old, new.plan, by_share=any(share < WHOLE for share in wish.steps), fits=not wish.fresh)
    return answer


def deploy(control: Control, wish: Wish) -> Deployment:
    """Judges a wish, and deploys it where it is accepted."""
    return deployed(control, judged(control, wish))


def deployed(control: Control, answer: Judged) -> Deployment:
    """Makes a version the one that runs: in the place of the one before, or beside it until it has its keys."""
    wish = answer.wish
    if not answer.accepted:
        raise incompatible(wish.name, answer.verdict)
    beside = control.registry.beside(wish.name)
    if beside is not None:
        return _promoted(control, beside, answer)
    if wish.strategy == "REPLACE" or answer.before is None:
        return _replace(control, answer)
    return _run_beside(control, answer)


def require_same(control: Control, name: str, before: Deployment | None, beside: Deployment | None = None) -> None:
    """Refuses a change of an application that somebody else has changed meanwhile. Inside of `together`."""
    now, there = control.registry.active(name), control.registry.beside(name)
    seen = [one.number if one is not None else None for one in (before, beside)]
    if [one.number if one is not None else None for one in (now, there)] != seen:
        message = f"'{name}' was deployed by somebody else at the same moment"
        raise VeloError(message, hint="look at its versions, then try again", code="job-state")


def _replace(control: Control, answer: Judged) -> Deployment:
    """The version before ends after its batch; then the new one starts, with its state where that fits."""
    registry, before, wish = control.registry, answer.before, answer.wish
    state = before.state if before is not None and answer.goes_on else ""
    owners = before.settings.get("owners", {}) if before is not None and answer.goes_on else {}
    if answer.savepoint is not None:
        state, owners = state_from(control, answer.savepoint), answer.savepoint.owners
    with registry.together():
        require_same(control, wish.name, before)
        if before is not None:
            registry.change(before, role=RETIRED, wanted=STOPPED)
        new = registry.add(
            Deployment(
                wish.name,
                0,
                answer.version,
                wish.sql,
                state,
                "REPLACE",
                settings={"owners": owners} if owners else {},
            )
        )
        kept = "" if answer.goes_on or before is None else ", without earlier state"
        kept = f", from savepoint {wish.savepoint}" if wish.savepoint else kept
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
        require_same(control, wish.name, before)
        before = registry.now(before)
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
        if not answer.goes_on:
            begun = control.folders.state(new.app, new.state)
            begun.mkdir(parents=True, exist_ok=True)
            (begun / COPIED).touch()
        registry.happened(new, "deployed", f"version {new.version} beside {before.version}: {wish.strategy}")
    control.supervisor.look()
    return new


def _owners(plan: ApplicationPlan, owned: Ownership) -> dict[str, Any]:
    """What is owned of each job whose rows can move."""
    jobs = [
        job for job in plan.jobs if goes_by_position(job) or (windows(job) and not isinstance(job.root, Materialise))
    ]
    return {job.name: owned.data() for job in jobs}


def _promoted(control: Control, beside: Deployment, answer: Judged) -> Deployment:
    """The same version deployed once more while it runs beside the old one: its share changes. In the place of one
    that has failed comes another, which goes on with its state and its keys."""
    wish, move = answer.wish, beside.move
    if beside.ending and beside.sql != wish.sql:
        return instead(control, beside, wish.sql, answer.version, beside.strategy, move)
    if beside.sql != wish.sql or wish.strategy == "REPLACE":
        hint = (
            f"roll it back first (velo rollback {beside.app}), or deploy version '{beside.version}' with a larger share"
        )
        message = f"version '{beside.version}' runs beside '{beside.app}' already, and has {beside.share} % of the keys"
        raise VeloError(message, hint=hint, code="job-state")
    if move["phase"] != SETTLED or "asked" in move:
        message = f"version '{beside.version}' of '{beside.app}' is on its way to {move['share']} %"
        raise VeloError(message, hint="wait until it is there: velo versions", code="job-state")
    steps = [share for share in wish.steps if share > beside.share or wish.strategy == "CANARY"]
    return ask_for(control, beside, steps or [WHOLE])


def ask_for(control: Control, beside: Deployment, shares: list[int]) -> Deployment:
    """Leaves for the mover that a version which runs beside another one is to have other shares, one after another."""
    with control.registry.together():
        kept = control.registry.now(beside)
        if not kept.move:
            message = f"version '{beside.version}' of '{beside.app}' has arrived meanwhile"
            raise VeloError(message, hint="look at its versions, then try again", code="job-state")
        return control.registry.change(kept, settings={**kept.settings, "move": {**kept.move, "asked": shares}})


def instead(
    control: Control, failed: Deployment, sql: str, version: str, strategy: str, move: dict[str, Any]
) -> Deployment:
    """Puts a version in the place of one that has failed beside another: it goes on with its state and its keys."""
    state = control.folders.state(failed.app, failed.state)
    new_plan = planned(sql, failed.app, control.folders.files, state).plan
    verdict = judge(control.plan_of(failed).plan, new_plan, state)
    if not verdict.compatible:
        raise incompatible(f"{failed.app} version {failed.version}", verdict)
    active = control.registry.active(failed.app)
    with control.registry.together():
        require_same(control, failed.app, active, failed)
        kept = control.registry.now(failed)
        settings = {"owners": kept.settings.get("owners", {}), "move": move}
        control.registry.change(kept, role=RETIRED, wanted=STOPPED, share=0, settings={"owners": settings["owners"]})
        wished = Deployment(failed.app, 0, version, sql, kept.state, strategy, kept.share, BESIDE, settings=settings)
        new = control.registry.add(wished)
        said = f"version {version} in the place of {failed.version}, which had failed"
        control.registry.happened(new, "deployed", said)
    control.supervisor.look()
    return new


def incompatible(name: str, verdict: Verdict) -> VeloError:
    """The refusal of a version that cannot go on with the state of the one before."""
    lost = "; ".join(str(change) for change in verdict.changes if not change.compatible)
    hint = "deploy it with --fresh to begin without state, or under another name"
    message = f"the state of '{name}' does not fit the new version: {lost}"
    return VeloError(message, hint=hint, code="state-mismatch")
