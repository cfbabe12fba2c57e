from typing import Any

from velostream.testing.differences import difference
from velostream.testing.matching import match_any_order, match_ordered, newest

DAY = "2024-01-01"
Rows = list[dict[str, Any]]


def test_rows_may_come_in_any_order_and_have_more_columns() -> None:
    expected: Rows = [{"k": "a"}, {"k": "b", "n": 1}]
    actual: Rows = [{"k": "b", "n": 1}, {"k": "a", "n": 2}]
    assert not match_any_order(expected, actual, DAY, exact=False)
    assert match_any_order(expected, actual, DAY, exact=True)


def test_every_row_serves_one_expectation() -> None:
    expected: Rows = [{"k": "a"}, {"k": "a"}]
    found = match_any_order(expected, [{"k": "a", "n": 1}], DAY, exact=False)
    assert found.missing == ({"k": "a"},)
    assert not found.unexpected


def test_a_loose_expectation_leaves_its_row_to_a_strict_one() -> None:
    expected: Rows = [{"k": "a"}, {"k": "a", "n": 1}]
    actual: Rows = [{"k": "a", "n": 1}, {"k": "a", "n": 2}]
    assert not match_any_order(expected, actual, DAY, exact=False)


def test_what_does_not_fit_stands_beside_the_nearest_row() -> None:
    expected: Rows = [{"k": "a", "n": 1}, {"k": "b", "n": 7}]
    actual: Rows = [{"k": "b", "n": 8}, {"k": "a", "n": 1}, {"k": "c", "n": 0}]
    found = match_any_order(expected, actual, DAY, exact=False)
    assert found.different == (({"k": "b", "n": 7}, {"k": "b", "n": 8}),)
    assert found.unexpected == ({"k": "c", "n": 0},)


def test_in_order_rows_are_compared_one_by_one() -> None:
    expected: Rows = [{"n": 1}, {"n": 2}]
    assert not match_ordered(expected, [{"n": 1}, {"n": 2}], DAY, exact=False)
    assert len(match_ordered(expected, [{"n": 2}, {"n": 1}], DAY, exact=False).different) == 2
    assert match_ordered(expected, [{"n": 1}], DAY, exact=False).missing == ({"n": 2},)


def test_the_newest_revision_counts_and_what_was_withdrawn_does_not() -> None:
    rows: Rows = [
        {"k": "a", "n": 1, "_revision": 1, "_emission": "final"},
        {"k": "b", "n": 1, "_revision": 1, "_emission": "final"},
        {"k": "a", "n": 2, "_revision": 2, "_emission": "late"},
        {"k": "b", "n": 1, "_revision": 1, "_emission": "retract"},
    ]
    assert newest(rows, ["k"]) == [rows[2]]


def test_a_difference_shows_both_sides_and_marks_the_column() -> None:
    found = match_any_order([{"k": "b", "n": 7}, {"k": "x"}], [{"k": "b", "n": 8}, {"k": "c"}], DAY, exact=False)
    text = difference("rows of 'x'", 2, 2, found, DAY)
    assert text.splitlines() == [
        "rows of 'x' are not as expected: 2 expected, 2 found",
        "  different",
        "       column  expected  found",
        "       k       b         b",
        "    ≠  n       7         8",
        "  missing     {k: x}",
        "  unexpected  {k: c}",
    ]


def test_a_long_difference_says_how_much_it_hides() -> None:
    found = match_any_order([], [{"n": n} for n in range(30)], DAY, exact=False)
    assert difference("rows", 0, 30, found, DAY).endswith("  and 10 more")
