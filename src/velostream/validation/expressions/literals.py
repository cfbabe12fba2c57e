"""Texts that stand for values: whether Spark can read them as a date, a time, a number or a length of time."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from velostream import durations
from velostream.durations import UNITS
from velostream.errors import VeloError
from velostream.sql.nodes import Duration
from velostream.types import Type

_DATE = re.compile(r"([+-]?[0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.[0-9]{1,9})?)?\s*(.*)")
_ZONE = re.compile(r"|Z|UTC|GMT|UT|[+-][0-9]{1,2}(:?[0-9]{2}){0,2}|(UTC|GMT|UT)[+-].*|[A-Za-z]+(/[A-Za-z_+-]+)*")
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_REAL = re.compile(
    r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?\s*|\s*(NaN|[+-]?Inf(inity)?)\s*", re.IGNORECASE
)
_PART = re.compile(r"\s*[+-]?\s*[0-9]+(\.[0-9]+)?\s+([A-Za-z]+)")
_NUMBER = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*")
_LONG_UNITS = {"month", "months", "year", "years", "quarter", "quarters"}
_TRUTHS = ("true", "false", "t", "f", "yes", "no", "y", "n", "1", "0")


def readable(text: str, target: Type) -> bool:
    """True where a text can be cast to a type."""
    if target.name == "DATE":
        return is_date(re.split(r"[T ]", text.strip(), maxsplit=1)[0])
    if target.is_time:
        return is_time(text.strip())
    if target.is_integral:
        return bool(_WHOLE.fullmatch(text))
    if target.is_numeric:
        return bool(_REAL.fullmatch(text))
    return target.name != "BOOLEAN" or text.strip().casefold() in _TRUTHS


def is_date(text: str) -> bool:
    """`2026-01-31`, `2026-1`, `2026`."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        date(2000 + int(match[1]) % 400, int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """A date, a date and a time of day, with or without a zone."""
    day, _, clock = re.sub(r"[T ]", "\0", text, count=1).partition("\0")
    if not clock:
        return is_date(day) or _is_clock(day)
    return is_date(day) and _is_clock(clock.strip())


def _is_clock(text: str) -> bool:
    match = _CLOCK.fullmatch(text.removeprefix("T"))
    if match is None:
        return False
    in_range = int(match[1]) < 24 and int(match[2]) < 60 and int(match[3] or 0) < 60
    return in_range and bool(_ZONE.fullmatch(match[4]))


def well_formed(node: exp.Interval) -> bool:
    """True where Spark can read an interval: a number and a unit, or a text of such pairs."""
    text, unit = node.this.name, node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return bool(re.fullmatch(r"\s*[+-]?[0-9]+([ :.-][0-9]+)*\s*", text))
    if unit is not None:
        return bool(_NUMBER.fullmatch(text))
    position = 0
    stripped = re.sub(r"^\s*interval\b", "", text, flags=re.IGNORECASE).rstrip()
    while position < len(stripped):
        part = _PART.match(stripped, position)
        if part is None or part[2].casefold() not in {*UNITS, *_LONG_UNITS}:
            return False
        position = part.end()
    return bool(stripped)


def interval_micros(node: exp.Expr) -> int | None:
    """The length of a constant interval; None for anything else."""
    if isinstance(node, exp.Paren):
        return interval_micros(node.this)
    if isinstance(node, Duration):
        return node.micros
    if isinstance(node, exp.Neg):
        inner = interval_micros(node.this)
        return None if inner is None else -inner
    if not isinstance(node, exp.Interval) or not isinstance(node.this, exp.Literal):
        return None
    unit = node.args.get("unit")
    length = node.this.name.strip()
    try:
        micros = durations.parse(f"{length.removeprefix('-')} {unit.name if unit is not None else ''}".strip())
    except VeloError:
        return None
    return -micros if length.startswith("-") else micros
