"""Colours only where someone looks at a terminal."""

import io

import pytest

from velostream.cli.colours import Colours, colours_of
from velostream.diagnostics import Severity


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert colours_of(Terminal()).on


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_can_refuse_them(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert not colours_of(Terminal()).on


def test_a_pipe_gets_none() -> None:
    assert not colours_of(io.StringIO()).on


def test_off_means_untouched() -> None:
    assert Colours().paint("x", "red") == "x"
    assert Colours(on=True).paint("x", "red") == "\x1b[31mx\x1b[0m"
    assert Colours(on=True).paint("", "red") == ""
    assert Colours(on=True).severe("x", Severity.WARNING) == "\x1b[1;33mx\x1b[0m"
