"""Calls of sources: what the driver and the tasks of a job called is one report."""

from pathlib import Path

import pytest

from velostream.breaker import Limits
from velostream.errors import VeloError
from velostream.retrying import Patience
from velostream.sources.streams.calling import Calls, reports


def fail() -> None:
    raise VeloError("away", code="database-unreachable")


def test_what_tasks_called_is_added_up_and_the_state_is_that_of_the_last(tmp_path: Path) -> None:
    assert reports(tmp_path) == {}
    calls = Calls("s", str(tmp_path), Patience(1, 0.001), Limits(calls=2, open_for=0.01, trials=1))
    calls(lambda: None)
    calls(lambda: None)
    with pytest.raises(VeloError, match="away"):
        calls.of_task()(fail)
    told = reports(tmp_path)["s"]
    assert "away" in told.pop("error")
    assert told == {"state": "open", "calls": 4, "failures": 2, "suspended": 0, "opened": 1}
    calls.of_task()(lambda: None)
    told = reports(tmp_path)["s"]
    assert (told["state"], told["calls"], told["failures"]) == ("closed", 5, 2)
