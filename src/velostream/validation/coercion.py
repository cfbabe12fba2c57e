"""What two types give when they meet in an operator: Spark's rules, but text becomes a number only by a cast."""

from __future__ import annotations

from velostream.functions.widening import adjusted, as_decimal, widest
from velostream.types import BIGINT, BOOLEAN, DATE, DOUBLE, INTERVAL, NULL, STRING, TIMESTAMP, UNKNOWN, Type


def common(left: Type, right: Type) -> Type | None:
    """The type that both can be read as (CASE, UNION, IN, =); None where a cast by hand is wanted."""
    if left == right or right == NULL:
        return left
    if left == NULL:
        return right
    if not (left.is_known and right.is_known):
        return UNKNOWN
    if left.is_numeric and right.is_numeric:
        return widest((left, right))
    if left.is_temporal and right.is_temporal:
        return TIMESTAMP if left.is_time or right.is_time else DATE
    if STRING in (left, right):
        other = right if left == STRING else left
        return other if other.is_temporal else None
    if left.name == right.name and len(left.fields) == len(right.fields):
        return _common_nested(left, right)
    return None


def _common_nested(left: Type, right: Type) -> Type | None:
    arguments = [common(mine, other) for mine, other in zip(left.arguments, right.arguments, strict=True)]
    fields = [(name, common(kind, other)) for (name, kind), (_, other) in zip(left.fields, right.fields, strict=True)]
    if None in arguments or any(kind is None for _, kind in fields):
        return None
    return Type(left.name, tuple(filter(None, arguments)), tuple((name, kind) for name, kind in fields if kind))


def common_of(kinds: list[Type]) -> Type | None:
    """The common type of several."""
    result = NULL
    for kind in kinds:
        met = common(result, kind)
        if met is None:
            return None
        result = met
    return result


def comparable(left: Type, right: Type) -> bool:
    """True where = < > make sense without a cast by hand."""
    return "MAP" not in (left.name, right.name) and common(left, right) is not None


def assignable(value: Type, target: Type) -> bool:
    """True where a value can be written into a column of the target type without losing its meaning."""
    if value in (NULL, target) or not (value.is_known and target.is_known):
        return True
    if value.is_numeric and target.is_numeric:
        return True
    if target == STRING:
        return value.name not in ("ARRAY", "MAP", "STRUCT", "BINARY")
    return common(value, target) is not None and value != BOOLEAN


def arithmetic(operator: str, left: Type, right: Type) -> Type | None:
    """The type of `left operator right` for + - * / % DIV; None where Spark or good sense refuses it."""
    if NULL in (left, right):
        known = right if left == NULL else left
        return arithmetic(operator, DOUBLE, DOUBLE) if known == NULL else _beside_null(operator, known)
    if not (left.is_known and right.is_known):
        return UNKNOWN
    if left.is_temporal or right.is_temporal or INTERVAL in (left, right):
        return _temporal(operator, left, right)
    if not (left.is_numeric and right.is_numeric):
        return None
    names = (left.name, right.name)
    if operator == "DIV":
        return BIGINT if not {"FLOAT", "DOUBLE"} & set(names) else None
    if "DECIMAL" in names and "FLOAT" not in names and "DOUBLE" not in names:
        return _decimal(operator, as_decimal(left), as_decimal(right))
    return DOUBLE if operator == "/" else widest((left, right))


def _beside_null(operator: str, kind: Type) -> Type | None:
    """NULL takes the type beside it; it does not make sense of what has none."""
    if not kind.is_known or kind.is_temporal or kind == INTERVAL:
        return kind
    return arithmetic(operator, kind, kind)


def _temporal(operator: str, left: Type, right: Type) -> Type | None:
    if left.is_temporal and right.is_temporal:
        return INTERVAL if operator == "-" else None
    if left.is_temporal and right == INTERVAL and operator in "+-":
        return TIMESTAMP if left == DATE else left
    if left == INTERVAL and right.is_temporal and operator == "+":
        return TIMESTAMP if right == DATE else right
    if left == DATE and right.is_integral and operator in "+-":
        return DATE
    if left == INTERVAL and right == INTERVAL and operator in "+-":
        return INTERVAL
    if INTERVAL in (left, right) and (left.is_numeric or right.is_numeric):
        return INTERVAL if operator == "*" or (operator == "/" and left == INTERVAL) else None
    return None


def _decimal(operator: str, left: tuple[int, int], right: tuple[int, int]) -> Type:
    (p1, s1), (p2, s2) = left, right
    scale = max(s1, s2)
    if operator in "+-":
        return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if operator == "*":
        return adjusted(p1 + p2 + 1, s1 + s2)
    if operator == "/":
        scale = max(6, s1 + p2 + 1)
        return adjusted(p1 - s1 + s2 + scale, scale)
    return adjusted(min(p1 - s1, p2 - s2) + scale, scale)
