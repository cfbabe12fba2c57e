"""Which schema the bytes of a source or sink go by: that of a file, of the column list, or of a registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import InvalidSchema, NotFound
from velostream.formats.schemas.proto_sources import ProtoSources, gather

if TYPE_CHECKING:
    from velostream.config.settings import Settings


def optional(settings: Settings, key: str) -> str:
    """A setting as text; empty where it is not set, or not known to the connector."""
    value = settings.get(key) if settings.known.find(key) is not None else None
    return "" if value is None else str(value)


def avro_file(settings: Settings, folder: Path, *, key: bool = False) -> str:
    """The Avro schema of `schema.file`; empty where there is none, or one of another kind, which tells columns."""
    path = schema_file(settings, folder, key=key)
    if path is None or path.suffix.casefold() not in (".avsc", ".json"):
        return ""
    text = _text(path)
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidSchema(f"schema file '{path.name}': not JSON: {error}") from None
    return text if path.suffix.casefold() == ".avsc" or _is_avro(found) else ""


def proto_file(settings: Settings, folder: Path, *, key: bool = False) -> ProtoSources | None:
    """The .proto file of `schema.file` with all that it imports; None where there is none."""
    path = schema_file(settings, folder, key=key)
    if path is None or path.suffix.casefold() != ".proto":
        return None
    return gather(path, _text(path))


def schema_file(settings: Settings, folder: Path, *, key: bool = False) -> Path | None:
    """The file that `schema.file`, or for keys `key.schema.file`, names."""
    named = optional(settings, "key.schema.file" if key else "schema.file")
    return folder / named if named else None


def _is_avro(found: object) -> bool:
    return isinstance(found, str | list) or (
        isinstance(found, dict) and "properties" not in found and "$schema" not in found
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        hint = "its path is relative to the SQL file"
        raise NotFound(f"schema file '{path}' cannot be read: {error.strerror}", hint=hint) from None
