"""Columns of Avro data files, from the schema in their headers."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.avro import read_avro

_MAGIC = b"Obj\x01"
_LARGEST = 64 * 1024 * 1024


def infer_avro(path: Path) -> tuple[Field, ...]:
    """The columns of an Avro data file."""
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise InvalidSchema(f"'{path.name}' is not an Avro data file")
            metadata = _metadata(file)
    except OSError as error:
        raise InvalidSchema(f"'{path.name}' cannot be read: {error.strerror}") from None
    except EOFError:
        raise InvalidSchema(f"'{path.name}' ends inside of its header") from None
    schema = metadata.get("avro.schema")
    if schema is None:
        raise InvalidSchema(f"'{path.name}' has no schema in its header")
    return read_avro(schema.decode("utf-8", "replace"))


def _metadata(file: IO[bytes]) -> dict[str, bytes]:
    """The map of the header: blocks of pairs, the last one empty; a negative count is followed by a size."""
    found = {}
    while count := _long(file):
        if count < 0:
            _long(file)
        for _ in range(abs(count)):
            name = _bytes(file).decode("utf-8", "replace")
            found[name] = _bytes(file)
    return found


def _bytes(file: IO[bytes]) -> bytes:
    length = _long(file)
    if not 0 <= length <= _LARGEST:
        raise EOFError
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _long(file: IO[bytes]) -> int:
    """A number as Avro writes it: seven bits a byte, the smallest first, the sign in the last bit."""
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            raise EOFError
        value |= (byte[0] & 0x7F) << shift
        if not byte[0] & 0x80:
            return (value >> 1) ^ -(value & 1)
    raise EOFError
