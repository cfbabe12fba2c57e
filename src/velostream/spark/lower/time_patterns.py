"""Patterns of times: those of strptime as Spark's, and what Spark cannot read of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

WEEKDAYS = r"(?i)\b(mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(day)?\b"
"""Days of the week: they say nothing that the date does not, and Spark refuses to read them."""

_WHOLE = {
    "c": "%a %b %d %H:%M:%S %Y",
    "D": "%m/%d/%y",
    "F": "%Y-%m-%d",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "x": "%m/%d/%y",
    "X": "%H:%M:%S",
}
_LETTERS = {"Y": "yyyy", "y": "yy", "B": "MMMM", "b": "MMM", "p": "a", "f": "SSSSSS", "j": "DDD", "z": "xx", "Z": "z"}
_LETTERS |= {"a": "", "A": ""}
_PADDED = {"m": "MM", "d": "dd", "H": "HH", "I": "hh", "M": "mm", "S": "ss"}


@dataclass(frozen=True, slots=True)
class TimePattern:
    """A pattern for Spark. `weekday`: days of the week are to be cut from the text before. `zoned`: the text names its
    zone. `short_year`: years of two digits are 1969 to 2068, as strptime has them."""

    text: str
    weekday: bool = False
    zoned: bool = False
    short_year: bool = False


def read_pattern(form: str) -> TimePattern:
    """The pattern to read times of a format by. Numbers may have fewer digits where something stands between them."""
    return _strptime(form, loose=True) if "%" in form else _spark(form)


def write_pattern(form: str) -> str:
    """The pattern to write times of a format by."""
    return _strptime(form, loose=False).text if "%" in form else _spark(form).text


def _spark(form: str) -> TimePattern:
    parts = re.split(r"('[^']*')", form)
    weekday = any("E" in part for part in parts[::2])
    text = "".join(part if index % 2 else re.sub("E+", "", part) for index, part in enumerate(parts))
    zoned = any(set(part) & set("VzOXxZ") for part in parts[::2])
    return TimePattern(text, weekday, zoned)


def _strptime(form: str, *, loose: bool) -> TimePattern:
    whole = re.sub(r"%([cDFRTxX])", lambda found: _WHOLE[found[1]], form)
    tokens = re.findall(r"%.|[^%]+", whole)
    pieces = []
    for index, token in enumerate(tokens):
        if not token.startswith("%"):
            pieces.append(_quoted(token))
            continue
        letter = token[1]
        alone = loose and not _touches(tokens, index)
        padded = _PADDED.get(letter)
        pieces.append("%" if letter == "%" else _LETTERS[letter] if padded is None else padded[:1] if alone else padded)
    weekday = any(token in ("%a", "%A") for token in tokens)
    return TimePattern("".join(pieces), weekday, bool({"%z", "%Z"} & set(tokens)), "%y" in tokens)


def _touches(tokens: list[str], index: int) -> bool:
    """True where another number stands right before or behind."""
    beside = tokens[max(index - 1, 0) : index] + tokens[index + 1 : index + 2]
    return any(token.startswith("%") and token[1] not in "%aAbBpzZ" for token in beside)


def _quoted(text: str) -> str:
    """Text between directives: letters and what means something to Spark in quotes."""
    return re.sub(r"[A-Za-z\[\]{}#]+", lambda found: f"'{found[0]}'", text.replace("'", "''"))
