"""How the tests of commands run one: in this process, with its exit code and both outputs."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from velostream.cli.main import main


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


Velo = Callable[..., Answer]


@pytest.fixture
def velo(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Velo:
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: object) -> Answer:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run
