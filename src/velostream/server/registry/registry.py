"""The registry: which applications there are, in which versions, and what was done with them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from velostream.server.registry.database import Database
from velostream.server.registry.deployment import ACTIVE, BESIDE, COLUMNS, Deployment

_LIST = ", ".join(COLUMNS)
KEPT = 1_000
"""How many happenings of an application are remembered."""


class Registry:
    """Everything that must survive the control plane. Reads are of now; each change is durable when it returns."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several changes at once."""
        with self.database.together():
            yield

    def deployments(self, app: str = "") -> list[Deployment]:
        """All deployments, oldest first."""
        where = " WHERE app = ?" if app else ""
        found = self.database.rows(
            f"SELECT {_LIST} FROM deployments{where} ORDER BY app, number", (app,) if app else ()
        )
        return [Deployment.of(row) for row in found]

    def active(self, app: str) -> Deployment | None:
        """The deployment that speaks for an application."""
        return next((one for one in reversed(self.deployments(app)) if one.role == ACTIVE), None)

    def now(self, deployment: Deployment) -> Deployment:
        """A deployment as it is kept now: for changes that begin with what there is, inside of `together`."""
        kept = self.deployments(deployment.app)
        return next((one for one in kept if one.number == deployment.number), deployment)

    def beside(self, app: str) -> Deployment | None:
        """The deployment that runs beside the active one, if there is one."""
        return next((one for one in self.deployments(app) if one.role == BESIDE), None)

    def add(self, deployment: Deployment) -> Deployment:
        """Keeps a new deployment, under the next number of its application."""
        numbers = self.database.rows("SELECT MAX(number) FROM deployments WHERE app = ?", (deployment.app,))
        number = (numbers[0][0] or 0) + 1
        new = replace(deployment, number=number, state=deployment.state or f"{number:06d}", created=time.time())
        places = ", ".join("?" for _ in COLUMNS)
        self.database.run(f"INSERT INTO deployments ({_LIST}) VALUES ({places})", new.row())
        return new

    def change(self, deployment: Deployment, **changes: Any) -> Deployment:
        """Keeps what has changed of a deployment."""
        new = replace(deployment, **changes)
        values = dict(zip(COLUMNS, new.row(), strict=True))
        listed = ", ".join(f"{name} = ?" for name in changes)
        wanted = [*(values[name] for name in changes), new.app, new.number]
        self.database.run(f"UPDATE deployments SET {listed} WHERE app = ? AND number = ?", wanted)
        return new

    def forget(self, app: str) -> None:
        """Removes an application and its past."""
        with self.together():
            self.database.run("DELETE FROM deployments WHERE app = ?", (app,))
            self.database.run("DELETE FROM happenings WHERE app = ?", (app,))

    def happened(self, deployment: Deployment, what: str, detail: str = "") -> None:
        """Remembers that something happened."""
        values = (deployment.app, deployment.number, time.time(), what, detail)
        self.database.run("INSERT INTO happenings (app, number, at, what, detail) VALUES (?, ?, ?, ?, ?)", values)
        oldest = self.database.rows(
            "SELECT at FROM happenings WHERE app = ? ORDER BY at DESC LIMIT 1 OFFSET ?", (deployment.app, KEPT)
        )
        for row in oldest:
            self.database.run("DELETE FROM happenings WHERE app = ? AND at <= ?", (deployment.app, row[0]))

    def happenings(self, app: str) -> list[dict[str, Any]]:
        """What happened to an application, newest first."""
        found = self.database.rows(
            "SELECT number, at, what, detail FROM happenings WHERE app = ? ORDER BY at DESC", (app,)
        )
        return [dict(zip(("number", "at", "what", "detail"), row, strict=True)) for row in found]
