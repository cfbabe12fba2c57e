"""Which drivers live but say nothing: each speaks every second, unless it or its JVM hangs."""

from __future__ import annotations

import time
from dataclasses import dataclass

from velostream.server.process import Process


@dataclass
class _Heard:
    """When a driver said something that was new, by the clock of this process."""

    word: float | None
    since: float


class Hearing:
    """Listens to drivers. What counts is whether their words change, not which time they name: clocks are set."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._heard: dict[Process, _Heard] = {}
        self._reasons: dict[Process, str] = {}

    def silent(self, process: Process, word: float | None) -> float:
        """For how many seconds a driver has been silent, where that is too long; 0 where all is well."""
        now = time.monotonic()
        heard = self._heard.get(process)
        if heard is None or heard.word != word:
            self._heard[process] = _Heard(word, now)
            return 0.0
        quiet = now - heard.since
        if quiet < self._patience:
            return 0.0
        self._reasons[process] = f"the driver lived, but said nothing for {quiet:.0f} s"
        return quiet

    def reason(self, process: Process) -> str:
        """Why a driver was ended, where it was for its silence; nobody listens to it any more."""
        self._heard.pop(process, None)
        return self._reasons.pop(process, "")
