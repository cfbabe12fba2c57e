"""Keys of messages as the values of columns."""

from __future__ import annotations

import pytest

from velostream.tables.keys import joined_key, split_key


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a|b", ["a", "b"]),
        ("", [""]),
        ("a|", ["a", ""]),
        (r"a\|b|c\\d", ["a|b", r"c\d"]),
        (r"\N|x", [None, "x"]),
        (r"x\N|y", ["xN", "y"]),
        (r"\Nx|y", ["Nx", "y"]),
        (r"\N|", [None, ""]),
        (r"\\N", [r"\N"]),
        (r"a\\|b", ["a\\", "b"]),
    ],
)
def test_values_are_told_apart(text: str, values: list[str | None]) -> None:
    assert split_key(text) == values


@pytest.mark.parametrize("values", [["a", None, ""], ["a|b", r"\N", "\\"], [None], ["1", "true"]])
def test_values_that_were_joined_are_told_apart_again(values: list[str | None]) -> None:
    assert split_key(joined_key(values)) == values
    assert joined_key([1, True]) == "1|true"
