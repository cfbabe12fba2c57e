"""ruff and mypy are part of the tests, so that green means clean."""

import subprocess
import sys

import pytest
from tests.project.modules import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "--quiet", "."), ("ruff", "format", "--quiet", "--check", "."), ("mypy",)],
    ids=lambda command: " ".join(command[:2]),
)
def test_the_code_is_clean(command: tuple[str, ...]) -> None:
    answer = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
