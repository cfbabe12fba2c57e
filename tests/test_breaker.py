"""A circuit breaker opens, waits, tries and closes."""

from __future__ import annotations

import pytest

from velostream.breaker import CLOSED, HALF_OPEN, OPEN, Breaker, CircuitOpen, Limits
from velostream.errors import VeloError


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def failing(breaker: Breaker) -> None:
    with pytest.raises(OSError, match="down"), breaker.call():
        raise OSError("down")


def passing(breaker: Breaker) -> None:
    with breaker.call():
        pass


def opened(clock: Clock) -> Breaker:
    breaker = Breaker("db", Limits(0.5, 4, 30.0, 3), clock)
    passing(breaker)
    passing(breaker)
    failing(breaker)
    assert breaker.state == CLOSED, "three calls are not four"
    failing(breaker)
    return breaker


def test_half_of_the_last_calls_open_it_and_nobody_is_called() -> None:
    breaker = opened(Clock())
    assert breaker.state == OPEN
    assert breaker.wait == 30.0
    with pytest.raises(CircuitOpen, match=r"calls to 'db' are suspended for another 30\.0 s: down"):
        passing(breaker)
    told = {"state": OPEN, "calls": 4, "failures": 2, "suspended": 1, "opened": 1, "error": "down"}
    assert breaker.report() == told


def test_trial_calls_that_succeed_close_it() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 30
    assert (breaker.state, breaker.wait) == (HALF_OPEN, 0.0)
    for _ in range(3):
        passing(breaker)
    assert breaker.state == CLOSED
    failing(breaker)
    assert breaker.state == CLOSED, "what failed before it opened is forgotten"


def test_a_trial_call_that_fails_opens_it_again() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 31
    passing(breaker)
    failing(breaker)
    assert (breaker.state, breaker.opened, breaker.wait) == (OPEN, 2, 30.0)


def test_old_failures_leave_the_share() -> None:
    breaker = Breaker("db", Limits(0.75, 4))
    for _ in range(2):
        failing(breaker)
    for _ in range(10):
        passing(breaker)
    for _ in range(2):
        failing(breaker)
    assert breaker.state == CLOSED
    failing(breaker)
    assert breaker.state == OPEN


def test_an_open_breaker_is_an_error_from_outside() -> None:
    assert isinstance(CircuitOpen("x"), VeloError)
    assert CircuitOpen("x").exit_code == 3


def test_who_listens_hears_of_every_call() -> None:
    states = []
    breaker = Breaker("db", Limits(0.5, 2), changed=lambda one: states.append(one.state))
    failing(breaker)
    failing(breaker)
    assert states == [CLOSED, OPEN]
