"""What may pass is tried again, the rest is not."""

from __future__ import annotations

from threading import Event

import pytest

from velostream.breaker import OPEN, Breaker, Limits
from velostream.errors import VeloError
from velostream.retrying import GivenUp, Patience, persist


def outside(text: str = "down") -> VeloError:
    return VeloError(text, code="database-unreachable")


def same(error: Exception) -> VeloError:
    assert isinstance(error, VeloError)
    return error


class Flaky:
    def __init__(self, failures: int, error: VeloError | None = None) -> None:
        self.left, self.error, self.calls = failures, error or outside(), 0

    def __call__(self) -> str:
        self.calls += 1
        if self.left:
            self.left -= 1
            raise self.error
        return "done"


def test_pauses_double_up_to_a_minute() -> None:
    assert list(Patience(8, 1.0).pauses()) == [1, 2, 4, 8, 16, 32, 60, 60]


def test_it_succeeds_in_the_end_and_tells_of_each_failure() -> None:
    told: list[tuple[str, float]] = []
    flaky = Flaky(2)
    answer = persist(
        flaky, Patience(3, 0.001), Breaker("x"), same, told=lambda error, pause: told.append((error.message, pause))
    )
    assert (answer, flaky.calls) == ("done", 3)
    assert told == [("down", 0.001), ("down", 0.002)]


def test_after_the_last_retry_the_error_is_raised() -> None:
    flaky = Flaky(9)
    with pytest.raises(VeloError, match="down"):
        persist(flaky, Patience(2, 0.001), Breaker("x"), same)
    assert flaky.calls == 3


def test_what_cannot_pass_is_not_tried_again() -> None:
    flaky = Flaky(9, VeloError("no such column", code="unknown-column"))
    with pytest.raises(VeloError, match="no such column"):
        persist(flaky, Patience(5, 0.001), Breaker("x"), same)
    assert flaky.calls == 1


def test_an_open_breaker_is_waited_for_and_costs_no_try() -> None:
    breaker = Breaker("x", Limits(0.5, 2, 0.05, 1))
    flaky = Flaky(3)
    assert persist(flaky, Patience(3, 0.001), breaker, same) == "done"
    assert (flaky.calls, breaker.opened, breaker.refused) == (4, 2, 0)


def test_a_stop_ends_the_waiting() -> None:
    stopping = Event()
    breaker = Breaker("x", Limits(0.5, 1, 30.0))
    with pytest.raises(GivenUp):
        persist(Flaky(9), Patience(3, 0.01), breaker, same, stopping=stopping, told=lambda *_: stopping.set())
    assert breaker.state == OPEN
