"""Paths to the records of an answer."""

from __future__ import annotations

import pytest

from velostream.config.connections.json_path import JsonPath, steps
from velostream.errors import InvalidProperty
from velostream.sources.streams.json_parts import part


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$", ()),
        ("$.data.items", ("data", "items")),
        ("$.data.items[*]", ("data", "items")),
        ("$['a b'][0][\"c\"].d-e", ("a b", 0, "c", "d-e")),
    ],
)
def test_names_and_indexes(path: str, found: tuple[str | int, ...]) -> None:
    assert steps(path) == found
    assert JsonPath().parse(f" {path} ") == path


@pytest.mark.parametrize("path", ["", "data", "$data", "$.a..b", "$.a[", "$.a[-1]", "$.a[?(@.b)]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidProperty, match="is not a path to records"):
        JsonPath().parse(path)


def test_parts_are_cut_out_as_they_are() -> None:
    text = ' {"a": {"b": [1, {"c": 1.50e400}]}, "a": {"b" : [ ] , "d": "x\\"}"}} '
    assert part(text, ("a", "d")) == '"x\\"}"'
    assert part(text, ("a", "b")) == "[ ]"
    assert part(text, ("a", "b", 0)) is None
    assert part(text, ("a", "d", "e")) is None
    assert part("[10, [2.0, 3]]", (1, 0)) == "2.0"
    with pytest.raises(ValueError, match="follows"):
        part("{} {}", ())
