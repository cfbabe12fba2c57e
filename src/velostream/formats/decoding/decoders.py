"""Decoders: an array of bytes to an array of structs, with the columns and `_fault`. They travel to workers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from velostream.formats.decoding.avro import AvroDecoder
from velostream.formats.decoding.keys import KeyDecoder
from velostream.formats.decoding.protobuf import ProtobufDecoder
from velostream.formats.registry import registry_of
from velostream.formats.schemas.made_avro import avro_schema
from velostream.formats.schemas.made_proto import proto_text
from velostream.formats.schemas.proto_sources import ProtoSources
from velostream.formats.schemas.wire import avro_file, optional, proto_file
from velostream.types import Type

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings


class Decoder(Protocol):
    """What makes columns of bytes."""

    def __call__(self, values: pa.Array) -> pa.Array:
        """For each value a struct of the columns and `_fault`, which says why a value could not be decoded."""


def value_decoder(
    form: str, source: str, columns: pa.Schema, types: Sequence[tuple[str, Type]], settings: Settings, folder: Path
) -> Decoder:
    """The decoder of message values in format avro or protobuf: by the schema file, the columns, or the registry."""
    registry = registry_of(settings)
    if form == "avro":
        text = avro_file(settings, folder)
        if not text and registry is None:
            text = json.dumps(avro_schema(columns, source))
        return AvroDecoder(columns, tuple(types), text, registry)
    sources = proto_file(settings, folder)
    if sources is None and registry is None:
        sources = ProtoSources(proto_text(columns, source))
    message = optional(settings, "schema.message")
    return ProtobufDecoder(columns, tuple(types), sources, message, registry)


def key_decoder(form: str, source: str, settings: Settings, folder: Path) -> Decoder:
    """The decoder of message keys in format avro or protobuf, which makes texts of them, in the field `key`."""
    return KeyDecoder(
        form,
        avro_file(settings, folder, key=True) if form == "avro" else "",
        proto_file(settings, folder, key=True) if form == "protobuf" else None,
        optional(settings, "key.schema.message"),
        registry_of(settings),
    )
