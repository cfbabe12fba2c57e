"""Columns of JSON: objects one per line, or an array of them. Strings stay STRING; objects are STRUCT."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.inference.merging import WIDE, Sample, merge
from velostream.formats.inference.text import BYTES, RECORDS, head
from velostream.types import Type

_BLANK = " \t\r\n"


def infer_json(paths: Sequence[Path]) -> tuple[Field, ...]:
    """The columns of JSON files. What is not an object would be a dead letter, and is passed over."""
    sample, left = Sample(), BYTES
    for path in paths:
        if left <= 0 or sample.records >= RECORDS:
            break
        text, complete = head(path, left)
        left -= len(text.encode())
        for record in _records(text, complete=complete):
            if isinstance(record, dict) and sample.records < RECORDS:
                sample.add({name: type_of(value) for name, value in record.items()})
    if not sample.seen:
        raise InvalidSchema("there is no JSON object to take columns from", hint="declare the columns")
    return sample.fields()


def _records(text: str, *, complete: bool) -> Iterator[Any]:
    """The values of a text: the members of an array, one object over many lines, or a value on each line."""
    stripped = text.lstrip(_BLANK)
    if stripped.startswith("["):
        yield from _members(stripped)
        return
    if complete:
        try:
            yield json.loads(stripped)
            return
        except ValueError:
            pass
    for line in stripped.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def _members(text: str) -> Iterator[Any]:
    """The members of an array, as far as the text goes: the last one may be cut."""
    decoder, position = json.JSONDecoder(), 1
    while True:
        while position < len(text) and text[position] in _BLANK + ",":
            position += 1
        if position >= len(text) or text[position] == "]":
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except ValueError:
            return
        yield value


def type_of(value: Any) -> Type:
    """The type of a JSON value."""
    if value is None:
        return types.NULL
    if isinstance(value, bool):
        return types.BOOLEAN
    if isinstance(value, int):
        return types.BIGINT if -(2**63) <= value < 2**63 else WIDE if abs(value) < 10**38 else types.DOUBLE
    if isinstance(value, float):
        return types.DOUBLE
    if isinstance(value, dict):
        return types.struct(*((name, type_of(member)) for name, member in value.items())) if value else types.NULL
    if isinstance(value, list):
        element = types.NULL
        for member in value:
            element = merge(element, type_of(member))
        return types.array(element)
    return types.STRING
