"""Rows that share a value: told apart by marks, also where some of them are equal."""

from __future__ import annotations

from velostream.sources.database_ties import MOST, Ties


def test_what_was_read_is_left_out_as_often_as_it_was_read() -> None:
    assert Ties.of(3, ["a", "a", "b"]).without(["a", "b", "a", "a", "c"]) == ["a", "c"]


def test_the_rows_that_were_added_are_chosen_whatever_has_come_since() -> None:
    before, after = Ties.of(2, ["a", "b"]), Ties.of(4, ["a", "b", "a", "c"])
    assert after.since(before).chosen(before.without(["a", "d", "b", "c", "a"])) == ["c", "a"]
    assert after.since(None) is after


def test_in_place_of_a_row_that_was_changed_stands_what_it_is_now() -> None:
    assert Ties.of(2, ["a", "b"]).chosen(["b", "a2", "c"]) == ["b", "a2"]


def test_of_very_many_rows_no_marks_are_kept() -> None:
    assert Ties.of(MOST + 1, ["a"]).marks is None
