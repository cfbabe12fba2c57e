"""Sizes of micro-batches: the adaptive one follows the latency within its bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from velostream.events import BatchEnded
from velostream.jobs.accounts import Accounts
from velostream.jobs.batching import Adapting, Batching
from velostream.sources.streams.limits import BatchLimit


def adaptive(file: Path, size: int = 1_000) -> Batching:
    made = Batching("adaptive", least=100, most=10_000, target=1.0, file=file)
    made.set(size)
    return made


def test_the_size_comes_to_what_the_target_latency_allows(tmp_path: Path) -> None:
    one = adaptive(tmp_path / "limit")
    for _ in range(20):
        assert one.size is not None
        one.observe(one.size, 0.2 + one.size / 5_000)
    assert one.size == pytest.approx(4_000, rel=0.15), "0.2 s and 5,000 records per second are 4,000 in a second"
    assert int((tmp_path / "limit").read_text()) == one.size


def test_it_stays_within_its_bounds(tmp_path: Path) -> None:
    one = adaptive(tmp_path / "limit")
    for _ in range(10):
        one.observe(one.size or 0, 0.001)
    assert one.size == 10_000
    for _ in range(10):
        one.observe(one.size or 0, 60)
    assert one.size == 100


def test_a_quick_batch_of_few_records_says_nothing(tmp_path: Path) -> None:
    one = adaptive(tmp_path / "limit")
    one.observe(10, 0.001)
    one.observe(0, 5)
    assert one.size == 1_000
    one.observe(10, 5)
    assert one.size == 500, "but a slow one does"


def test_it_listens_to_its_own_job(tmp_path: Path) -> None:
    accounts = Accounts(read=5_000)
    one = Adapting("a", accounts, adaptive(tmp_path / "limit"), 5_000)
    accounts.read = 6_000
    one(BatchEnded("b", 0, 0, at=4 * 10**9))
    one(BatchEnded("a", 0, 0, error="x", at=4 * 10**9))
    assert one.batching.size == 1_000
    one(BatchEnded("a", 0, 0, at=4 * 10**9))
    assert (one.batching.size, one.before) == (500, 6_000)


def test_a_limit_that_changes_is_read_from_its_file(tmp_path: Path) -> None:
    limit = BatchLimit(700, None, str(tmp_path / "limit"))
    assert limit.most_records == 700
    adaptive(tmp_path / "limit", 500)
    assert limit.most_records == 500
    adaptive(tmp_path / "limit", 9_000)
    assert limit.most_records == 700
