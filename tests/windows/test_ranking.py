from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import short

from velostream.errors import InvalidPlan
from velostream.types import BIGINT
from velostream.windows.accumulators.base import Sort
from velostream.windows.facts import Facts, Progress
from velostream.windows.ranking import Ranking, RankingSettings
from velostream.windows.store import MemoryStore

SCHEMA = {"name": pl.String, "n": pl.Int64, "_window_start": pl.Int64, "_window_end": pl.Int64}
MORE = {"_origin": pl.String, "_origin_revision": pl.Int64, "_origin_gone": pl.Boolean}
TOP = RankingSettings(("name", "n"), (Sort("n", BIGINT, descending=True),), limit=2, allowed=100)
ROW = ("name", "n", "_emission", "_revision", "_place")

Row = tuple[str, int, int, int, bool]


class Job:
    """Rows are (origin, n, window, revision, gone); windows are ten long."""

    def __init__(self, what: RankingSettings) -> None:
        self.what, self.store, self.rows = what, MemoryStore(), list[dict[str, Any]]()

    def batch(self, *rows: Row, watermark: int | None = None, flush: bool = False) -> list[dict[str, Any]]:
        table = [(o, n, w * 10, w * 10 + 10, o, revision, gone) for o, n, w, revision, gone in rows]
        frame = pl.DataFrame(table, schema={**SCHEMA, **MORE}, orient="row")
        facts = Facts(() if watermark is None else (Progress("up", 0, watermark),), flush=flush)
        said = Ranking(self.what, self.store).process(frame, facts).results.to_dicts()
        self.rows += said
        return said


def test_the_best_of_a_window_are_said_when_it_closes() -> None:
    job = Job(TOP)
    assert job.batch(("a", 1, 0, 1, False), ("b", 5, 0, 1, False), ("c", 3, 0, 1, False), watermark=5) == []
    assert short(job.batch(watermark=10), *ROW) == [("b", 5, "final", 1, 0), ("c", 3, "final", 1, 1)]


def test_a_correction_moves_one_in_and_one_out() -> None:
    job = Job(TOP)
    job.batch(("a", 1, 0, 1, False), ("b", 5, 0, 1, False), ("c", 3, 0, 1, False), watermark=10)
    assert short(job.batch(("a", 9, 0, 2, False)), *ROW) == [("c", 3, "retract", 1, 1), ("a", 9, "late", 1, 0)]
    assert short(job.batch(("b", 5, 0, 1, True)), *ROW) == [("b", 5, "retract", 1, 0), ("c", 3, "late", 2, 1)]


def test_what_only_changes_its_place_is_not_said_again() -> None:
    job = Job(RankingSettings(("name", "n"), (Sort("n", BIGINT),), allowed=100))
    job.batch(("a", 1, 0, 1, False), ("b", 5, 0, 1, False), watermark=10)
    assert short(job.batch(("c", 3, 0, 1, False)), *ROW) == [("c", 3, "late", 1, 1)]


def test_distinct_rows_are_said_once() -> None:
    job = Job(RankingSettings(("n",), distinct=True))
    job.batch(("a", 1, 0, 1, False), ("b", 1, 0, 1, False), ("c", 3, 0, 1, False))
    assert sorted(short(job.batch(flush=True), "n")) == [(1,), (3,)]


def test_changes_keep_the_list_up_to_date() -> None:
    job = Job(RankingSettings(("name", "n"), (Sort("n", BIGINT, descending=True),), limit=1, changes=True))
    assert short(job.batch(("a", 1, 0, 1, False)), *ROW) == [("a", 1, "change", 1, 0)]
    assert short(job.batch(("b", 2, 0, 1, False)), *ROW) == [("a", 1, "retract", 1, 0), ("b", 2, "change", 1, 0)]
    assert job.batch(watermark=50) == []


def test_everything_withdrawn_leaves_an_empty_list() -> None:
    job = Job(TOP)
    job.batch(("a", 1, 0, 1, False), watermark=10)
    assert short(job.batch(("a", 1, 0, 1, True)), *ROW) == [("a", 1, "retract", 1, 0)]


@pytest.mark.parametrize("wrong", [{"limit": -1}, {}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidPlan):
        RankingSettings(("n",), **wrong)


updates = st.tuples(st.sampled_from("abcd"), st.integers(0, 9), st.integers(0, 2), st.booleans())


@hypothesis_settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(st.lists(st.lists(updates, max_size=5), max_size=6), st.booleans())
def test_what_a_reader_holds_at_the_end_is_the_sorted_list(batches: list[list[Any]], changes: bool) -> None:
    what = RankingSettings(
        ("name", "n"), (Sort("n", BIGINT, descending=True),), limit=2, changes=changes, allowed=1_000
    )
    job = Job(what)
    rows: dict[tuple[int, str], tuple[int, bool]] = {}
    for number, batch in enumerate(batches):
        latest = {(window, origin): (n, gone) for origin, n, window, gone in batch}
        job.batch(*((o, n, w, number + 1, gone) for (w, o), (n, gone) in latest.items()), watermark=number * 7)
        rows |= latest
    job.batch(flush=True)
    held: dict[tuple[int, str], int] = {}
    for row in job.rows:
        identity = (row["_window_start"] // 10, row["name"])
        if row["_emission"] == "retract":
            del held[identity]
        else:
            held[identity] = row["n"]
    expected = {}
    for window in range(3):
        own = sorted((-n, o) for (w, o), (n, gone) in rows.items() if w == window and not gone)[:2]
        expected |= {(window, o): -n for n, o in own}
    assert held == expected
