"""Columns as SQL lists them: `symbol STRING NOT NULL, price DECIMAL(10,2) COMMENT 'in USD', id BIGINT PRIMARY KEY`."""

from __future__ import annotations

import re

from velostream import types
from velostream.errors import InvalidSchema, InvalidType
from velostream.formats.field import Field

_COMMENT = re.compile(r"('(?:[^']|'')*')|--[^\n]*|/\*.*?\*/", re.DOTALL)
_WRAPPED = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:table|stream)\s+[\w.`\"]+\s*\((.*)\)\s*;?", re.IGNORECASE | re.DOTALL
)
_NAME = re.compile(r'\s*(?:`([^`]+)`|"([^"]+)"|([A-Za-z_][A-Za-z0-9_]*))\s*:?\s*(.*)', re.DOTALL)
_END = re.compile(r"\s+(not\s+null|null|primary\s+key|comment\s+'(?:[^']|'')*')\s*$", re.IGNORECASE)
_HINT = "write a name and a type for each: symbol STRING, price DECIMAL(10,2)"


def read_columns(text: str) -> tuple[Field, ...]:
    """The columns of a list, in parentheses or not, or of a CREATE TABLE that is nothing but one."""
    plain = _without_comments(text).strip().rstrip(";").strip()
    wrapped = _WRAPPED.fullmatch(plain)
    if wrapped:
        plain = wrapped[1]
    elif plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1]
    fields = tuple(_column(part) for part in _parts(plain))
    names = [field.name.casefold() for field in fields]
    twice = next((field.name for index, field in enumerate(fields) if field.name.casefold() in names[:index]), None)
    if twice is not None:
        raise InvalidSchema(f"column '{twice}' is listed twice", hint="names are compared without letter case")
    return fields


def _without_comments(text: str) -> str:
    """The text without `--` and `/* */`; inside of strings they are no comments."""
    return _COMMENT.sub(lambda match: match[1] or " ", text)


def _parts(text: str) -> list[str]:
    """The text between the commas that stand outside of brackets and quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"`":
            quote = letter
        elif letter in "(<":
            depth += 1
        elif letter in ")>":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def _column(text: str) -> Field:
    match = _NAME.fullmatch(text)
    if match is None or not match[4].strip():
        raise InvalidSchema(f"'{' '.join(text.split())}' is not a column", hint=_HINT)
    name, rest = match[1] or match[2] or match[3], match[4]
    nullable, key = True, False
    while end := _END.search(rest):
        words = " ".join(end[1].casefold().split())
        key = key or words == "primary key"
        nullable = nullable and words not in ("not null", "primary key")
        rest = rest[: end.start()]
    try:
        return Field(name, types.parse(rest), nullable, key)
    except InvalidType as error:
        raise InvalidSchema(f"column '{name}': {error.message}", hint=error.hint) from None
