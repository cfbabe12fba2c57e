"""A deployment: one version of an application that is to run, runs, or ran."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

RUNNING, RESTARTING, STOPPED = "running", "restarting", "stopped"
"""What is wanted of a deployment."""
ACTIVE, BESIDE, RETIRED = "active", "beside", "retired"
"""The role of a deployment: the one that speaks for its application, one that runs beside it, one of the past."""
FAILED, DONE = "failed", "done"
"""How a deployment ended that nobody stopped."""
COPYING = "copying"
"""The phase of a move in which a version waits for the state that it begins with (the others: `moving.phases`)."""
STRATEGIES = ("REPLACE", "BLUE_GREEN", "CANARY", "ROLLING")


@dataclass(frozen=True, slots=True)
class Deployment:
    """One row of the registry. `number` counts the deployments of an application, `version` is what people say."""

    app: str
    number: int
    version: str
    sql: str = field(repr=False)
    state: str
    """The folder of checkpoints that it uses."""
    strategy: str = "REPLACE"
    share: int = 100
    """How many of a hundred keys it writes the results of."""
    role: str = ACTIVE
    wanted: str = RUNNING
    ending: str = ""
    """How it ended, where nobody stopped it."""
    reason: str = ""
    """Why it failed, or is being restarted."""
    restarts: int = 0
    retry_at: float = 0.0
    """When the next start is tried."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What else its driver is told."""
    created: float = 0.0

    @property
    def move(self) -> dict[str, Any]:
        """How far its keys are on their way; empty where nothing moves (see `moving.phases`)."""
        return dict(self.settings.get("move", {}))

    @property
    def waits_for_state(self) -> bool:
        """True while the state that it is to begin with is not there yet: it must not be started."""
        return self.move.get("phase") == COPYING

    @property
    def rests(self) -> bool:
        """True while jobs are paused since keys get other owners at this moment."""
        return bool(self.move.get("resting"))

    def row(self) -> tuple[Any, ...]:
        """As the registry keeps it, in the order of COLUMNS."""
        values = {name: getattr(self, name) for name in COLUMNS}
        return tuple((values | {"settings": json.dumps(self.settings)}).values())

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> Deployment:
        """From a row of the registry."""
        values = dict(zip(COLUMNS, row, strict=True))
        return cls(**values | {"settings": json.loads(values["settings"])})


COLUMNS = (
    *("app", "number", "version", "sql", "state", "strategy", "share", "role", "wanted", "ending", "reason"),
    *("restarts", "retry_at", "settings", "created"),
)
