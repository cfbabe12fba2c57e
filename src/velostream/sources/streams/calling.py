"""Calls of a source to what it reads: tried again if they may pass, through a breaker that the job's report shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from velostream.breaker import Breaker, Limits
from velostream.config.failure import limits_of, patience_of
from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.retrying import Patience, persist

T = TypeVar("T")
BREAKERS = "breakers"
"""Below the folder of a job: what the breakers of its sources report, which live in other processes."""


@dataclass(frozen=True)
class Calls:
    """How a source calls, as it travels to other processes."""

    source: str
    folder: str = ""
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)

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
        return {name: value for name, value in self.__dict__.items() if name != "breaker"}

    def _keep(self, breaker: Breaker) -> None:
        if self.folder:
            file = Path(self.folder) / BREAKERS / f"{self.source}.json"
            replace_text(file, json.dumps(breaker.report()))


def _same(error: Exception) -> VeloError:
    if isinstance(error, VeloError):
        return error
    raise error
