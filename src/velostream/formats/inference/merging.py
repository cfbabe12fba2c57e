"""What type holds several values: the rules by which samples become columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from velostream import types
from velostream.formats.field import Field
from velostream.types import Type

WIDE = types.decimal(38, 0)
"""Whole numbers beyond 64 bits."""

_RANK = {types.BIGINT: 0, WIDE: 1, types.DOUBLE: 2}


def merge(left: Type, right: Type) -> Type:
    """The type that holds values of both: the wider number, the struct of all fields, at last STRING."""
    if left == right or right == types.NULL:
        return left
    if left == types.NULL:
        return right
    if left in _RANK and right in _RANK:
        return max(left, right, key=lambda kind: _RANK[kind])
    if {left, right} == {types.DATE, types.TIMESTAMP}:
        return types.TIMESTAMP
    if left.name == right.name == "ARRAY":
        return types.array(merge(left.arguments[0], right.arguments[0]))
    if left.name == right.name == "STRUCT":
        return types.struct(*_merged_fields(left, right).items())
    return types.STRING


def _merged_fields(left: Type, right: Type) -> dict[str, Type]:
    fields = dict(left.fields)
    for name, kind in right.fields:
        fields[name] = merge(fields.get(name, types.NULL), kind)
    return fields


def settled(kind: Type) -> Type:
    """The type to declare: what was NULL in every sample is a STRING, inside of arrays and structs too."""
    if kind == types.NULL:
        return types.STRING
    if kind.name == "ARRAY":
        return types.array(settled(kind.arguments[0]))
    if kind.name == "STRUCT":
        return types.struct(*((name, settled(member)) for name, member in kind.fields))
    return kind


@dataclass(slots=True)
class Sample:
    """What was seen so far, column by column in order of first sight."""

    records: int = 0
    seen: dict[str, Type] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, values: Mapping[str, Type]) -> None:
        """One more record: the type of each of its values; NULL where there is none."""
        self.records += 1
        for name, kind in values.items():
            self.seen[name] = merge(self.seen.get(name, types.NULL), kind)
            self.counts[name] = self.counts.get(name, 0) + (kind != types.NULL)

    def fields(self, names: Iterable[str] = ()) -> tuple[Field, ...]:
        """The columns; one that a record lacks or has as NULL is nullable.

        `names` come first where they are known beforehand (the header of a CSV file).
        """
        order = dict.fromkeys((*names, *self.seen))
        needed = max(self.records, 1)
        return tuple(
            Field(name, settled(self.seen.get(name, types.NULL)), nullable=self.counts.get(name, 0) < needed)
            for name in order
        )
