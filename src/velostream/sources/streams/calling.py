"""Calls of a source to what it reads: tried again if they may pass, through a breaker that the job's report shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from velostream.breaker import Breaker, Limits, together
from velostream.config.failure import limits_of, patience_of
from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.retrying import Patience, persist

T = TypeVar("T")
BREAKERS, _TASKS = "breakers", ".tasks"
"""Below the folder of a job: what the breakers of its sources report, which live in other processes."""


@dataclass(frozen=True)
class Calls:
    """How a source calls, as it travels to other processes."""

    source: str
    folder: str = ""
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)
    in_task: bool = False
    """True in a task of Spark, which lives for a micro-batch: what it calls is added to what tasks before it called."""

    @classmethod
    def of(cls, source: str, settings: Any, folder: Path) -> Calls:
        """As the settings of the source and its job say; `folder` is that of the job."""
        return cls(source, str(folder), patience_of(settings.job), limits_of(settings))

    @classmethod
    def read(cls, data: dict[str, Any]) -> Calls:
        """From what `asdict` made."""
        return cls(data["source"], data["folder"], Patience(**data["patience"]), Limits(**data["limits"]))

    @cached_property
    def breaker(self) -> Breaker:
        """The breaker of this process."""
        return Breaker(self.source, self.limits, changed=self._keep)

    def __call__(self, call: Callable[[], T]) -> T:
        """Calls until it succeeds, or until it has been tried often enough."""
        return persist(call, self.patience, self.breaker, _same)

    def __getstate__(self) -> dict[str, Any]:
        """A breaker does not travel: every process has its own."""
        return {name: value for name, value in self.__dict__.items() if name not in ("breaker", "_file", "_before")}

    def of_task(self) -> Calls:
        """The same in a task of Spark."""
        return replace(self, in_task=True)

    @cached_property
    def _file(self) -> Path:
        return Path(self.folder) / BREAKERS / f"{self.source}{_TASKS if self.in_task else ''}.json"

    @cached_property
    def _before(self) -> dict[str, Any]:
        """What tasks before this one reported."""
        return json.loads(self._file.read_text()) if self.in_task and self._file.exists() else {}

    def _keep(self, breaker: Breaker) -> None:
        if self.folder:
            said = breaker.report()
            replace_text(self._file, json.dumps({**together(self._before, said), "state": said["state"]}))


def reports(folder: Path) -> dict[str, dict[str, Any]]:
    """What the breakers of the sources of a job report, by source; `folder` is that of the job."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted((folder / BREAKERS).glob("*.json")):
        source = file.stem.removesuffix(_TASKS)
        found[source] = together(found.get(source, {}), json.loads(file.read_text()))
    return found


def _same(error: Exception) -> VeloError:
    if isinstance(error, VeloError):
        return error
    raise error
