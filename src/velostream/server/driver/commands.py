"""What a control plane tells a driver, and what it answers: files in two folders, so that either may be away."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.server.folders import DriverFolder

STOP, PAUSE, RESUME, RESTART, FLUSH, QUERY, MEET, SWITCH, SAVE = (
    *("stop", "pause", "resume", "restart", "flush", "query", "meet", "switch", "save"),
)
LOOK = 0.05
"""How often an answer is looked for, in seconds."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a driver is to do, with all of its jobs or with those that are named."""

    verb: str
    jobs: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}")


def send(folder: DriverFolder, command: Command) -> Command:
    """Leaves a command for the driver."""
    replace_text(folder.commands / f"{command.id}.json", json.dumps(asdict(command)))
    return command


def waiting(folder: DriverFolder) -> list[Command]:
    """The commands that were not answered yet, oldest first."""
    found = []
    for file in sorted(folder.commands.glob("[0-9]*.json")):
        try:
            said = json.loads(file.read_text())
        except FileNotFoundError:  # answered at this moment, by another thread
            continue
        found.append(Command(said["verb"], tuple(said["jobs"]), said["details"], said["id"]))
    return found


def answer(folder: DriverFolder, command: Command, result: Mapping[str, Any]) -> None:
    """Says what became of a command; it waits no more."""
    replace_text(folder.answers / f"{command.id}.json", json.dumps(result, default=str))
    (folder.commands / f"{command.id}.json").unlink(missing_ok=True)


def refuse(folder: DriverFolder, command: Command, error: VeloError) -> None:
    """Answers with an error."""
    answer(folder, command, {"error": {"code": error.error_code, "message": error.message, "hint": error.hint}})


def outcome(folder: DriverFolder, command: Command, seconds: float, alive: Callable[[], bool]) -> dict[str, Any] | None:
    """What the driver answers; None where it has not answered in time. An error that it answers with is raised."""
    file = folder.answers / f"{command.id}.json"
    until = time.monotonic() + seconds
    while not file.exists():
        if not alive() and not file.exists():
            message = f"the driver ended before it could {command.verb}"
            raise VeloError(message, hint="look at its log, then try again", code="job-state")
        if time.monotonic() > until:
            return None
        time.sleep(LOOK)
    said: dict[str, Any] = json.loads(file.read_text())
    file.unlink(missing_ok=True)
    if "error" in said:
        raise VeloError(said["error"]["message"], hint=said["error"]["hint"], code=said["error"]["code"])
    return said
