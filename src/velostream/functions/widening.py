"""The type that several values can all be read as, by Spark's ANSI rules: what COALESCE, GREATEST and ARRAY give."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.types import BIGINT, DATE, DOUBLE, INTEGRAL, NULL, TIMESTAMP, UNKNOWN, Type, decimal

DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 20}
LARGEST = 38


def widest(types: Iterable[Type]) -> Type:
    """The common type; UNKNOWN where one is unknown or Spark finds none."""
    return common(types) or UNKNOWN


def common(types: Iterable[Type], *, strings: bool = True) -> Type | None:
    """The common type; None where there is none. With `strings`, a string is read as what it meets."""
    result: Type | None = NULL
    for kind in types:
        result = None if result is None else _wider(result, kind, strings)
    return result


def as_decimal(kind: Type) -> tuple[int, int]:
    """Precision and scale of the decimal that holds every value of an integral or decimal type."""
    return (kind.precision or 10, kind.scale or 0) if kind.name == "DECIMAL" else (DIGITS.get(kind.name, 1), 0)


def bounded(precision: int, scale: int) -> Type:
    """A decimal cut to 38 digits, precision and scale each for itself."""
    return decimal(min(precision, LARGEST), min(scale, LARGEST))


def adjusted(precision: int, scale: int) -> Type:
    """A decimal cut to 38 digits as arithmetic does: digits before the point are kept, and six behind it."""
    if precision <= LARGEST:
        return decimal(precision, scale)
    return decimal(LARGEST, max(LARGEST - (precision - scale), min(scale, 6)))


def _wider(left: Type, right: Type, strings: bool) -> Type | None:
    if left == right or right == NULL:
        return left
    if left == NULL:
        return right
    if not (left.is_known and right.is_known):
        return UNKNOWN
    if left.is_numeric and right.is_numeric:
        return _wider_number(left, right)
    if left.is_temporal and right.is_temporal:
        return TIMESTAMP if left.is_time or right.is_time else DATE
    if strings and "STRING" in (left.name, right.name):
        return _wider_text(right if left.name == "STRING" else left)
    return _wider_nested(left, right, strings)


def _wider_nested(left: Type, right: Type, strings: bool) -> Type | None:
    if left.name != right.name or len(left.fields) != len(right.fields):
        return None
    inner = [_wider(mine, other, strings) for mine, other in zip(_parts(left), _parts(right), strict=True)]
    found = tuple(kind for kind in inner if kind is not None)
    if len(found) < len(inner):
        return None
    names = [name for name, _ in left.fields]
    return Type(left.name, () if names else found, tuple(zip(names, found, strict=False)))


def _parts(kind: Type) -> tuple[Type, ...]:
    return (*kind.arguments, *(field for _, field in kind.fields))


def _wider_number(left: Type, right: Type) -> Type:
    names = (left.name, right.name)
    if "DOUBLE" in names or "FLOAT" in names:
        return DOUBLE
    if "DECIMAL" in names:
        (p1, s1), (p2, s2) = as_decimal(left), as_decimal(right)
        scale = max(s1, s2)
        return bounded(max(p1 - s1, p2 - s2) + scale, scale)
    return max(left, right, key=lambda kind: INTEGRAL.index(kind.name))


def _wider_text(other: Type) -> Type | None:
    """What a string and another type meet as: the string is read as the other."""
    if other.is_integral:
        return BIGINT
    if other.is_numeric:
        return DOUBLE
    return other if other.name not in ("ARRAY", "MAP", "STRUCT", "INTERVAL") else None
