"""Keys of messages: the values of several columns joined with `|`, escaped by a backslash, NULL as `\\N`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

ESCAPE, BETWEEN, NULL = "\\", "|", "\\N"


def split_key(text: str) -> list[str | None]:
    """The values of a key of several columns."""
    parts: list[str | None] = []
    held, place, known = "", 0, True
    while place < len(text):
        if text.startswith(NULL, place) and not held and text[place + 2 : place + 3] in ("", BETWEEN):
            known, place = False, place + 2
        elif text[place] == ESCAPE and place + 1 < len(text):
            held, place = held + text[place + 1], place + 2
        elif text[place] == BETWEEN:
            parts.append(held if known else None)
            held, known, place = "", True, place + 1
        else:
            held, place = held + text[place], place + 1
    return [*parts, held if known else None]


def joined_key(values: Iterable[Any]) -> str:
    """A key of several columns as one text: what `split_key` takes apart."""
    return BETWEEN.join(NULL if value is None else _escaped(value) for value in values)


def _escaped(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "".join(ESCAPE + sign if sign in (ESCAPE, BETWEEN) else sign for sign in text)
