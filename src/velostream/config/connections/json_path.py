"""The path to the records of a JSON answer: `$.data.items`, `$['a b'][0]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.errors import InvalidProperty

Steps = tuple[str | int, ...]
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[\s*(\d+)\s*\]|\[\s*'([^']*)'\s*\]|\[\s*\"([^\"]*)\"\s*\]")


def steps(path: str) -> Steps:
    """The names and indexes on the way; `[*]` at the end means what is meant without it."""
    text = path.strip().removesuffix("[*]")
    if not text.startswith("$"):
        raise _refused(path)
    found: list[str | int] = []
    place = 1
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None:
            raise _refused(path)
        found.append(
            int(match[2]) if match[2] is not None else next(part for part in match.groups() if part is not None)
        )
        place = match.end()
    return tuple(found)


def _refused(path: str) -> InvalidProperty:
    return InvalidProperty(f"'{path}' is not a path to records", hint="write $.data.items, $[0].rows or $['a b']")


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path of names and indexes."""

    name: str = "path"

    def parse(self, text: str) -> object:
        """The text, once it is known that it is a path."""
        steps(text)
        return text.strip()
