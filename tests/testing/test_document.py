import math

import pytest

from velostream.positions import Text
from velostream.testing.document import InvalidSpec, Items, Table, read_document


def read(text: str) -> object:
    return read_document(Text(text, "spec.yaml"))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        ("true", True),
        ("null", None),
        ("~", None),
        ("'5'", "5"),
        ("10:05:03", "10:05:03"),
        ("2024-01-01", "2024-01-01"),
        ("no", "no"),
        ("on", "on"),
        ("0x10", "0x10"),
        ("!!binary aGk=", b"hi"),
        (".inf", math.inf),
    ],
)
def test_only_numbers_truths_and_nothing_are_not_text(written: str, value: object) -> None:
    table = read(f"a: {written}")
    assert isinstance(table, Table)
    assert table["a"] == value
    assert type(table["a"]) is type(value)


def test_keys_and_members_know_their_places() -> None:
    table = read("a: 1\nb:\n  - x\n  - {c: 2}\n")
    assert isinstance(table, Table)
    assert table.places["b"].line == 2
    members = table["b"]
    assert isinstance(members, Items)
    assert [place.line for place in members.places] == [3, 4]


def test_anchors_and_merges_bring_in_what_is_not_given() -> None:
    table = read("base: &base {a: 1, b: 2}\nown: {<<: *base, b: 3}\n")
    assert isinstance(table, Table)
    assert table["own"] == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: [1,\nb: 2", "expected ',' or ']'", 2),
        ("a: 1\na: 2", "'a' is given twice", 2),
        ("? [a]\n: 1", "a key must be a name", 1),
        ("", "nothing in the file", 1),
        ("a: &a [*a]", "holds itself", 1),
        ("a: {<<: 5}", "merges mappings only", 1),
    ],
)
def test_what_cannot_be_read_is_an_error_at_its_place(text: str, message: str, line: int) -> None:
    with pytest.raises(InvalidSpec, match=message) as refusal:
        read(text)
    assert refusal.value.span is not None
    assert refusal.value.span.line == line
    assert refusal.value.hint
