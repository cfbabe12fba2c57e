"""Where the hot tier of each running query lies, who uses it, and what is cleared away once nobody does."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_MEMORY = Path("/dev/shm")
_OWNERS = "owners"
_claimed: set[Path] = set()


def shared_memory() -> Path:
    """The folder of all jobs of this user on this host: in memory where the system has such a folder."""
    base = _MEMORY if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    return base / f"velostream-{os.getuid()}"


def own_folder(name: str) -> Path | None:
    """A folder in shared memory of this process alone, gone with it, at the latest when another one starts; None where
    there is no shared memory."""
    base = shared_memory()
    folder = base / f"{name}-{os.getpid()}"
    if base.parent != _MEMORY:
        return None
    try:
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        owner = folder / _OWNERS / _process(os.getpid())
        if not owner.exists():
            sweep(base, 3_600.0, but=folder.name)
            owner.parent.mkdir(parents=True, exist_ok=True)
            owner.touch()
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
    except OSError:
        return None
    return folder


def claimed(base: Path, query: str, ttl: float) -> Path | None:
    """The folder of a query, with this worker's parent as one of its owners; the first one here clears up before.

    Workers come and go, their parent stays for as long as there is work: what no living process owns can go. None where
    no folder can be had, or where another user has one of that name.
    """
    folder = base / query
    if folder in _claimed:
        return folder
    try:
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        if base.stat().st_uid != os.getuid():
            return None
        owner = folder / _OWNERS / _process(os.getppid())
        if not owner.exists():
            sweep(base, ttl, but=query)
            owner.parent.mkdir(parents=True, exist_ok=True)
            owner.touch()
    except OSError:
        return None
    _claimed.add(folder)
    return folder


def sweep(base: Path, ttl: float, but: str = "") -> None:
    """Remove the folders of queries whose owners are gone, or that never had one and are old."""
    for folder in base.iterdir():
        if folder.name == but:
            continue
        owners = [each.name for each in (folder / _OWNERS).glob("*")]
        if not any(map(_lives, owners)) and (owners or _age(folder) > ttl):
            shutil.rmtree(folder, ignore_errors=True)


def released(query: str, base: Path | None = None) -> None:
    """Remove what a query kept, once it has stopped."""
    folder = (base or shared_memory()) / query
    _claimed.discard(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _age(path: Path) -> float:
    with suppress(OSError):
        return time.time() - path.stat().st_mtime
    return 0.0


def _process(number: int) -> str:
    """A process as a name that no later process can have: its number and, where the system tells, its start."""
    return f"{number}-{_start(number)}"


def _start(number: int) -> str:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _lives(name: str) -> bool:
    text, _, start = name.partition("-")
    if not text.isdecimal():
        return False
    try:
        os.kill(int(text), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _start(int(text)) == start
