"""`velo functions`: what functions there are, and what one of them does."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from velostream.cli.colours import Colours, colours_of

if TYPE_CHECKING:
    from velostream.functions.base import Function

_NAMES = 44
"""No wider than this is the column of signatures, so that one long signature does not push all docs aside."""


@click.command("functions", short_help="List the functions, or show one.")
@click.argument("name", required=False)
def command(*, name: str | None) -> None:
    """List the functions, those of a family, or show one with its signature and an example.

    \b
    Examples:
      velo functions
      velo functions string
      velo functions SPLIT_PART
    """
    from velostream.functions import LIBRARY

    colours = colours_of(sys.stdout)
    wanted = (name or "").casefold()
    family = [member for member in LIBRARY.functions if not name or member.family.casefold() == wanted]
    blocks = []
    if name and (not family or LIBRARY.find(name)):
        blocks.append("\n".join(details(LIBRARY.get(name), colours)))
    if family:
        blocks.append("\n".join(listing(family, colours)))
    print("\n\n".join(blocks))


def listing(functions: Sequence[Function], colours: Colours) -> Iterator[str]:
    """Functions by family, one line each, as wide as the terminal."""
    width = shutil.get_terminal_size((110, 24)).columns
    names = min(max(len(function.signature) for function in functions), _NAMES)
    for family in dict.fromkeys(function.family for function in functions):
        yield colours.paint(family, "bold", "cyan")
        for function in sorted(functions, key=lambda function: function.name):
            if function.family == family:
                line = f"  {function.signature:{names}}  {function.doc}"
                yield line if len(line) <= width else line[: width - 1] + "…"


def details(function: Function, colours: Colours) -> Iterator[str]:
    """One function: how it is called, what it does, an example."""
    for signature in function.signatures:
        yield colours.paint(signature, "bold")
    yield f"  {function.doc}"
    yield f"  kind      {function.kind.value}, family {function.family}"
    parameters = dict.fromkeys(parameter for one in function.parameter_lists for parameter in one)
    for parameter in parameters:
        facts = ("optional", parameter.optional), ("repeated", parameter.repeated), ("a constant", parameter.constant)
        yield f"  argument  {parameter.name}: {', '.join([parameter.shape.value, *(word for word, on in facts if on)])}"
    if function.aliases:
        yield f"  also      {', '.join(function.aliases)}"
    yield f"  example   {function.example}" + (f"  →  {function.result}" if function.result is not None else "")
    if function.refused:
        yield f"  streams   refused: {function.refused}"
    if not function.deterministic:
        yield "  note      made from the record and its batch, so that a batch that runs again gives the same value"
