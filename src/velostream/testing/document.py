"""YAML text as values that know where they stand. Only what looks like a number, true, false or null is not text.

`10:05:03` and `2024-01-01` stay text, and so do `no` and `on`: what they mean depends on the column they are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import VeloError
from velostream.positions import Span, Text
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    import yaml
else:
    from velostream.lazy import lazy

    yaml = lazy("yaml")

CODE = "invalid-spec"
_PLAIN: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"(?:~|null|Null|NULL|)"), lambda text: None),
    (re.compile(r"true|True|TRUE"), lambda text: True),
    (re.compile(r"false|False|FALSE"), lambda text: False),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.(?:nan|NaN|NAN)"), lambda text: float("nan")),
)


class InvalidSpec(VeloError):
    """A specification that cannot be used: `text` is the file, `span` the place in it."""

    code = CODE

    def __init__(self, message: str, *, hint: str = "", span: Span | None = None, text: Text | None = None) -> None:
        super().__init__(message, hint=hint, span=span)
        self.text = text or Text("", "")

    @property
    def finding(self) -> Diagnostic:
        """The same as a finding."""
        return Diagnostic(Severity.ERROR, CODE, self.message, self.span, self.hint, self.text.name)


@dataclass(frozen=True)
class Place:
    """A stretch of a document."""

    text: Text
    start: int = 0
    end: int = 0

    def refuse(self, message: str, hint: str = "") -> InvalidSpec:
        """The error that stands here."""
        return InvalidSpec(message, hint=hint, span=self.text.span(self.start, self.end), text=self.text)

    @property
    def line(self) -> int:
        """The line of its beginning."""
        return self.text.span(self.start, self.end).line


class Table(dict[str, Any]):
    """A mapping; `place` is its own, `places` are those of its keys."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.places: dict[str, Place] = {}

    def only(self, known: tuple[str, ...], what: str) -> None:
        """Refuses keys that nobody knows."""
        for key in self:
            if key not in known:
                raise self.places[key].refuse(f"{what} has no key '{key}'", did_you_mean(key, known, "keys"))

    def refuse(self, key: str, message: str, hint: str = "") -> InvalidSpec:
        """The error that stands at a key."""
        return self.places.get(key, self.place).refuse(message, hint)


class Items(list[Any]):
    """A list; `places` are those of its members."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.places: list[Place] = []


@dataclass
class _Builder:
    text: Text
    above: list[int] = field(default_factory=list)

    def place(self, node: yaml.Node) -> Place:
        start = node.start_mark.index
        end = node.end_mark.index
        line_end = self.text.content.find("\n", start)
        return Place(self.text, start, end if line_end < 0 or end <= line_end else line_end)

    def build(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self.above:
            raise self.place(node).refuse("an anchor holds itself", "write it out")
        self.above.append(id(node))
        assert isinstance(node, yaml.MappingNode | yaml.SequenceNode)
        built = self._table(node) if isinstance(node, yaml.MappingNode) else self._items(node)
        self.above.pop()
        return built

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        if node.tag == "tag:yaml.org,2002:binary":
            return yaml.SafeLoader("").construct_yaml_binary(node)
        if node.style is not None:
            return node.value
        for pattern, read in _PLAIN:
            if pattern.fullmatch(node.value):
                return read(node.value)
        return node.value

    def _table(self, node: yaml.MappingNode) -> Table:
        table = Table(self.place(node))
        for key, value in self._pairs(node):
            place = self.place(key)
            if not isinstance(key, yaml.ScalarNode):
                raise place.refuse("a key must be a name", "write key: value")
            if key.value in table:
                raise place.refuse(f"'{key.value}' is given twice", "keep one")
            table[key.value] = self.build(value)
            table.places[key.value] = place
        return table

    def _pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """The pairs of a mapping; those that `<<` brings in only where the mapping has no such key of its own."""
        own = [(key, value) for key, value in node.value if key.value != "<<"]
        names = {key.value for key, _ in own if isinstance(key, yaml.ScalarNode)}
        for key, value in node.value:
            if key.value == "<<":
                for merged in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    if not isinstance(merged, yaml.MappingNode):
                        raise self.place(value).refuse("'<<' merges mappings only", "name an anchor of a mapping")
                    for name, brought in self._pairs(merged):
                        if name.value not in names:
                            names.add(name.value)
                            yield name, brought
        yield from own

    def _items(self, node: yaml.SequenceNode) -> Items:
        items = Items(self.place(node))
        for member in node.value:
            items.append(self.build(member))
            items.places.append(self.place(member))
        return items


def read_document(text: Text) -> Any:
    """The value of a YAML text."""
    try:
        root = yaml.compose(text.content, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark.index if error.problem_mark else 0
        raise Place(text, at, at + 1).refuse(error.problem or "not YAML", "correct the YAML") from None
    except yaml.YAMLError as error:
        raise Place(text).refuse(f"not YAML: {' '.join(str(error).split())}", "correct the YAML") from None
    if root is None:
        raise Place(text).refuse("there is nothing in the file", "write a case: name, sql, inputs, expect")
    return _Builder(text).build(root)


def _loader() -> Any:
    """A loader that gives every plain scalar as text: what it means is decided here."""

    class Plain(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

    return Plain
