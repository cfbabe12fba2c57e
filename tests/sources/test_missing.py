"""Sources that are not there yet: waited for as long as is set, and not at all by default."""

from __future__ import annotations

import time

import pytest
from tests.config.asking import Asked, source

from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.sources.streams.missing import wait_for


def settings(**more: str) -> Settings:
    given = {"q.type": "http_source", "q.url": "http://h/x", **{f"q.{name}": text for name, text in more.items()}}
    asked = Asked(given, source("q"))
    assert not asked.problems, asked.problems
    return asked.resolved["q"]


class Coming:
    def __init__(self, looks: int, code: str = "http-unreachable") -> None:
        self.left, self.code, self.looks = looks, code, 0

    def __call__(self) -> str:
        self.looks += 1
        if self.looks <= self.left:
            raise VeloError("it is not there", hint="start it", code=self.code)
        return "there"


def test_by_default_nobody_waits_and_the_hint_says_how_to() -> None:
    look = Coming(1)
    with pytest.raises(VeloError, match="it is not there") as caught:
        wait_for("q", "http", settings(), look)
    assert look.looks == 1
    assert caught.value.hint == "start it; 'q.http.wait.timeout' = '30s' waits for it"


def test_what_comes_in_time_is_taken() -> None:
    look = Coming(3)
    chosen = settings(**{"http.wait.timeout": "10s", "http.retry.interval": "10ms"})
    assert wait_for("q", "http", chosen, look) == "there"
    assert look.looks == 4


def test_when_the_time_is_over_the_error_says_how_long_it_was() -> None:
    began = time.monotonic()
    chosen = settings(**{"http.wait.timeout": "200ms", "http.retry.interval": "50ms"})
    with pytest.raises(VeloError, match="it is not there, after 200ms"):
        wait_for("q", "http", chosen, Coming(99))
    assert 0.2 <= time.monotonic() - began < 2


def test_what_waiting_does_not_help_is_said_at_once() -> None:
    look = Coming(1, "http-refused")
    with pytest.raises(VeloError):
        wait_for("q", "http", settings(**{"http.wait.timeout": "10s"}), look)
    assert look.looks == 1
