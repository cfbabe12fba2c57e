"""Rules for result types that a literal argument spells: the schema of FROM_JSON, the names of NAMED_STRUCT."""

from __future__ import annotations

from velostream.errors import InvalidType
from velostream.functions.base import ByLiteral
from velostream.functions.returns import Types
from velostream.types import INT, UNKNOWN, VARIANT, Type, decimal, parse, struct

Literals = tuple[object, ...]
_SECONDS = ("SECOND", "S", "SEC", "SECONDS", "SECS")


def spelled(text: object) -> Type:
    """The type that a text means, be it a type or a list of columns; UNKNOWN for anything else."""
    if not isinstance(text, str):
        return UNKNOWN
    for spelling in (text, f"STRUCT<{text}>"):
        try:
            return parse(spelling)
        except InvalidType:
            continue
    return UNKNOWN


def _schema(types: Types, literals: Literals) -> Type:
    return spelled(literals[1]) if len(literals) > 1 else UNKNOWN


def _variant(types: Types, literals: Literals) -> Type:
    return spelled(literals[2]) if len(literals) > 2 else VARIANT


def _named(types: Types, literals: Literals) -> Type:
    names = [name for name in literals[::2] if isinstance(name, str)]
    return struct(*zip(names, types[1::2], strict=True)) if 2 * len(names) == len(types) else UNKNOWN


def _part(types: Types, literals: Literals) -> Type:
    field = literals[0] if literals else None
    if not isinstance(field, str):
        return UNKNOWN
    return decimal(8, 6) if field.upper() in _SECONDS else INT


by_schema = ByLiteral(_schema)
"""FROM_JSON and its kind: what the second argument spells."""

by_type_name = ByLiteral(_variant)
"""VARIANT_GET: what the third argument spells, VARIANT without one."""

named = ByLiteral(_named)
"""NAMED_STRUCT: a field for every pair of a literal name and a value."""

part_of_time = ByLiteral(_part)
"""DATE_PART: INT, but seconds have six digits behind the point."""
