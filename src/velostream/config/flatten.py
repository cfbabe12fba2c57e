"""YAML text as flat keys: nested mappings become dotted keys, lists become `key[0]`; each value knows its line.

The text of a scalar stays as it was written (`1.10` is not 1.1, `yes` is not true): the property decides what it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.config.keys import fold
from velostream.errors import InvalidConfig

if TYPE_CHECKING:
    import yaml
else:
    from velostream.lazy import lazy

    yaml = lazy("yaml")

_NULL = "tag:yaml.org,2002:null"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a YAML file."""

    key: str
    text: str
    line: int


def flatten(text: str) -> list[Leaf]:
    """The values of a YAML text in order. Two values for one key are refused, as is a key without a value."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidConfig(f"line {line}: {error.problem or 'not YAML'}", hint="correct the YAML") from None
    except yaml.YAMLError as error:
        raise InvalidConfig(f"not YAML: {' '.join(str(error).split())}", hint="correct the YAML") from None
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        raise InvalidConfig("line 1: keys and values are expected", hint="write for example 'topic: trades'")
    leaves = list(_mapping(root, "", ()))
    seen: dict[str, Leaf] = {}
    for leaf in leaves:
        first = seen.setdefault(fold(leaf.key), leaf)
        if first is not leaf:
            message = f"line {leaf.line}: '{leaf.key}' is given a second time, first in line {first.line}"
            raise InvalidConfig(message, hint="keep one")
    return leaves


def _mapping(node: yaml.MappingNode, prefix: str, above: tuple[int, ...]) -> Iterator[Leaf]:
    merged: list[Leaf] = []
    own: list[Leaf] = []
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or not key.value.strip():
            raise InvalidConfig(f"line {line}: a key must be a name")
        if key.value == "<<":
            merged += _merged(value, prefix, above)
        else:
            own += _node(value, f"{prefix}{key.value.strip()}", above, line)
    overridden = {fold(leaf.key) for leaf in own}
    yield from (leaf for leaf in merged if fold(leaf.key) not in overridden)
    yield from own


def _merged(node: yaml.Node, prefix: str, above: tuple[int, ...]) -> list[Leaf]:
    """What `<<: *anchor` brings in; of several, the first wins, as YAML says."""
    mappings = node.value if isinstance(node, yaml.SequenceNode) else [node]
    found: dict[str, Leaf] = {}
    for mapping in mappings:
        if not isinstance(mapping, yaml.MappingNode):
            raise InvalidConfig(f"line {node.start_mark.line + 1}: '<<' merges mappings only")
        for leaf in _mapping(mapping, prefix, _deeper(mapping, above)):
            found.setdefault(fold(leaf.key), leaf)
    return list(found.values())


def _node(node: yaml.Node, key: str, above: tuple[int, ...], line: int) -> Iterator[Leaf]:
    if node.tag == _NULL or (isinstance(node, yaml.CollectionNode) and not node.value):
        raise InvalidConfig(f"line {line}: '{key}' has no value", hint="give it a value, or remove the key")
    if isinstance(node, yaml.MappingNode):
        yield from _mapping(node, f"{key}.", _deeper(node, above))
    elif isinstance(node, yaml.SequenceNode):
        for index, member in enumerate(node.value):
            yield from _node(member, f"{key}[{index}]", _deeper(node, above), member.start_mark.line + 1)
    else:
        yield Leaf(key, node.value, node.start_mark.line + 1)


def _deeper(node: yaml.Node, above: tuple[int, ...]) -> tuple[int, ...]:
    if id(node) in above:
        raise InvalidConfig(f"line {node.start_mark.line + 1}: an anchor holds itself")
    return (*above, id(node))
