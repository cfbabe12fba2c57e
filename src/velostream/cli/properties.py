"""`velo properties`: what can be set, with types, defaults and examples."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from velostream.cli.colours import Colours, colours_of
from velostream.config.keys import setting
from velostream.errors import VeloError
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from velostream.config.job import Group
    from velostream.config.property import Family, Property


@click.command("properties", short_help="List what can be set.")
@click.argument("prefix", default="")
def command(*, prefix: str) -> None:
    """List the properties, those that begin with PREFIX, or those of a group such as kafka_source.

    \b
    Examples:
      velo properties
      velo properties watermark.
      velo properties kafka_source
    """
    from velostream.catalog.properties import groups

    found = groups(prefix)
    if not found:
        everything = groups()
        known = [name for group in everything for name in (group.title, *_spellings(group))]
        hint = did_you_mean(prefix, known) or f"groups: {', '.join(group.title for group in everything)}"
        raise VeloError(f"no property or group begins with '{prefix}'", hint=hint, code="unknown-property")
    colours = colours_of(sys.stdout)
    print("\n\n".join("\n".join(listing(group, colours)) for group in found))


def _spellings(group: Group) -> Iterator[str]:
    for declared in group.properties:
        yield from declared.spellings


def listing(group: Group, colours: Colours) -> Iterator[str]:
    """A group: each property with what it takes, then what it does, as wide as the terminal."""
    yield colours.paint(group.title, "bold", "cyan") + (f": {group.doc}" if group.doc else "")
    for declared in group.properties:
        yield f"  {colours.paint(declared.name, 'bold')}  {colours.paint(takes(declared), 'dim')}"
        yield from _wrapped(declared.doc)
        yield f"      example: {setting(declared.name, declared.example)}"
        if declared.aliases:
            yield from _wrapped(f"also: {', '.join(declared.aliases)}")
    for family in group.families:
        yield from _family(family, colours)


def takes(declared: Property) -> str:
    """What it takes and what holds without it: `duration, default 1m`, `one of a, b, default a`."""
    words = getattr(declared.kind, "words", ())
    parts = [f"one of {', '.join(words)}" if words else declared.kind.name]
    if declared.default is not None:
        parts.append(f"default {declared.default}")
    if declared.required:
        parts.append("required")
    return ", ".join(parts)


def _family(family: Family, colours: Colours) -> Iterator[str]:
    yield f"  {colours.paint(family.prefix + '*', 'bold')}  {colours.paint('any', 'dim')}"
    yield from _wrapped(family.doc)
    yield f"      example: {setting(*family.example)}"
    for name, reason in family.refused:
        yield from _wrapped(f"not {name}: {reason}")


def _wrapped(text: str) -> list[str]:
    width = max(shutil.get_terminal_size((110, 24)).columns - 6, 40)
    return textwrap.wrap(text, width, initial_indent="      ", subsequent_indent="      ", break_on_hyphens=False)
