"""Who writes to a folder of state: one driver at a time, which is known to whoever finds the folder in use."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path

from velostream.errors import VeloError
from velostream.jobs.holding import LOCK, taken
from velostream.server.process import Process


@dataclass(frozen=True, slots=True)
class Holder:
    """A driver that writes to a folder of state, and the folder that it was started with."""

    process: Process
    folder: str


def hold(state: Path, process: Process, folder: Path) -> int:
    """Takes the folder for this process, until it ends. Two drivers never write to the same state."""
    handle = taken(state, {"pid": process.pid, "mark": process.mark, "folder": str(folder)})
    if handle is None:
        hint = "wait for its end, or stop it with FORCE"
        raise VeloError("another driver still writes to this state", hint=hint, code="checkpoint-unreadable")
    return handle


def holder_of(state: Path) -> Holder | None:
    """The driver that writes to a folder of state; None where none does."""
    try:
        handle = os.open(state / LOCK, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        said = json.loads(os.read(handle, 10_000) or b"{}")
        return Holder(Process(int(said.get("pid", 0)), str(said.get("mark", ""))), str(said.get("folder", "")))
    finally:
        os.close(handle)
    return None
