"""The columns that a registry tells of a source: those of the newest schema of its subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.registry.client import Registered, registry_of
from velostream.formats.schemas.avro import read_avro
from velostream.formats.schemas.json_schema import read_json_schema
from velostream.formats.schemas.proto_sources import ProtoSources, ProtoTypes
from velostream.formats.schemas.protobuf import message_columns
from velostream.formats.schemas.wire import optional

if TYPE_CHECKING:
    from velostream.config.settings import Settings


def registered_columns(name: str, settings: Settings) -> tuple[Field, ...] | None:
    """The columns of a source; None where it names no registry. A subject that is not there is an error."""
    registry = registry_of(settings)
    if registry is None:
        return None
    subject = optional(settings, "schema.registry.subject") or f"{optional(settings, 'topic') or name}-value"
    found = registry.latest(subject)
    if found is None:
        message = f"the schema registry '{registry.shown}' has no subject '{subject}' for '{name}'"
        hint = f"set '{name}.schema.registry.subject', or declare the columns"
        raise InvalidSchema(message, hint=hint)
    try:
        return _columns(found, optional(settings, "schema.message"))
    except InvalidSchema as error:
        raise InvalidSchema(f"subject '{subject}' of the registry: {error.message}", hint=error.hint) from None


def _columns(found: Registered, message: str) -> tuple[Field, ...]:
    if found.kind == "PROTOBUF":
        return message_columns(ProtoTypes.of(ProtoSources(found.text, found.references)), message)
    return read_json_schema(found.text) if found.kind == "JSON" else read_avro(found.text)
