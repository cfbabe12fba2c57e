"""A circuit breaker: calls to something outside are suspended while most of them fail, and tried again after a while.

Closed, calls go through. When the share of failures among the last calls is reached it opens, and nobody is called.
After a while it is half open: a few trial calls go through, of which the first failure opens it again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from velostream.errors import VeloError

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half_open"
COUNTS = ("calls", "failures", "suspended", "opened")


class CircuitOpen(VeloError):
    """A call that was not made, since the calls before it failed."""

    code = "circuit-open"


@dataclass(frozen=True, slots=True)
class Limits:
    """When a breaker opens and closes; `open_for` is in seconds."""

    failure_rate: float = 0.5
    calls: int = 20
    open_for: float = 30.0
    trials: int = 3


@dataclass
class Breaker:
    """The breaker of one thing outside. Any thread may use it."""

    name: str
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.monotonic
    changed: Callable[[Breaker], None] | None = None
    """Called after every call, outside of the lock."""

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._state = CLOSED
        self._last: deque[bool] = deque(maxlen=self.limits.calls)
        self._opened_at = 0.0
        self._passed = 0
        self.calls = self.failures = self.refused = self.opened = 0
        self.error = ""

    @property
    def state(self) -> str:
        """Closed, open or half open, as it is now."""
        with self._lock:
            self._look()
            return self._state

    @property
    def wait(self) -> float:
        """Seconds until a call may be made; 0 where it may be made now."""
        with self._lock:
            self._look()
            return max(0.0, self._opened_at + self.limits.open_for - self.clock()) if self._state == OPEN else 0.0

    @contextmanager
    def call(self) -> Iterator[None]:
        """One call: what is raised inside is a failure. An open breaker raises CircuitOpen instead."""
        self._ask()
        try:
            yield
        except Exception as error:
            self._note(failed=True, error=str(error))
            raise
        self._note(failed=False)

    def report(self) -> dict[str, Any]:
        """As the report of a run has it."""
        return {
            "state": self.state,
            "calls": self.calls,
            "failures": self.failures,
            "suspended": self.refused,
            "opened": self.opened,
            **({"error": self.error} if self.error else {}),
        }

    def _ask(self) -> None:
        with self._lock:
            self._look()
            if self._state != OPEN:
                return
            self.refused += 1
            left = self._opened_at + self.limits.open_for - self.clock()
            message = f"calls to '{self.name}' are suspended for another {left:.1f} s: {self.error}"
        raise CircuitOpen(message, hint="see to what is called; circuit.breaker.* sets when calls are suspended")

    def _look(self) -> None:
        """An open breaker lets trial calls through after its time."""
        if self._state == OPEN and self.clock() - self._opened_at >= self.limits.open_for:
            self._state, self._passed = HALF_OPEN, 0

    def _note(self, *, failed: bool, error: str = "") -> None:
        with self._lock:
            self.calls += 1
            self.failures += failed
            self.error = error.splitlines()[0] if error else self.error
            self._last.append(failed)
            if self._state == HALF_OPEN:
                self._tried(failed=failed)
            elif self._state == CLOSED and failed and self._fails_often:
                self._open()
        if self.changed is not None:
            self.changed(self)

    @property
    def _fails_often(self) -> bool:
        limits = self.limits
        return len(self._last) == limits.calls and sum(self._last) >= limits.failure_rate * limits.calls

    def _tried(self, *, failed: bool) -> None:
        if failed:
            self._open()
            return
        self._passed += 1
        if self._passed >= self.limits.trials:
            self._state = CLOSED
            self._last.clear()

    def _open(self) -> None:
        self._state, self._opened_at = OPEN, self.clock()
        self.opened += 1


def together(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two reports about calls to the same thing as one: counts are summed, and the state is the worse of the two."""
    states = [one["state"] for one in (first, second) if one]
    counts = {name: first.get(name, 0) + second.get(name, 0) for name in COUNTS}
    error = second.get("error") or first.get("error")
    worst = max(states, key=(CLOSED, HALF_OPEN, OPEN).index, default=CLOSED)
    return {"state": worst, **counts, **({"error": error} if error else {})}
