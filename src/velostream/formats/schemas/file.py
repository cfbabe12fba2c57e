"""Which reader reads a schema file: by its ending, and for JSON by what is in it."""

from __future__ import annotations

import json
from pathlib import Path

from velostream.errors import InvalidSchema, NotFound
from velostream.formats.field import Field
from velostream.formats.schemas.avro import read_avro
from velostream.formats.schemas.column_list import read_columns
from velostream.formats.schemas.json_schema import read_json_schema
from velostream.formats.schemas.listed import read_listed
from velostream.registry import did_you_mean

_ENDINGS = (".avsc", ".proto", ".json", ".sql", ".ddl", ".txt", ".yaml", ".yml")


def read_schema(path: Path, message: str = "") -> tuple[Field, ...]:
    """The columns that a schema file tells; `message` chooses one of a .proto file.

    Raises NotFound or InvalidSchema; both name the file.
    """
    ending = path.suffix.casefold()
    if ending not in _ENDINGS:
        raise InvalidSchema(f"'{path.name}' is not a schema file", hint=f"it ends in one of {', '.join(_ENDINGS)}")
    if message and ending != ".proto":
        raise InvalidSchema(f"'{path.name}' has no messages", hint="schema.message is for .proto files")
    text = _text(path)
    try:
        if ending == ".proto":
            from velostream.formats.schemas.protobuf import read_protobuf

            return read_protobuf(path, text, message)
        if ending == ".avsc":
            return read_avro(text)
        if ending == ".json":
            return _read_json(text)
        return read_listed(text) if ending in (".yaml", ".yml") else read_columns(text)
    except InvalidSchema as error:
        raise InvalidSchema(f"schema file '{path.name}': {error.message}", hint=error.hint) from None


def _read_json(text: str) -> tuple[Field, ...]:
    """JSON is a JSON Schema, an Avro schema or a list of columns: what is in it tells which."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidSchema(f"not JSON: {error}") from None
    if isinstance(found, dict) and found.get("type") == "record":
        return read_avro(text)
    if isinstance(found, dict) and {"$schema", "properties", "$ref"} & set(found):
        return read_json_schema(text)
    return read_listed(text)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"schema file '{path}' is not there", hint=_nearby(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidSchema(f"schema file '{path}' cannot be read: {reason}") from None


def _nearby(path: Path) -> str:
    where = "its path is relative to the SQL file"
    try:
        names = sorted(entry.name for entry in path.parent.iterdir() if entry.suffix.casefold() in _ENDINGS)
    except OSError:
        return where
    return f"{did_you_mean(path.name, names)} {where}".strip()
