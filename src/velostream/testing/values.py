"""When a value is what was expected, and how values are shown. Times may be written in any way, numbers in any kind."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from velostream.testing.times import micros_of, of_text, shown

TOLERANCE = 1e-9
"""How far two floating-point numbers may lie apart, relative to their size."""


def same(expected: Any, actual: Any, day: str) -> bool:
    """True where the value is the expected one."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(actual, datetime):
        return micros_of(expected, day) == micros_of(actual, day)
    if isinstance(actual, date | time | timedelta):
        return str(expected) == str(actual)
    if isinstance(actual, bytes):
        return (expected.encode() if isinstance(expected, str) else expected) == actual
    if isinstance(actual, int | float | Decimal):
        return _same_number(expected, actual, day)
    if _is_map(actual) and isinstance(expected, dict):
        actual = dict(actual)
    if isinstance(actual, dict):
        return isinstance(expected, dict) and _same_members(expected, actual, day)
    if isinstance(actual, list):
        long = isinstance(expected, list) and len(expected) == len(actual)
        return long and all(same(*pair, day) for pair in zip(expected, actual, strict=True))
    return bool(expected == actual) or _same_time(expected, actual, day)


def _is_map(value: Any) -> bool:
    """True for a MAP as Arrow gives it: a list of pairs."""
    return isinstance(value, list) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)


def _same_members(expected: dict[Any, Any], actual: dict[Any, Any], day: str) -> bool:
    named = {str(key): value for key, value in actual.items()}
    return set(map(str, expected)) == set(named) and all(
        same(value, named[str(key)], day) for key, value in expected.items()
    )


def _same_number(expected: Any, actual: float | Decimal, day: str) -> bool:
    if isinstance(expected, str):
        written = of_text(expected, day)
        if written is not None:
            return written == actual
        try:
            expected = float(expected) if isinstance(actual, float) else Decimal(expected)
        except (ValueError, InvalidOperation):
            return False
    if not isinstance(expected, int | float | Decimal):
        return False
    if isinstance(actual, float):
        if math.isnan(actual) or math.isnan(expected):
            return math.isnan(actual) and math.isnan(expected)
        return math.isclose(expected, actual, rel_tol=TOLERANCE, abs_tol=0.0)
    return (Decimal(repr(expected)) if isinstance(expected, float) else expected) == actual


def _same_time(expected: Any, actual: Any, day: str) -> bool:
    """True for two texts that name one point in time."""
    if not isinstance(actual, str):
        return False
    found = of_text(actual, day)
    return found is not None and found == micros_of(expected, day)


def show(value: Any) -> str:
    """A value as a specification would write it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return shown(micros_of(value, "") or 0)
    if value and _is_map(value):
        return show(dict(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {show(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, str):
        plain = value and value == value.strip() and not any(mark in value for mark in ",:{}[]#'\"\n")
        return value if plain and not _looks_other(value) else repr(value)
    return str(value)


def _looks_other(text: str) -> bool:
    """True for text that would be read as a number, a truth or nothing, without quotes."""
    try:
        float(text)
    except ValueError:
        return text.casefold() in ("true", "false", "null", "~")
    return True
