"""Keys in Avro or Protobuf as text: a plain value as it is, a record as JSON."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from velostream.errors import InvalidSchema
from velostream.formats.decoding.building import FAULT, Fault
from velostream.formats.registry import Registry
from velostream.formats.registry.framing import message_place, schema_number
from velostream.formats.schemas.proto_classes import ProtoClasses
from velostream.formats.schemas.proto_sources import ProtoSources
from velostream.formats.schemas.proto_values import reader
from velostream.formats.schemas.protobuf import message_columns

if TYPE_CHECKING:
    import pyarrow as pa

_HEAD = 5


@dataclass
class KeyDecoder:
    """Decodes keys by a schema, or each by the one of the registry that it names."""

    form: str
    schema: str = ""
    sources: ProtoSources | None = None
    message: str = ""
    registry: Registry | None = None
    known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.registry is None and not self.schema and self.sources is None:
            message = f"keys of format {self.form} need a schema"
            raise InvalidSchema(message, hint="set key.schema.file or schema.registry.url")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "known": {}}

    def __call__(self, values: pa.Array) -> pa.StructArray:
        """A struct of `key` and `_fault` for each."""
        import pyarrow as pa

        keys: list[str | None] = []
        faults: list[str | None] = []
        for data in values.to_pylist():
            try:
                keys.append(None if data is None else self._text(data))
                faults.append(None)
            except Exception as error:
                # Whatever the libraries run into in bad bytes.
                keys.append(None)
                faults.append(f"the key cannot be decoded: {error if str(error) else type(error).__name__}")
        fields = [pa.field("key", pa.string()), pa.field(FAULT, pa.string())]
        return pa.StructArray.from_arrays([pa.array(keys, pa.string()), pa.array(faults, pa.string())], fields=fields)

    def _text(self, data: bytes) -> str:
        number, place, start = 0, (0,), 0
        if self.registry is not None:
            number, start = schema_number(data), _HEAD
            if self.form == "protobuf":
                place, start = message_place(data)  # type: ignore[assignment]
        if (number, place) not in self.known:
            self.known[(number, place)] = self._reading(number, place)
        found = self.known[(number, place)](data[start:])
        return found if isinstance(found, str) else json.dumps(_plain(found), ensure_ascii=False, separators=(",", ":"))

    def _reading(self, number: int, place: tuple[int, ...]) -> Any:
        if self.form == "avro":
            import fastavro

            text = self.schema if self.registry is None else self.registry.by_number(number).text
            schema = fastavro.parse_schema(json.loads(text))
            return lambda data: _whole(io.BytesIO(data), schema)
        sources = self.sources
        if self.registry is not None:
            registered = self.registry.by_number(number)
            sources = ProtoSources(registered.text, registered.references)
        assert sources is not None
        classes = ProtoClasses(sources)
        named = classes.types.chosen(self.message) if self.registry is None else classes.types.at(place)
        if named is None:
            raise Fault(f"schema {number} has no message at the place {place}")
        return reader(classes, named, [(one.name, one.type) for one in message_columns(classes.types, named)])


def _whole(stream: io.BytesIO, schema: Any) -> Any:
    import fastavro

    found = fastavro.schemaless_reader(stream, schema, None)
    if stream.read(1):
        raise Fault("bytes are left behind it")
    return found


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
