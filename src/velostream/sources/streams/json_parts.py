"""A part of a JSON text, as it is written there: no number is read and written again, so none loses a digit."""

from __future__ import annotations

import json

from velostream.config.connections.json_path import Steps

_BLANK = " \t\r\n"
_decoder = json.JSONDecoder()


def part(text: str, steps: Steps) -> str | None:
    """The text of the value that the steps lead to; None where they lead nowhere. What is no JSON is a ValueError."""
    first = _skip(text, 0)
    _, end = _decoder.raw_decode(text, first)
    if text[end:].strip(_BLANK):
        raise ValueError("something follows the first value")
    span: tuple[int, int] | None = (first, end)
    for step in steps:
        if span is None:
            return None
        span = _inside(text, span[0], step)
    return None if span is None else text[span[0] : span[1]]


def _inside(text: str, first: int, step: str | int) -> tuple[int, int] | None:
    """Where a member of the object or array at `first` begins and ends."""
    opening = "{" if isinstance(step, str) else "["
    if text[first] != opening:
        return None
    place, index = _skip(text, first + 1), 0
    found = None
    while text[place] not in "}]":
        name: object = index
        if opening == "{":
            name, place = _decoder.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        _, end = _decoder.raw_decode(text, place)
        if name == step:
            found = (place, end)  # the last one of equal names holds, as everywhere
        place, index = _skip(text, end), index + 1
        if text[place] == ",":
            place = _skip(text, place + 1)
    return found


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place
