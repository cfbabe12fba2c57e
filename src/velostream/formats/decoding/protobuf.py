"""Protobuf messages to columns: by the text of a file or of the column list, or by the schema that each names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.errors import InvalidSchema
from velostream.formats.decoding.building import Fault, built
from velostream.formats.decoding.fitting import mismatch
from velostream.formats.registry import Registry
from velostream.formats.registry.framing import Unframed, message_place, schema_number
from velostream.formats.schemas.proto_classes import ProtoClasses
from velostream.formats.schemas.proto_sources import ProtoSources
from velostream.formats.schemas.proto_values import FROM_TEXT, reader
from velostream.formats.schemas.protobuf import message_columns
from velostream.types import STRING, Type

if TYPE_CHECKING:
    import pyarrow as pa

Read = Callable[[bytes], dict[str, Any]]


@dataclass
class ProtobufDecoder:
    """Decodes values of `columns`; without `sources` each value names its schema in the registry."""

    columns: pa.Schema
    types: tuple[tuple[str, Type], ...]
    sources: ProtoSources | None = None
    message: str = ""
    registry: Registry | None = None
    known: dict[tuple[int, tuple[int, ...]], Read | Fault] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "known": {}}

    def __call__(self, values: pa.Array) -> pa.StructArray:
        """The columns of each value, and why those that are at fault are."""
        return built([None if data is None else self._record(data) for data in values.to_pylist()], self.columns)

    def _record(self, data: bytes) -> dict[str, Any] | Fault:
        number, place, start = 0, (), 0
        if self.registry is not None:
            try:
                number = schema_number(data)
                place, start = message_place(data)  # type: ignore[assignment]
            except Unframed as error:
                return Fault(error)
        read = self.known.get((number, place)) or self._known(number, place)
        if isinstance(read, Fault):
            return read
        try:
            return read(data[start:] if start else data)
        except Fault as error:
            return error
        except Exception as error:
            # Bad bytes: the library says no more than that they are.
            return Fault(f"the bytes are not a message of the schema: {error}")

    def _known(self, number: int, place: tuple[int, ...]) -> Read | Fault:
        if len(self.known) > 1_000:
            self.known.clear()
        self.known[(number, place)] = found = self._reading(number, place)
        return found

    def _reading(self, number: int, place: tuple[int, ...]) -> Read | Fault:
        """How messages of a schema are read; a fault where they cannot be as the declared columns."""
        try:
            classes = ProtoClasses(self._sources(number))
            named = classes.types.at(place) if self.registry is not None else classes.types.chosen(self.message)
            if named is None:
                return Fault(f"schema {number} has no message at the place {'.'.join(map(str, place))}")
            told = [(one.name, one.type) for one in message_columns(classes.types, named)]
        except InvalidSchema as error:
            return Fault(error.message)
        texts = {name for name, kind in told if kind == STRING}
        wrong = mismatch(told, {name: STRING if _is_text(name, kind, texts) else kind for name, kind in self.types})
        return Fault(wrong) if wrong is not None else reader(classes, named, self.types)

    def _sources(self, number: int) -> ProtoSources:
        if self.registry is None:
            assert self.sources is not None
            return self.sources
        found = self.registry.by_number(number)
        return ProtoSources(found.text, found.references)


def _is_text(name: str, kind: Type, texts: set[str]) -> bool:
    return kind.name in FROM_TEXT and name in texts
