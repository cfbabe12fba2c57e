"""Avro records to columns: by the schema of a file or of the column list, or by the one that each record names."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.errors import InvalidSchema
from velostream.formats.decoding.building import Fault, built
from velostream.formats.decoding.fitting import mismatch
from velostream.formats.registry import Registry
from velostream.formats.registry.framing import Unframed, schema_number
from velostream.formats.schemas.avro import read_avro
from velostream.formats.schemas.avro_values import converter
from velostream.types import Type

if TYPE_CHECKING:
    import pyarrow as pa

_HEAD = 5
Read = Callable[[io.BytesIO], dict[str, Any]]


@dataclass
class AvroDecoder:
    """Decodes values of `columns`. `schema` is what records are written by, or with a registry what they are read as;
    without it they are read as what they were written by."""

    columns: pa.Schema
    types: tuple[tuple[str, Type], ...]
    schema: str = ""
    registry: Registry | None = None
    known: dict[int, Read | Fault] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "known": {}}

    def __call__(self, values: pa.Array) -> pa.StructArray:
        """The columns of each value, and why those that are at fault are."""
        return built([None if data is None else self._record(data) for data in values.to_pylist()], self.columns)

    def _record(self, data: bytes) -> dict[str, Any] | Fault:
        try:
            number = 0 if self.registry is None else schema_number(data)
        except Unframed as error:
            return Fault(error)
        read = self.known.get(number) or self._known(number)
        if isinstance(read, Fault):
            return read
        stream = io.BytesIO(data)
        stream.seek(0 if self.registry is None else _HEAD)
        try:
            found = read(stream)
        except Exception as error:
            # The library raises whatever its reading of bad bytes happens to run into.
            return Fault(f"the bytes are not a record of the schema: {type(error).__name__} {error}".strip())
        if stream.tell() != len(data):
            return Fault(f"{len(data) - stream.tell()} bytes are left behind the record")
        return found

    def _known(self, number: int) -> Read | Fault:
        if len(self.known) > 1_000:
            self.known.clear()
        self.known[number] = found = self._reading(number)
        return found

    def _reading(self, number: int) -> Read | Fault:
        """How records of a schema are read; a fault where they cannot be as the declared columns."""
        import fastavro

        try:
            text = self.schema if self.registry is None else self.registry.by_number(number).text
            told = [(one.name, one.type) for one in read_avro(text)]
        except InvalidSchema as error:
            return Fault(error.message)
        wrong = mismatch(told, dict(self.types))
        if wrong is not None and not (self.registry is not None and self.schema):
            return Fault(wrong)
        writer = fastavro.parse_schema(json.loads(text))
        reader = fastavro.parse_schema(json.loads(self.schema)) if self.registry is not None and self.schema else None
        shape = json.loads(text if reader is None else self.schema)
        convert = converter(shape, tuple(name for name, _ in self.types))

        def read(stream: io.BytesIO) -> dict[str, Any]:
            found: Any = fastavro.schemaless_reader(stream, writer, reader)
            return convert(found)

        return read
