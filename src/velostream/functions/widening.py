"""The type that several values can all be read as, by Spark's ANSI rules: what COALESCE, GREATEST and ARRAY give."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.types import BIGINT, DATE, DOUBLE, INTEGRAL, NULL, TIMESTAMP, UNKNOWN, Type, decimal

DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 20}
LARGEST = 38


def widest(types: Iterable[Type]) -> Type:
    """The common type; UNKNOWN where one is unknown or Spark finds none."""
    result = NULL
    for kind in types:
        result = _wider(result, kind)
    return result


def as_decimal(kind: Type) -> tuple[int, int]:
    """Precision and scale of the decimal that holds every value of an integral or decimal type."""
    return (kind.precision or 10, kind.scale or 0) if kind.name == "DECIMAL" else (DIGITS[kind.name], 0)


def bounded(precision: int, scale: int) -> Type:
    """A decimal cut to 38 digits, precision and scale each for itself."""
    return decimal(min(precision, LARGEST), min(scale, LARGEST))


def adjusted(precision: int, scale: int) -> Type:
    """A decimal cut to 38 digits as arithmetic does: digits before the point are kept, and six behind it."""
    if precision <= LARGEST:
        return decimal(precision, scale)
    return decimal(LARGEST, max(LARGEST - (precision - scale), min(scale, 6)))


def _wider(left: Type, right: Type) -> Type:
    if left == right or right == NULL:
        return left
    if left == NULL:
        return right
    if left.is_numeric and right.is_numeric:
        return _wider_number(left, right)
    if left.is_temporal and right.is_temporal:
        return TIMESTAMP if left.is_time or right.is_time else DATE
    if "STRING" in (left.name, right.name):
        return _wider_text(right if left.name == "STRING" else left)
    if left.name == right.name and len(left.fields) == len(right.fields):
        arguments = tuple(map(_wider, left.arguments, right.arguments))
        fields = tuple(
            (name, _wider(kind, other)) for (name, kind), (_, other) in zip(left.fields, right.fields, strict=True)
        )
        return Type(left.name, arguments, fields)
    return UNKNOWN


def _wider_number(left: Type, right: Type) -> Type:
    names = (left.name, right.name)
    if "DOUBLE" in names or "FLOAT" in names:
        return DOUBLE
    if "DECIMAL" in names:
        (p1, s1), (p2, s2) = as_decimal(left), as_decimal(right)
        scale = max(s1, s2)
        return bounded(max(p1 - s1, p2 - s2) + scale, scale)
    return max(left, right, key=lambda kind: INTEGRAL.index(kind.name))


def _wider_text(other: Type) -> Type:
    """What a string and another type meet as: the string is read as the other."""
    if other.is_integral:
        return BIGINT
    if other.is_numeric:
        return DOUBLE
    return other if other.name not in ("ARRAY", "MAP", "STRUCT") else UNKNOWN
