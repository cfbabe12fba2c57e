"""Rollback: back to an older version of an application, whichever way it was left."""

from __future__ import annotations

from velostream.errors import VeloError
from velostream.jobs.ownership import WHOLE
from velostream.server.control import Control
from velostream.server.deploying import ask_for, instead, require_same
from velostream.server.moving.movable import check_movable
from velostream.server.moving.phases import DRAINING, SWITCHING, WARMING
from velostream.server.registry.deployment import BESIDE, COPYING, RETIRED, STOPPED, Deployment
from velostream.server.verdict import judge


def rollback(control: Control, name: str, version: str = "") -> Deployment:
    """Goes back to an older version; answers with what speaks for it. Keys that are on the move go back; else the older
    version takes the place of the one of now: with its state where that fits, beside it where it can, or with what it
    had when it ended."""
    app = control.find(name).deployment.app
    beside = control.registry.beside(app)
    if beside is not None and version in ("", _active(control, app).version):
        _move_back(control, beside)
        return _active(control, app)
    if beside is not None:
        hint = f"roll back what runs beside it first: velo rollback {app}"
        raise VeloError(f"version '{beside.version}' runs beside '{app}'", hint=hint, code="job-state")
    now, back = _active(control, app), _older(control, app, version)
    old, new = control.plan_of(now).plan, control.plan_of(back).plan
    fits = judge(old, new, control.folders.state(app, now.state)).compatible
    if now.strategy in ("REPLACE", "ROLLBACK") or fits:
        return _put_back(control, now, back, fits=fits)
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


def _move_back(control: Control, beside: Deployment) -> None:
    """A move that is not over: the keys go back, and the new version ends when it holds no window of its own. Where it
    has failed, the old version's SQL writes those windows from its state."""
    move = beside.move
    if move["phase"] == DRAINING and int(move["share"]) == WHOLE:
        hint = "wait until the move is over (velo versions), then roll back"
        raise VeloError(f"'{beside.app}' has moved to '{beside.version}' already", hint=hint, code="job-state")
    if beside.ending and move["phase"] not in (COPYING, WARMING):
        active = _active(control, beside.app)
        back = {name: value for name, value in move.items() if name not in ("points", "asked", "resting")}
        back |= {"phase": SWITCHING, "share": 0, "steps": []}
        instead(control, beside, active.sql, active.version, "ROLLBACK", back)
        return
    ask_for(control, beside, [0])


def _put_back(control: Control, now: Deployment, back: Deployment, *, fits: bool) -> Deployment:
    state = now.state if fits else back.state
    owners = (now if fits else back).settings.get("owners")
    with control.registry.together():
        require_same(control, now.app, now)
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
    settings = {"owners": back.settings.get("owners", {}), "move": move}
    new = Deployment(now.app, 0, back.version, back.sql, back.state, "ROLLBACK", 0, BESIDE, settings=settings)
    with control.registry.together():
        require_same(control, now.app, now)
        added = control.registry.add(new)
        control.registry.happened(added, "rolled back", f"from version {now.version} to {back.version}, beside it")
    control.supervisor.look()
    return added
