"""Where everything of a server lies below its data folder, and which names applications may have."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path

from velostream.errors import VeloError

_AWAY = ".deleted-"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class Folders:
    """The data folder of a server (`velo serve --data DIR`)."""

    root: Path

    @property
    def token(self) -> Path:
        """The file with the token, which only its owner may read."""
        return self.root / "token"

    @property
    def database(self) -> Path:
        """The registry, where it is not in PostgreSQL."""
        return self.root / "registry.db"

    @property
    def lock(self) -> Path:
        """Held by the control plane that serves this folder."""
        return self.root / "lock"

    @property
    def files(self) -> Path:
        """Where relative paths of applications start, and the only place that Python functions are taken from."""
        return self.root / "files"

    def app(self, name: str) -> Path:
        """All of one application."""
        return self.root / "apps" / name

    def put_away(self, name: str) -> None:
        """Takes all of an application out of the way in one step: nothing of it can be found by a later one of that
        name. `clear` removes it."""
        folder = self.app(name)
        if folder.exists():
            folder.rename(folder.with_name(f"{_AWAY}{uuid.uuid4().hex}"))

    def clear(self) -> None:
        """Removes what was put away, also what somebody was kept from removing before."""
        for folder in (self.root / "apps").glob(f"{_AWAY}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def driver(self, name: str, number: int) -> DriverFolder:
        """What the driver of a deployment reads and writes."""
        return DriverFolder(self.app(name) / "drivers" / f"{number:06d}")

    def state(self, name: str, state: str) -> Path:
        """Checkpoints: versions that go on with each other's state share one."""
        return self.app(name) / "states" / state


@dataclass(frozen=True, slots=True)
class DriverFolder:
    """The folder of one deployment, through which control plane and driver speak with each other."""

    root: Path

    @property
    def sql(self) -> Path:
        """The text of the application."""
        return self.root / "app.sql"

    @property
    def task(self) -> Path:
        """What the driver is to run, and how."""
        return self.root / "task.json"

    @property
    def process(self) -> Path:
        """Which process it is."""
        return self.root / "process.json"

    @property
    def status(self) -> Path:
        """What it says of itself, every second."""
        return self.root / "status.json"

    @property
    def wanted(self) -> Path:
        """Which of its jobs are paused or stopped: a restart keeps them so."""
        return self.root / "wanted.json"

    @property
    def held(self) -> dict[str, str]:
        """The jobs that a start keeps paused or stopped."""
        found: dict[str, str] = json.loads(self.wanted.read_text()) if self.wanted.exists() else {}
        return found

    @property
    def commands(self) -> Path:
        """What it is told."""
        return self.root / "commands"

    @property
    def answers(self) -> Path:
        """What it answers."""
        return self.root / "answers"

    @property
    def log(self) -> Path:
        """Its log, one JSON object a line."""
        return self.root / "log.jsonl"

    @property
    def output(self) -> Path:
        """What the process prints beside its log, such as the last words of Python or Java."""
        return self.root / "output.txt"


def check_name(name: str, of: str = "an application") -> str:
    """The name of an application or a savepoint, which is a folder's name too; others are refused."""
    if not _NAME.fullmatch(name):
        hint = "letters, digits, '_', '-' and '.', beginning with a letter, at most 100"
        raise VeloError(f"'{name}' cannot be the name of {of}", hint=hint, code="invalid-name")
    return name
