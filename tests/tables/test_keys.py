"""Keys of messages as the values of columns."""

from __future__ import annotations

import pytest

from velostream.tables.keys import split_key


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
    ],
)
def test_values_are_told_apart(text: str, values: list[str | None]) -> None:
    assert split_key(text) == values
