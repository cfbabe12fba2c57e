"""Which argument types an aggregate takes, and what Spark casts the others to before it aggregates."""

from __future__ import annotations

from velostream.errors import InvalidPlan
from velostream.types import DOUBLE, STRING, Type


def number(kind: Type) -> Type:
    """Numbers and intervals as they are; strings, times and NULL become DOUBLE, as in Spark."""
    if kind.is_numeric or kind.name == "INTERVAL":
        return kind
    if kind.name in ("STRING", "TIMESTAMP", "TIMESTAMP_NTZ", "VOID"):
        return DOUBLE
    raise _refused(kind, "a number")


def measure(kind: Type) -> Type:
    """Numbers, intervals, dates and times as they are; strings become DOUBLE."""
    return kind if kind.is_temporal else number(kind)


def double(kind: Type) -> Type:
    """What can be read as a DOUBLE; numbers stay as they are, since every number can."""
    if kind.name == "INTERVAL":
        raise _refused(kind, "a number")
    return number(kind)


def integer(kind: Type) -> Type:
    """Whole numbers."""
    if not kind.is_integral:
        raise _refused(kind, "a whole number")
    return kind


def boolean(kind: Type) -> Type:
    """Conditions."""
    if kind.name != "BOOLEAN":
        raise _refused(kind, "a condition")
    return kind


def text(kind: Type) -> Type:
    """Strings and bytes as they are; all else is written as a STRING, as in Spark."""
    return kind if kind.name in ("STRING", "BINARY") else STRING


def ordered(kind: Type) -> Type:
    """Whatever can be sorted, grouped and compared."""
    if any(part in ("MAP", "VARIANT", "UNKNOWN") for part in _parts(kind)):
        raise _refused(kind, "a value that can be compared")
    return STRING if kind.name == "VOID" else kind


def anything(kind: Type) -> Type:
    """Whatever has values."""
    return STRING if kind.name == "VOID" else kind


def _parts(kind: Type) -> list[str]:
    inner = [*kind.arguments, *(field for _, field in kind.fields)]
    return [kind.name, *(part for one in inner for part in _parts(one))]


def _refused(kind: Type, wanted: str) -> InvalidPlan:
    return InvalidPlan(f"{kind} cannot be aggregated here", hint=f"it takes {wanted}", code="type-mismatch")
