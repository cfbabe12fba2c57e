"""Something that a notebook shows while it changes."""

import subprocess
import sys

import pytest

from velostream.api.notebook import kept_shown

PROGRAM = """
import time
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from velostream.api.notebook import kept_shown

class Counter:
    looks = 0
    def _repr_html_(self):
        Counter.looks += 1
        return f"<b>{Counter.looks}</b>"

InteractiveShell.instance()
with capture_output() as shown, kept_shown(Counter(), every=0.05):
    time.sleep(0.3)
print([(each.data["text/html"], each.update) for each in shown.outputs][:2], len(shown.outputs) > 2)
"""


class Unseen:
    def __repr__(self) -> str:
        raise AssertionError("nobody is there to look")


def test_nothing_is_shown_where_there_is_no_notebook() -> None:
    with kept_shown(Unseen(), every=0.001):
        pass


def test_a_notebook_shows_one_thing_again_and_again() -> None:
    pytest.importorskip("IPython", reason="there is no IPython: what notebooks show while jobs run is not tested")
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert said.stdout.strip().endswith("[('<b>1</b>', False), ('<b>2</b>', True)] True"), said.stderr
