"""What a format is: its name, its options, and the facts that checking needs."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.config.kinds import Choice
from velostream.config.property import Property
from velostream.formats.field import Field


@dataclass(frozen=True, slots=True)
class Format:
    """How bytes become columns and columns bytes.

    `needs_schema`: without columns, a schema file or a registry it cannot be read. `columns`: what it gives when no
    columns are declared (string and bytes: the value as a whole). `changelog`: its records say whether a row came,
    changed or went.
    """

    name: str
    doc: str
    options: tuple[Property, ...] = ()
    aliases: tuple[str, ...] = ()
    needs_schema: bool = False
    key_capable: bool = True
    changelog: bool = False
    columns: tuple[Field, ...] = ()


def format_property(formats: tuple[Format, ...], default: str | None = None) -> Property:
    """The option `format` of a connector that takes these; without a default the ending of the path tells it."""
    doc = "the format of the records" + ("" if default else "; without it the ending of the path tells it")
    return Property("format", choice(formats), doc, formats[0].name, default=default, aliases=("value.format",))


def key_format_property(formats: tuple[Format, ...]) -> Property:
    """The option `key.format` of a connector whose records have keys."""
    able = tuple(one for one in formats if one.key_capable)
    return Property("key.format", choice(able), "the format of the message keys", able[0].name, default="string")


def choice(formats: tuple[Format, ...]) -> Choice:
    """One of these formats, by its name or by what it is called elsewhere."""
    also = tuple((alias, one.name) for one in formats for alias in one.aliases)
    return Choice(tuple(one.name for one in formats), also)
