"""Things with names, and the nearest to one that nobody knows."""

from dataclasses import dataclass

import pytest

from velostream.registry import by_name, did_you_mean, nearest

COLUMNS = ["symbol", "price", "quantity", "trade_time"]


@dataclass(frozen=True)
class Member:
    name: str


def test_members_are_found_by_name_in_their_order() -> None:
    assert list(by_name([Member("b"), Member("a")])) == ["b", "a"]


def test_two_members_of_one_name_are_a_programming_error() -> None:
    with pytest.raises(ValueError, match="two members are named 'a'"):
        by_name([Member("a"), Member("a")])


def test_a_misspelled_name_is_found_again() -> None:
    assert nearest("pirce", COLUMNS) == ["price"]
    assert nearest("SYMBL", COLUMNS) == ["symbol"]


def test_a_part_of_a_name_finds_it() -> None:
    assert nearest("time", COLUMNS) == ["trade_time"]


def test_what_resembles_nothing_finds_nothing() -> None:
    assert nearest("zzz", COLUMNS) == []
    assert nearest("x", COLUMNS) == []


def test_a_hint_names_the_nearest_and_all() -> None:
    assert did_you_mean("pirce", COLUMNS, "columns") == (
        "did you mean 'price'? columns: symbol, price, quantity, trade_time"
    )
    assert did_you_mean("pirce", COLUMNS) == "did you mean 'price'?"
    assert did_you_mean("zzz", []) == ""


def test_a_long_list_is_cut_and_says_so() -> None:
    names = [f"column_{number}" for number in range(25)]
    assert did_you_mean("zzz", names, "columns").endswith("column_19 and 5 more")
