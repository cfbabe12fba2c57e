"""How far a table is, and when it will be there."""

from __future__ import annotations

import time

import pytest

from velostream.tables.progress import LOADING, Progress


def test_what_is_left_to_wait_comes_nearer_to_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """A source that reads ten bytes a second, but for a slow begin."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    about = Progress("t")
    about.begin(LOADING)
    about.total_bytes = 200
    assert about.eta is None
    wrong = []
    for second in range(1, 26):
        now = 100.0 + second
        about.done_bytes = max(1, 10 * (second - 5))
        left = 25 - second
        assert about.eta is not None
        wrong.append(abs(about.eta - left))
    assert wrong[5:] == sorted(wrong[5:], reverse=True)
    assert wrong[-1] == 0


def test_bytes_of_the_step_at_hand_count_but_never_more_than_there_are() -> None:
    about = Progress("t")
    about.begin(LOADING)
    about.total_bytes, about.done_bytes, about.step_bytes = 100, 50, 25
    assert about.percent == 75.0
    about.step_bytes = 80
    assert about.percent == 100.0
