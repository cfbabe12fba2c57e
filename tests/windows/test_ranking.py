"""ORDER BY, LIMIT, DISTINCT and top-N over partitions whose rows are corrected."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import short
from tests.windows.rows.standing import Job, Row

from velostream.errors import InvalidPlan, VeloError
from velostream.types import BIGINT
from velostream.windows.accumulators.base import Sort
from velostream.windows.lateness import Lateness
from velostream.windows.ranking import Ranking
from velostream.windows.rows import Due, Standing, StandingSettings
from velostream.windows.rows.held import refuse_scattered

BEST = (Sort("value", BIGINT, descending=True),)
TOP = StandingSettings(
    Ranking(BEST, 2), ("key", "value"), due=Due.AT_CLOSE, close="_window_end", lateness=Lateness(100)
)
ROW = ("_origin", "value", "_emission", "_revision")


def job(what: StandingSettings) -> Job:
    return Job(partial(Standing, what))


def test_the_best_of_a_window_are_said_when_it_closes_in_their_order() -> None:
    top = job(TOP)
    assert top.batch(Row("a", 1, 1), Row("b", 2, 5), Row("c", 3, 3), watermark=5) == []
    assert top.outcomes[-1].stats.open == 3
    assert top.outcomes[-1].outgoing == 1
    assert short(top.batch(watermark=10), *ROW) == [("b", 5, "final", 1), ("c", 3, "final", 1)]
    assert top.outcomes[-1].outgoing == 10


def test_a_correction_moves_one_in_and_one_out() -> None:
    top = job(TOP)
    top.batch(Row("a", 1, 1), Row("b", 1, 5), Row("c", 1, 3), watermark=10)
    assert short(top.batch(Row("a", 1, 9, revision=2)), *ROW) == [("c", 3, "retract", 1), ("a", 9, "late", 1)]
    assert short(top.batch(Row("b", 1, 5, gone=True)), *ROW) == [("b", 5, "retract", 1), ("c", 3, "late", 2)]


def test_what_only_changes_its_place_is_not_said_again() -> None:
    ordered = job(replace(TOP, answer=Ranking(BEST)))
    ordered.batch(Row("a", 1, 1), Row("b", 1, 5), watermark=10)
    assert short(ordered.batch(Row("c", 1, 3)), *ROW) == [("c", 3, "late", 1)]


def test_what_a_flush_said_is_corrected_once_and_not_said_again_at_the_close() -> None:
    top = job(TOP)
    top.batch(Row("a", 1, 1), watermark=5, flush=True)
    assert short(top.batch(Row("b", 1, 5)), *ROW) == [("b", 5, "late", 1)]
    assert top.batch(flush=True) == []
    assert top.batch(watermark=20) == []


def test_early_rows_are_listed_early_and_said_again_when_the_window_closes() -> None:
    top = job(replace(TOP, kind="key"))
    assert short(top.batch(Row("a", 1, 4, key="early"), watermark=2), *ROW) == [("a", 4, "early", 1)]
    assert short(top.batch(Row("a", 1, 4, key="final", revision=2), watermark=10), *ROW) == [("a", 4, "final", 2)]


def test_a_row_whose_window_is_gone_is_a_dead_letter() -> None:
    top = job(TOP)
    top.batch(watermark=110)
    assert top.batch(Row("a", 1)) == []
    assert top.outcomes[-1].stats.dead_lettered == {"too_late": 1}


def test_distinct_rows_are_said_once_and_on_as_long_as_one_of_them_stands() -> None:
    distinct = job(StandingSettings(Ranking(limit=1), ("value",), ("value",)))
    assert short(distinct.batch(Row("a", 1, None), Row("b", 2, None), Row("c", 3, 7)), "value") == [(None,), (7,)]
    assert short(distinct.batch(Row("a", 1, None, gone=True)), *ROW) == [
        ("a", None, "retract", 1),
        ("b", None, "change", 1),
    ]


def test_changes_keep_the_list_up_to_date() -> None:
    top = job(replace(TOP, answer=Ranking(BEST, 1), changes=True))
    assert short(top.batch(Row("a", 1, 1)), *ROW) == [("a", 1, "change", 1)]
    assert short(top.batch(Row("b", 1, 2)), *ROW) == [("a", 1, "retract", 1), ("b", 2, "change", 1)]
    assert top.batch(watermark=50) == []


def test_the_whole_list_is_said_anew_where_something_changed() -> None:
    shown = job(StandingSettings(Ranking(BEST, 2), ("key", "value"), whole=True))
    shown.batch(Row("a", 1, 1), Row("b", 1, 2))
    assert short(shown.batch(Row("c", 1, 3)), "_origin") == [("c",), ("b",)]
    assert shown.batch(Row("d", 1, 0)) == []


def test_one_row_per_partition_is_known_by_the_partition() -> None:
    newest = Ranking((Sort("_event_time", BIGINT, descending=True),), 1, trims=True)
    what = StandingSettings(newest, ("key", "value"), ("key",), by_partition=True, keeps_previous=True)
    last = job(what)
    last.batch(Row("a", 1, 10), Row("b", 2, 20))
    last.batch(Row("c", 1, 30))
    said = last.batch(Row("d", 3, 40))
    assert short(said, "key", "value", "_revision", "_emission") == [("a", 40, 2, "change")]
    assert said[0]["_previous"]["value"] == 20
    assert last.outcomes[-1].stats.in_results == 1


def test_a_silent_partition_is_forgotten_after_its_time_to_live() -> None:
    what = StandingSettings(Ranking(BEST, 1, trims=True), ("key", "value"), ("key",), ttl=10)
    best = job(what)
    best.batch(Row("a", 1, 9), watermark=1)
    best.batch(Row("b", 12, 3, key="b"), watermark=12)
    assert short(best.batch(Row("c", 13, 5), watermark=13), *ROW) == [("c", 5, "change", 1)]
    assert short(best.batch(Row("d", 14, 6), watermark=14), *ROW) == [("c", 5, "retract", 1), ("d", 6, "change", 1)]


def test_a_row_that_is_corrected_after_its_time_to_live_is_new_however_its_state_lies() -> None:
    what = StandingSettings(
        Ranking(BEST, 1), ("key", "value"), ("key",), by_partition=True, keeps_previous=True, ttl=10
    )
    newest = job(what)
    newest.batch(Row("a", 1, 5), Row("b", 2, 7, key="b"), watermark=2)
    newest.batch(Row("a", 2, 6, revision=2), watermark=12)
    newest.batch(Row("c", 13, 5, key="c"), watermark=13)
    [again] = newest.batch(Row("a", 14, 4, revision=3), watermark=14)
    assert (again["value"], again["_revision"], again["_previous"]) == (4, 1, None)
    [corrected] = newest.batch(Row("a", 15, 3, revision=4), watermark=15)
    assert (corrected["_revision"], corrected["_previous"]["value"]) == (2, 4)
    assert newest.batch(Row("b", 2, 7, key="b", revision=2, gone=True)) == []
    assert [row["_origin_revision"] for row in newest.rows if row["key"] == "a"] == [1, 2, 4, 5]


def test_a_time_to_live_that_is_set_later_lets_go_what_was_said_before() -> None:
    what = StandingSettings(Ranking(BEST, 1), ("key", "value"), ("key",), by_partition=True, keeps_previous=True)
    newest = job(what)
    newest.batch(Row("a", 1, 5), Row("b", 2, 7, key="b"), Row("d", 9, 7, key="d"), watermark=2)
    newest.make = partial(Standing, replace(what, ttl=10))
    [corrected] = newest.batch(Row("a", 2, 6, revision=2), watermark=3)
    assert (corrected["_revision"], corrected["_previous"]["value"]) == (2, 5)
    for at in range(3, 15):
        newest.batch(Row("c", at, at, key="c", revision=at), watermark=at)
    [corrected] = newest.batch(Row("d", 15, 3, key="d", revision=2), watermark=15)
    assert (corrected["_revision"], corrected["_previous"]["value"]) == (2, 7)
    [again] = newest.batch(Row("b", 15, 4, key="b", revision=2), watermark=15)
    assert (again["_revision"], again["_previous"]) == (1, None)


def test_at_the_flush_all_rows_are_said_once_and_only_new_ones_at_the_next() -> None:
    ordered = job(StandingSettings(Ranking(BEST), ("value",), due=Due.AT_FLUSH))
    ordered.batch(Row("a", 1, 1), Row("b", 2, 2))
    assert ordered.outcomes[-1].stats.open == 2
    assert short(ordered.batch(flush=True), "value") == [(2,), (1,)]
    ordered.batch(Row("c", 1, 9))
    assert short(ordered.batch(flush=True), "value", "_emission") == [(9, "late")]


@pytest.mark.parametrize(
    ("ranking", "places"), [("ROW_NUMBER", [1, 2, 3, 4]), ("RANK", [1, 1, 3, 4]), ("DENSE_RANK", [1, 1, 2, 3])]
)
def test_ranks_with_ties(ranking: str, places: list[int]) -> None:
    what = StandingSettings(Ranking(BEST, 9, ranking, "place"), ("value",))
    rows = [Row("a", 1, 9), Row("b", 1, 9), Row("c", 1, 5), Row("d", 1, None)]
    assert short(job(what).batch(*rows), "place") == [(place,) for place in places]


@pytest.mark.parametrize("wrong", [{"limit": -1}, {"ranking": "NTILE"}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidPlan):
        Ranking(**wrong)


updates = st.tuples(st.sampled_from("abcd"), st.integers(0, 9), st.integers(0, 2), st.booleans())


@hypothesis_settings(max_examples=25, phases=[Phase.generate])
@given(st.lists(st.lists(updates, max_size=5), max_size=6), st.booleans())
def test_what_a_reader_holds_at_the_end_is_the_sorted_list(batches: list[list[Any]], changes: bool) -> None:
    top = job(replace(TOP, changes=changes, lateness=Lateness(1_000)))
    rows: dict[tuple[int, str], tuple[int, bool]] = {}
    for number, batch in enumerate(batches):
        latest = {(window, origin): (n, gone) for origin, n, window, gone in batch}
        sent = [Row(f"{o}{w}", w * 10, n, "k", number + 1, gone) for (w, o), (n, gone) in latest.items()]
        top.batch(*sent, watermark=number * 7)
        rows |= latest
    top.batch(flush=True)
    expected = {}
    for window in range(3):
        own = sorted((-n, o) for (w, o), (n, gone) in rows.items() if w == window and not gone)[:2]
        expected |= {f"{o}{window}": -n for n, o in own}
    assert {name: row["value"] for name, row in top.held().items()} == expected


@hypothesis_settings(max_examples=25, phases=[Phase.generate])
@given(
    st.lists(st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 9)), max_size=6), max_size=6),
    st.sampled_from(["ROW_NUMBER", "RANK", "DENSE_RANK"]),
)
def test_the_first_of_records_are_kept_in_little_state(batches: list[list[Any]], ranking: str) -> None:
    answer = Ranking(BEST, 2, ranking, "place", trims=True)
    top = job(StandingSettings(answer, ("key", "value"), ("key",)))
    everything: list[tuple[str, int, str]] = []
    for number, batch in enumerate(batches):
        rows = [Row(f"{chr(97 + place)}{number}", number, value, key) for place, (key, value) in enumerate(batch)]
        top.batch(*rows)
        everything += [(r.key or "", r.value or 0, r.origin) for r in rows]
    expected = {}
    for key in "xy":
        values = sorted((value for k, value, _ in everything if k == key), reverse=True)
        ranks = {
            "RANK": lambda v, a=values: a.index(v) + 1,
            "DENSE_RANK": lambda v, a=values: len({x for x in a if x > v}) + 1,
        }
        own = sorted(((-v, o) for k, v, o in everything if k == key), key=lambda one: (one[0], order(one[1])))
        for place, (value, origin) in enumerate(own, start=1):
            rank = ranks[ranking](-value) if ranking in ranks else place
            if rank <= 2:
                expected[origin] = (-value, rank)
    assert {name: (row["value"], row["place"]) for name, row in top.held().items()} == expected


def order(origin: str) -> tuple[int, int, str]:
    return int(origin[1:]), ord(origin[0]), origin


def test_changes_of_one_row_in_two_partitions_end_the_run_since_their_offsets_say_nothing() -> None:
    places = pl.DataFrame({"id": [1, 1, 2], "name": ["a", "a", "b"], "_partition": [0, 0, 1]})
    refuse_scattered(places, ["id", "name"])
    with pytest.raises(VeloError, match="the key '1, a' are in partitions 0, 3"):
        refuse_scattered(
            pl.concat([places, places.head(1).with_columns(_partition=pl.lit(3, pl.Int64))]), ["id", "name"]
        )
