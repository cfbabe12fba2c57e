"""Confluent's framing: a zero, the number of the schema in four bytes, for Protobuf the message's place in its file."""

from __future__ import annotations

from collections.abc import Sequence

_MAGIC, _HEAD = 0, 5


class Unframed(ValueError):
    """Bytes that do not begin as a framed message does."""


def schema_number(data: bytes) -> int:
    """The number of the schema that a message was written by."""
    if len(data) < _HEAD or data[0] != _MAGIC:
        raise Unframed("the bytes do not begin with the number of a schema, as a registry's do")
    return int.from_bytes(data[1:_HEAD], "big")


def framed(number: int) -> bytes:
    """What stands before a message."""
    return bytes([_MAGIC]) + number.to_bytes(4, "big")


def message_place(data: bytes) -> tuple[tuple[int, ...], int]:
    """The place of a Protobuf message among those of its file, and where the message begins."""
    count, at = _number(data, _HEAD)
    if count == 0:
        return (0,), at
    places = []
    for _ in range(count):
        place, at = _number(data, at)
        places.append(place)
    return tuple(places), at


def place_bytes(place: Sequence[int]) -> bytes:
    """The place of a message as it stands before it; the first of a file is written short."""
    if tuple(place) == (0,):
        return b"\x00"
    return b"".join(map(_written, (len(place), *place)))


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A whole number in zigzag form, and the place behind it."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 28:
            raise Unframed("the bytes end inside of the place of the message")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return (value >> 1) ^ -(value & 1), at


def _written(number: int) -> bytes:
    left, found = number << 1, bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    found.append(left)
    return bytes(found)
