"""YAML becomes flat keys; nothing in it is lost or counted twice."""

import contextlib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from velostream.config.flatten import flatten
from velostream.errors import InvalidConfig


def keys(text: str) -> dict[str, str]:
    return {leaf.key: leaf.text for leaf in flatten(text)}


def test_nested_keys_become_dotted_ones_and_lists_are_numbered() -> None:
    text = "a:\n  b: 1\n  c.d: x\nlist: [p, q]\ndeep:\n  - name: n\n    sizes: [1, 2]\n"
    assert keys(text) == {
        "a.b": "1",
        "a.c.d": "x",
        "list[0]": "p",
        "list[1]": "q",
        "deep[0].name": "n",
        "deep[0].sizes[0]": "1",
        "deep[0].sizes[1]": "2",
    }


def test_scalars_stay_as_they_are_written() -> None:
    assert keys("version: 1.10\nflag: yes\ntime: 1:30\nday: 2026-01-31\nquoted: '5m'\noctal: 010") == {
        "version": "1.10",
        "flag": "yes",
        "time": "1:30",
        "day": "2026-01-31",
        "quoted": "5m",
        "octal": "010",
    }


def test_every_value_knows_its_line() -> None:
    leaves = flatten("# comment\na:\n  b: 1\n\n  c:\n    - x\n    - y\n")
    assert [(leaf.key, leaf.line) for leaf in leaves] == [("a.b", 3), ("a.c[0]", 6), ("a.c[1]", 7)]


def test_an_empty_file_has_no_keys() -> None:
    assert flatten("") == flatten("# nothing\n") == []


def test_anchors_and_merges_are_followed_and_overridden() -> None:
    text = "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\ntwo:\n  <<: [{z: 1}, {z: 2, w: 4}]\n"
    assert keys(text) == {
        "base.x": "1",
        "base.y": "2",
        "one.x": "1",
        "one.y": "3",
        "two.z": "1",
        "two.w": "4",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", "line 2: 'a' is given a second time, first in line 1"),
        ("a.b: 1\na:\n  b: 2\n", "line 3: 'a.b' is given a second time"),
        ("idle_timeout: 1\nidle-timeout: 2", "is given a second time"),
        ("a:\n", "line 1: 'a' has no value"),
        ("a: ~", "'a' has no value"),
        ("a: {}", "'a' has no value"),
        ("x:\n  a: []", "line 2: 'x.a' has no value"),
        ("- a\n- b", "keys and values are expected"),
        ("just text", "keys and values are expected"),
        ("a: [1", "line 1:"),
        ("a: b: c", "line 1:"),
        ("a: \x00", "not YAML"),
        ("? [a]\n: b", "a key must be a name"),
        ("'': 1", "a key must be a name"),
        ("a: &x\n  b: *x", "an anchor holds itself"),
        ("a:\n  <<: text", "'<<' merges mappings only"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InvalidConfig) as refusal:
        flatten(text)
    assert message in refusal.value.message


names = st.text("abcdefgh", min_size=1, max_size=4)
scalars = st.text("abcxyz019 ", min_size=1, max_size=6).filter(lambda text: text.strip() == text)
trees: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(names, inner, min_size=1, max_size=3),
    max_leaves=12,
)


def flat(value: Any, prefix: str) -> dict[str, str]:
    if isinstance(value, dict):
        parts = [flat(member, f"{prefix}.{name}" if prefix else name) for name, member in value.items()]
    elif isinstance(value, list):
        parts = [flat(member, f"{prefix}[{index}]") for index, member in enumerate(value)]
    else:
        return {prefix: value}
    return {key: text for part in parts for key, text in part.items()}


@given(st.dictionaries(names, trees, min_size=1, max_size=4))
def test_any_tree_is_flattened_without_loss(tree: dict[str, Any]) -> None:
    assert keys(yaml.safe_dump(tree, default_style='"')) == flat(tree, "")


@given(st.text(max_size=60))
def test_any_text_gives_keys_or_an_error_of_ours(text: str) -> None:
    with contextlib.suppress(InvalidConfig):
        flatten(text)
