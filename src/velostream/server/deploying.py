"""Deployments: a new version of an application, judged before it runs, and the way back to an older one."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.server.control import Control
from velostream.server.folders import check_name
from velostream.server.planning import Planned, planned
from velostream.server.registry.deployment import ACTIVE, RETIRED, RUNNING, STOPPED, STRATEGIES, Deployment
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
    def version(self) -> str:
        """What the version is called: as wished, as its header says, or the next number."""
        number = 1 if self.before is None else self.before.number + 1
        return self.wish.version or self.planned.version or str(number)


def judged(control: Control, wish: Wish) -> Judged:
    """Checks a wish; SQL that cannot run is refused here."""
    check_name(wish.name)
    strategy = wish.strategy.upper()
    if strategy not in STRATEGIES:
        hint = did_you_mean(wish.strategy, STRATEGIES, "strategies")
        raise VeloError(f"there is no strategy '{wish.strategy}'", hint=hint, code="usage")
    before = control.registry.active(wish.name)
    state = None if before is None or wish.fresh else control.folders.state(before.app, before.state)
    new = planned(wish.sql, wish.name, control.folders.files, state)
    old = None if before is None else control.plan_of(before).plan
    return Judged(wish, new, judge(old, new.plan), before)


def deploy(control: Control, wish: Wish) -> Deployment:
    """Makes a version the one that runs. The version before ends after its batch; then the new one starts, with its
    state where that fits."""
    answer = judged(control, wish)
    if not answer.accepted:
        raise incompatible(wish.name, answer.verdict)
    return _replace(control, answer)


def _replace(control: Control, answer: Judged) -> Deployment:
    registry, before, wish = control.registry, answer.before, answer.wish
    goes_on = before is not None and not wish.fresh
    with registry.together():
        for one in registry.deployments(wish.name):
            if one.role != RETIRED:
                registry.change(one, role=RETIRED, wanted=STOPPED)
        new = registry.add(
            Deployment(
                wish.name,
                0,
                answer.version,
                wish.sql,
                before.state if goes_on and before is not None else "",
                "REPLACE",
                role=ACTIVE,
                wanted=RUNNING,
            )
        )
        registry.happened(new, "deployed", f"version {new.version}{'' if goes_on else ', without earlier state'}")
    control.supervisor.look()
    return new


def incompatible(name: str, verdict: Verdict) -> VeloError:
    """The refusal of a version that cannot go on with the state of the one before."""
    lost = "; ".join(str(change) for change in verdict.changes if not change.compatible)
    hint = "deploy it with --fresh to begin without state, or under another name"
    message = f"the state of '{name}' does not fit the new version: {lost}"
    return VeloError(message, hint=hint, code="state-mismatch")


def rollback(control: Control, name: str, version: str = "") -> Deployment:
    """Goes back to an older version: with the state of now where it fits, else with what it had when it ended."""
    app = control.find(name).deployment.app
    past = control.registry.deployments(app)
    now = next(one for one in reversed(past) if one.role == ACTIVE)
    older = [one for one in past if one.number < now.number and (one.version == version if version else True)]
    older = [one for one in older if version or one.version != now.version or one.sql != now.sql]
    if not older:
        said = f"no version '{version}' before this one" if version else "no version before this one"
        known = ", ".join(dict.fromkeys(f"'{one.version}'" for one in past if one.number < now.number))
        hint = f"there were {known}" if known else "deploy a version instead"
        raise VeloError(f"'{app}' had {said}", hint=hint, code="unknown-version")
    back = older[-1]
    fits = judge(control.plan_of(now).plan, control.plan_of(back).plan).compatible
    with control.registry.together():
        for one in past:
            if one.role != RETIRED:
                control.registry.change(one, role=RETIRED, wanted=STOPPED)
        state = now.state if fits else back.state
        new = control.registry.add(Deployment(app, 0, back.version, back.sql, state, "ROLLBACK"))
        control.registry.happened(new, "rolled back", f"from version {now.version} to {back.version}")
    control.supervisor.look()
    return new
