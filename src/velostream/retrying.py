"""Trying again: what may pass by itself is tried again, each time after twice as long a pause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

from velostream.breaker import Breaker, CircuitOpen
from velostream.codes import Domain
from velostream.errors import VeloError

T = TypeVar("T")
LONGEST_PAUSE = 60.0


class GivenUp(Exception):
    """A stop was asked for while something was being tried again."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often something is tried again, and how many seconds after it failed for the first time."""

    retries: int = 3
    backoff: float = 1.0

    def pauses(self) -> Iterator[float]:
        """The pauses between the tries."""
        for number in range(self.retries):
            yield min(self.backoff * 2**number, LONGEST_PAUSE)


def may_pass(error: VeloError) -> bool:
    """True for what comes from outside, and may be over the next time."""
    return error.domain is Domain.EXTERNAL


def persist(
    call: Callable[[], T],
    patience: Patience,
    breaker: Breaker,
    translate: Callable[[Exception], VeloError],
    *,
    stopping: Event | None = None,
    told: Callable[[VeloError, float], None] | None = None,
) -> T:
    """Calls until it succeeds. Waiting for an open breaker is no try; `told` hears of every failure and pause."""
    pauses = patience.pauses()
    while True:
        _pause(breaker.wait, stopping)
        try:
            with breaker.call():
                return call()
        except CircuitOpen:
            continue
        except Exception as failure:
            error = translate(failure)
            pause = next(pauses, None) if may_pass(error) else None
            if pause is None:
                raise error from failure
            if told is not None:
                told(error, pause)
            _pause(pause, stopping)


def _pause(seconds: float, stopping: Event | None) -> None:
    if stopping is None:
        time.sleep(seconds)
    elif seconds > 0 and stopping.wait(seconds):
        raise GivenUp
