"""A folder of state belongs to one process at a time: two that write to it spoil each other's rows and numbers."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from velostream.errors import VeloError

LOCK = ".lock"
"""The file that is locked; it says who has the folder, also to those who find it taken."""


def taken(state: Path, about: Mapping[str, object]) -> int | None:
    """Takes a folder for this process until the handle is closed, or the process ends; None where another has it."""
    state.mkdir(parents=True, exist_ok=True)
    handle = os.open(state / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    os.ftruncate(handle, 0)
    os.write(handle, json.dumps(about).encode())
    return handle


@contextmanager
def held(state: Path) -> Iterator[None]:
    """The folder of state of an application that runs; an error where another process runs with it."""
    handle = taken(state, {"pid": os.getpid()})
    if handle is None:
        message = f"{_who(state)} runs with the checkpoint '{state}'"
        raise VeloError(message, hint="stop it, or take another --checkpoint", code="checkpoint-unreadable")
    try:
        yield
    finally:
        os.close(handle)


def _who(state: Path) -> str:
    try:
        number = json.loads((state / LOCK).read_text())["pid"]
    except (OSError, ValueError, KeyError):
        return "another process"
    return f"another process ({number})" if number != os.getpid() else f"another application of this process ({number})"
