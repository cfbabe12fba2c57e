"""The control plane: everything that a server consists of, put together in one place."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass, field

from velostream.errors import VeloError
from velostream.server.api.auth import LoginCodes, token_of
from velostream.server.control import Control
from velostream.server.figures import Figures
from velostream.server.folders import Folders
from velostream.server.moving.moves import Moves
from velostream.server.progress import ProgressEvents
from velostream.server.registry.database import Database
from velostream.server.registry.registry import Registry
from velostream.server.settings import ServerSettings


@dataclass
class Plane:
    """One control plane; only one serves a data folder at a time."""

    settings: ServerSettings
    control: Control
    token: str = field(repr=False)
    codes: LoginCodes
    progress: ProgressEvents
    figures: Figures
    moves: Moves
    _lock: int

    @classmethod
    def open(cls, settings: ServerSettings, token: str = "") -> Plane:
        """Opens the data folder, and finds again what runs."""
        folders = Folders(settings.data.absolute())
        folders.root.mkdir(parents=True, exist_ok=True)
        folders.root.chmod(0o700)
        folders.files.mkdir(exist_ok=True)
        lock = _locked(folders)
        folders.clear()
        registry = Registry(Database(settings.registry, folders.database))
        control = Control(registry, folders, settings)
        plane = cls(
            settings,
            control,
            token_of(folders.token, token),
            LoginCodes(),
            ProgressEvents(control),
            Figures(control),
            Moves(control),
            lock,
        )
        control.supervisor.each_look += [plane.progress.look, plane.figures.look]
        control.supervisor.start()
        plane.moves.start()
        return plane

    @property
    def folders(self) -> Folders:
        """Where everything lies."""
        return self.control.folders

    def close(self) -> None:
        """Lets go of the folder. Drivers go on."""
        self.moves.close()
        self.control.supervisor.close()
        self.control.registry.database.close()
        os.close(self._lock)


def _locked(folders: Folders) -> int:
    """Takes the lock of the data folder, which ends with this process; drivers do not inherit it."""
    handle = os.open(folders.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        hint = "stop the other one, or name another folder with --data"
        raise VeloError(f"another server uses '{folders.root}'", hint=hint, code="data-in-use") from None
    return handle
