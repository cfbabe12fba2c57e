"""Rows to Protobuf messages; with a registry behind the number of their schema and their place in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from velostream.formats.encoding.encoded import Encoded
from velostream.formats.registry import registry_of
from velostream.formats.registry.framing import framed, place_bytes
from velostream.formats.schemas.made_proto import proto_text
from velostream.formats.schemas.proto_classes import ProtoClasses
from velostream.formats.schemas.proto_sources import ProtoSources, ProtoTypes
from velostream.formats.schemas.proto_values import writer
from velostream.formats.schemas.wire import optional, proto_file

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ProtobufEncoder:
    """Writes messages of some sources, each behind `head`."""

    sources: ProtoSources
    message: str
    names: tuple[str, ...]
    head: bytes = b""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        import pyarrow as pa

        columns = [column.to_pylist() for column in rows.columns]
        write, head = self._writer, self.head
        return pa.array([head + write(values) for values in zip(*columns, strict=True)], pa.binary())

    @cached_property
    def _writer(self) -> Any:
        return writer(ProtoClasses(self.sources), self.message, self.names)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_writer"}


def protobuf_encoder(wanted: Encoded) -> ProtobufEncoder:
    """The encoder by the message of a file, else by one made of the columns; it is put into the registry."""
    sources = proto_file(wanted.settings, wanted.folder, key=wanted.key)
    chosen = optional(wanted.settings, "key.schema.message" if wanted.key else "schema.message")
    if sources is None:
        sources, chosen = ProtoSources(proto_text(wanted.columns, wanted.subject or wanted.sink)), ""
    known = ProtoTypes.of(sources)
    message = known.chosen(chosen)
    registry = registry_of(wanted.settings)
    head = b""
    if registry is not None:
        number = registry.register(wanted.subject_name, "PROTOBUF", sources.text)
        head = framed(number) + place_bytes(known.place(message))
    made = ProtobufEncoder(sources, message, tuple(wanted.columns.names), head)
    made._writer  # noqa: B018  a column without a field is refused now
    return made
