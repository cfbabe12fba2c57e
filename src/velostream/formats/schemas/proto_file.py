"""Reads .proto files: their messages, enums and imports. What is neither (services, options) is passed over."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from velostream.errors import InvalidSchema

_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\.?[A-Za-z_][\w.]*|-?\.?[0-9][\w.+-]*|[{}\[\]()<>=;,:.+/-])""",
    re.DOTALL,
)
_LABELS = ("optional", "required", "repeated")


@dataclass(frozen=True, slots=True)
class ProtoField:
    """A field of a message. `map_key` is the type of the keys where it is a map."""

    name: str
    type: str
    label: str = ""
    map_key: str = ""
    one_of: bool = False
    number: int = 0


@dataclass(slots=True)
class ProtoFile:
    """What one .proto file says; the names of messages and enums are full ones."""

    syntax: str = "proto2"
    package: str = ""
    imports: list[str] = field(default_factory=list)
    messages: dict[str, list[ProtoField]] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    """The names of each enum's values, with their numbers."""


def parse_proto(text: str) -> ProtoFile:
    """What a .proto text says, or an InvalidSchema with the line."""
    return _Parser(text).file()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, int]] = []
        self.position = 0
        self.found = ProtoFile()
        offset = 0
        while offset < len(text):
            match = _TOKEN.match(text, offset)
            line = text.count("\n", 0, offset) + 1
            if match is None:
                raise InvalidSchema(f"line {line}: '{text[offset]}' is not understood")
            if match[1]:
                self.tokens.append((match[1], line))
            offset = match.end()

    def file(self) -> ProtoFile:
        while self.position < len(self.tokens):
            word = self.take()
            if word in ("syntax", "edition"):
                self.expect("=")
                value = self.take().strip("\"'")
                self.found.syntax = "proto3" if word == "edition" else value
                self.expect(";")
            elif word == "package":
                self.found.package = self.take()
                self.expect(";")
            elif word == "import":
                name = self.take()
                self.found.imports.append((self.take() if name in ("public", "weak") else name).strip("\"'"))
                self.expect(";")
            elif word == "message":
                self.message(self.found.package)
            elif word == "enum":
                self.enum(self.found.package)
            elif word in ("option", "service", "extend"):
                self.skip()
            elif word != ";":
                self.refuse(word)
        return self.found

    def message(self, scope: str) -> None:
        name = _full(scope, self.take())
        fields = self.found.messages.setdefault(name, [])
        self.expect("{")
        while (word := self.take()) != "}":
            if word == "message":
                self.message(name)
            elif word == "enum":
                self.enum(name)
            elif word == "oneof":
                self.one_of(fields)
            elif word in ("option", "reserved", "extensions", "extend"):
                self.skip()
            elif word != ";":
                fields.append(self.field(word))

    def one_of(self, fields: list[ProtoField]) -> None:
        self.take()
        self.expect("{")
        while (word := self.take()) != "}":
            if word == "option":
                self.skip()
            else:
                fields.append(self.field(word, one_of=True))

    def field(self, word: str, *, one_of: bool = False) -> ProtoField:
        label = word if word in _LABELS else ""
        kind = self.take() if label else word
        key = ""
        if kind == "group":
            self.refuse(kind)
        if kind == "map" and self.peek() == "<":
            self.expect("<")
            key = self.take()
            self.expect(",")
            kind = self.take()
            self.expect(">")
        name = self.take()
        if not re.fullmatch(r"\.?[A-Za-z_][\w.]*", kind) or not re.fullmatch(r"[A-Za-z_]\w*", name):
            self.refuse(name)
        self.expect("=")
        number = self.number()
        self.skip()
        return ProtoField(name, kind, label, key, one_of, number)

    def enum(self, scope: str) -> None:
        values = self.found.enums.setdefault(_full(scope, self.take()), {})
        self.expect("{")
        while (word := self.take()) != "}":
            if word in ("option", "reserved"):
                self.skip()
            elif word != ";":
                self.expect("=")
                values[word] = self.number()
                self.skip()

    def number(self) -> int:
        word = self.take()
        try:
            return int(word, 0)
        except ValueError:
            self.refuse(word, "a number is expected")
            raise

    def skip(self) -> None:
        """Passes over the rest of a declaration: up to its `;`, or to the end of its braces."""
        depth = 0
        while True:
            word = self.take()
            depth += (word in ("{", "[", "(")) - (word in ("}", "]", ")"))
            if depth == 0 and word in (";", "}"):
                return

    def peek(self) -> str:
        return self.tokens[self.position][0] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        if self.position >= len(self.tokens):
            raise InvalidSchema("the file ends in the middle of a declaration")
        self.position += 1
        return self.tokens[self.position - 1][0]

    def expect(self, word: str) -> None:
        if self.take() != word:
            self.refuse(self.tokens[self.position - 1][0], f"'{word}' is expected")

    def refuse(self, word: str, hint: str = "") -> None:
        line = self.tokens[self.position - 1][1]
        raise InvalidSchema(f"line {line}: '{word}' is not understood here", hint=hint)


def _full(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name
