"""What tells that a user's function does something else than before."""

import subprocess
import sys
from pathlib import Path

import pytest

from velostream.functions.digest import digest
from velostream.functions.loading import load_file

_FILE = '''
from decimal import Decimal
from functools import lru_cache, partial
from velostream.functions.python import aggregate, scalar

def twice_or(times, value):
    return value * times


class Steps:
    def __init__(self, size):
        self.size = size

    @property
    def half(self):
        return self.size / 2


@lru_cache
def stepped(value):
    return value // STEPS.half + THIRD(10)


STEPS = Steps(8)
THIRD = partial(twice_or, 3)
RATES = {"a": 1, "b": {2, 3}, "c": Decimal("1.5")}


@scalar("INT")
def steps(value):
    return stepped(value)


def twice(value):
    return value * 2


@scalar("INT")
def other(value):
    return value


@scalar("INT")
def net(value):
    """The price."""
    return twice(value) + RATES["a"] + max(other(each) for each in (1, value))


@aggregate("DOUBLE")
class Total:
    """All of them."""

    def __init__(self):
        self.sum = 0

    def add(self, value):
        self.sum += twice(value)

    def merge(self, other):
        self.sum += other.sum

    def finish(self):
        return self.sum
'''


def digests(file: Path, text: str) -> dict[str, str]:
    file.write_text(text)
    return {each.name: digest(each.implementation.run) for each in load_file(file) if each.implementation is not None}


@pytest.mark.parametrize(
    ("was", "now", "changed"),
    [
        ("value * 2", "value * 3", {"NET", "TOTAL"}),
        ('"a": 1', '"a": 2', {"NET"}),
        ("{2, 3}", "{2, 4}", {"NET"}),
        ("max(", "min(", {"NET"}),
        ("    return value\n", "    return -value\n", {"NET", "OTHER"}),
        ("self.sum = 0", "self.sum = 1", {"TOTAL"}),
        ("Steps(8)", "Steps(9)", {"STEPS"}),
        ("size / 2", "size / 3", {"STEPS"}),
        ("value // STEPS", "value % STEPS", {"STEPS"}),
        ("twice_or, 3)", "twice_or, 4)", {"STEPS"}),
        ("value * times", "value - times", {"STEPS"}),
        ("The price.", "The price without tax.", set()),
        ("All of them.", "Their sum.", set()),
        ("RATES = ", "# by country\n\n\nRATES = ", set()),
    ],
)
def test_a_function_that_does_something_else_is_told_from_the_one_before(
    tmp_path: Path, was: str, now: str, changed: set[str]
) -> None:
    before = digests(tmp_path / "pricing.py", _FILE)
    after = digests(tmp_path / "pricing.py", _FILE.replace(was, now))
    assert {name for name in before if before[name] != after[name]} == changed


def test_another_process_tells_the_same(tmp_path: Path) -> None:
    here = digests(tmp_path / "pricing.py", _FILE)
    program = (
        "from pathlib import Path; from velostream.functions.digest import digest;"
        "from velostream.functions.loading import load_file;"
        f"print({{f.name: digest(f.implementation.run) for f in load_file(Path({str(tmp_path / 'pricing.py')!r}))}})"
    )
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == str(here)
