"""Savepoints: the state of an application kept under a name, to begin with once more."""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.registry import did_you_mean
from velostream.server.control import Control, Meant
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.driver.holding import hold
from velostream.server.folders import check_name
from velostream.server.moving.copying import copy_state
from velostream.server.planning import Planned, planned
from velostream.server.process import Process

FOLDER, STATE, ABOUT = "savepoints", "state", "about.json"
PATIENCE = 300.0
"""Seconds that a running application is given to come to the end of its batches and to copy its state."""


@dataclass(frozen=True, slots=True)
class Savepoint:
    """What is known of a savepoint."""

    name: str
    app: str
    version: str
    number: int
    sql: str = field(repr=False)
    created: float
    jobs: tuple[str, ...]
    owners: dict[str, Any]
    """What the version owned of its jobs."""


def take(control: Control, name: str, savepoint: str) -> Savepoint:
    """Keeps the state of an application: all of its jobs rest at the end of their batches while it is copied."""
    meant = control.find(name)
    deployment, folder = meant.deployment, _folder(control, meant.deployment.app, savepoint)
    if (folder / ABOUT).exists():
        hint = "choose another name, or remove it first"
        raise VeloError(f"'{deployment.app}' has a savepoint '{savepoint}' already", hint=hint, code="job-state")
    if control.registry.beside(deployment.app) is not None:
        message = f"keys of '{deployment.app}' are on the move between two versions"
        raise VeloError(message, hint="wait until one of them has all keys: velo versions", code="job-state")
    _copy(control, meant, folder / STATE)
    jobs = tuple(job["name"] for job in meant.seen.planned)
    owners = deployment.settings.get("owners", {})
    made = Savepoint(
        *(savepoint, deployment.app, deployment.version, deployment.number, deployment.sql, time.time(), jobs, owners)
    )
    replace_text(folder / ABOUT, json.dumps(asdict(made)))
    (folder / ABOUT).chmod(0o600)
    control.registry.happened(deployment, "savepoint", savepoint)
    return made


def _copy(control: Control, meant: Meant, target: Path) -> None:
    """The driver copies its state between two batches; where none runs, none is started meanwhile."""
    deployment, process = meant.deployment, meant.seen.process
    folder = control.folders.driver(deployment.app, deployment.number)
    target.parent.mkdir(parents=True, exist_ok=True)
    if meant.seen.alive and process is not None:
        sent = commands.send(folder, Command(commands.SAVE, (), {"target": str(target)}))
        if commands.outcome(folder, sent, PATIENCE, lambda: process.alive) is None:
            hint = "its batch takes long: try again later"
            raise VeloError(f"'{deployment.app}' did not come to rest in time", hint=hint, code="job-state")
        return
    state = control.folders.state(deployment.app, deployment.state)
    handle = hold(state, Process.of(os.getpid()), folder.root / "nobody")
    try:
        copy_state(state, target)
    finally:
        os.close(handle)


def listed(control: Control, app: str) -> list[Savepoint]:
    """The savepoints of an application, newest first."""
    files = (control.folders.app(control.app(app).deployment.app) / FOLDER).glob(f"*/{ABOUT}")
    return sorted(map(_read, files), key=lambda one: one.created, reverse=True)


def find(control: Control, app: str, name: str) -> Savepoint:
    """The savepoint of that name."""
    known = {one.name: one for one in listed(control, app)}
    if name not in known:
        hint = did_you_mean(name, known, "savepoints") or f"velo savepoint {app} NAME makes one"
        raise VeloError(f"'{app}' has no savepoint '{name}'", hint=hint, code="unknown-savepoint")
    return known[name]


def remove(control: Control, app: str, name: str) -> None:
    """Forgets a savepoint; versions that began with it have a copy of their own."""
    one = find(control, app, name)
    folder = _folder(control, one.app, one.name)
    (folder / ABOUT).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def state_from(control: Control, one: Savepoint) -> str:
    """A new folder of state that begins as the savepoint; its name."""
    name = f"{one.name}-{uuid.uuid4().hex[:8]}"
    copy_state(folder_of(control, one), control.folders.state(one.app, name))
    return name


def planned_of(control: Control, one: Savepoint) -> Planned:
    """The plan that wrote the state of a savepoint."""
    return planned(one.sql, one.app, control.folders.files, folder_of(control, one))


def folder_of(control: Control, one: Savepoint) -> Path:
    """Where the state of a savepoint is."""
    return _folder(control, one.app, one.name) / STATE


def _folder(control: Control, app: str, name: str) -> Path:
    return control.folders.app(app) / FOLDER / check_name(name, "a savepoint")


def _read(file: Path) -> Savepoint:
    said = json.loads(file.read_text())
    return Savepoint(**said | {"jobs": tuple(said["jobs"])})
