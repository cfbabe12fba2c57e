"""A column as a schema file or a sample tells it."""

from dataclasses import dataclass

from velostream.types import Type


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name, its type, whether it may be missing, and whether it is part of the key."""

    name: str
    type: Type
    nullable: bool = True
    key: bool = False
