"""The text of a .proto file with the texts of all that it imports: what columns and messages are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from velostream.errors import InvalidSchema
from velostream.formats.schemas.proto_file import ProtoField, ProtoFile, parse_proto
from velostream.registry import did_you_mean

_KNOWN = "google/protobuf/"
"""What begins so is known without a file."""


@dataclass(frozen=True)
class ProtoSources:
    """A .proto text, and by their names the texts that it imports. They travel to workers."""

    text: str
    imported: tuple[tuple[str, str], ...] = ()


def gather(path: Path, text: str) -> ProtoSources:
    """A file and its imports. These are relative to a folder that only protoc is told: looked for from here upwards."""
    found: dict[str, str] = {}
    waiting = [(text, path)]
    while waiting:
        content, importer = waiting.pop(0)
        for name in parse_proto(content).imports:
            if name in found or name.startswith(_KNOWN):
                continue
            file = next((one / name for one in _folders(importer, path) if (one / name).is_file()), None)
            if file is None:
                raise InvalidSchema(f"'{name}', which '{importer.name}' imports, is not there")
            found[name] = file.read_text("utf-8")
            waiting.append((found[name], file))
    return ProtoSources(text, tuple(found.items()))


def _folders(importer: Path, root: Path) -> tuple[Path, ...]:
    return (importer.parent, *root.resolve().parents)


@dataclass
class ProtoTypes:
    """The messages and enums of a file and of all that it imports, by their full names."""

    file: ProtoFile
    messages: dict[str, tuple[list[ProtoField], str]] = field(default_factory=dict)
    """The fields of each message, and the syntax of its file."""
    enums: dict[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: ProtoSources) -> ProtoTypes:
        """Those of some texts."""
        found = cls(parse_proto(sources.text))
        for one in (found.file, *(parse_proto(text) for _, text in sources.imported)):
            found.messages |= {name: (fields, one.syntax) for name, fields in one.messages.items()}
            found.enums |= one.enums
        return found

    def chosen(self, message: str = "") -> str:
        """The full name of the message that is named, or of the only one of the file."""
        if not self.file.messages:
            raise InvalidSchema("there is no message")
        if message:
            name = next((full for full in self.file.messages if full == message or full.endswith(f".{message}")), None)
            if name is None:
                hint = did_you_mean(message, self.file.messages, "messages")
                raise InvalidSchema(f"there is no message '{message}'", hint=hint)
            return name
        # Messages inside of others describe parts of them.
        outer = self._outer()
        if len(outer) > 1:
            raise InvalidSchema("there are several messages", hint=f"set schema.message to one of {', '.join(outer)}")
        return outer[0]

    def place(self, message: str) -> tuple[int, ...]:
        """Where a message stands: its index among those of the file, or of the message around it, and so on."""
        above = message.rpartition(".")[0]
        if above not in self.file.messages:
            return (self._outer().index(message),)
        inner = [full for full in self.file.messages if full.rpartition(".")[0] == above]
        return (*self.place(above), inner.index(message))

    def at(self, place: tuple[int, ...]) -> str | None:
        """The message that stands at a place."""
        return next((full for full in self.file.messages if self.place(full) == place), None)

    def resolved(self, name: str, scope: str) -> str | None:
        """The full name of the message or enum that a name means inside of `scope`: the innermost one that there is."""
        return next((full for full in candidates(name, scope) if full in self.messages or full in self.enums), None)

    def _outer(self) -> list[str]:
        return [full for full in self.file.messages if full.rpartition(".")[0] not in self.file.messages]


def candidates(name: str, scope: str) -> list[str]:
    """The full names that a name may mean, the innermost scope first."""
    if name.startswith("."):
        return [name[1:]]
    parts = scope.split(".")
    return [".".join((*parts[:length], name)) for length in range(len(parts), -1, -1)]
