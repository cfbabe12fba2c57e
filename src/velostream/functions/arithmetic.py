"""Rules for the result types of arithmetic: sums, averages, rounding, and the precision of decimals."""

from __future__ import annotations

from velostream.functions.base import ByLiteral
from velostream.functions.returns import Types, at
from velostream.functions.widening import adjusted, as_decimal, bounded, widest
from velostream.types import BIGINT, DATE, DOUBLE, INT, INTERVAL, STRING, TIMESTAMP, UNKNOWN, Type, array, decimal

Literals = tuple[object, ...]


def summed(types: Types) -> Type:
    """SUM: integers become BIGINT, a decimal gets ten digits more."""
    kind = at(types, 0)
    if kind.name == "DECIMAL":
        precision, scale = as_decimal(kind)
        return bounded(precision + 10, scale)
    return BIGINT if kind.is_integral else _amount(kind)


def averaged(types: Types) -> Type:
    """AVG: a decimal gets four digits more behind the point, all other numbers are DOUBLE."""
    kind = at(types, 0)
    if kind.name == "DECIMAL":
        precision, scale = as_decimal(kind)
        return bounded(precision + 4, scale + 4)
    return _amount(kind)


def averaged_x(types: Types) -> Type:
    """AVG of the second argument."""
    return averaged(types[1:])


def interpolated(types: Types) -> Type:
    """A value between two others: DOUBLE, or an interval."""
    return _amount(at(types, 0))


def continuous(types: Types) -> Type:
    """PERCENTILE_CONT: of a value and a percentage, or of a percentage alone, which says nothing of the value."""
    if len(types) < 2:
        return UNKNOWN
    return array(interpolated(types)) if types[1].name == "ARRAY" else interpolated(types)


def _amount(kind: Type) -> Type:
    return kind if kind.name in ("INTERVAL", "UNKNOWN") else DOUBLE


def widest_with_int(types: Types) -> Type:
    """ZEROIFNULL: the common type of the argument and a zero."""
    return widest((*types, INT))


def uniform_type(types: Types) -> Type:
    """UNIFORM: of whole numbers the wider, else the type that is not whole."""
    left, right = at(types, 0), at(types, 1)
    if left.is_integral == right.is_integral:
        return widest((left, right)) if left.is_integral or left == right else UNKNOWN
    return right if left.is_integral else left


def shifted(types: Types) -> Type:
    """Shifts: BIGINT stays, smaller integers are INT."""
    kind = at(types, 0)
    return kind if kind.name in ("BIGINT", "UNKNOWN") else INT


# rounding


def _digits(types: Types, literals: Literals) -> int | None:
    value = literals[1] if len(types) > 1 else 0
    return value if isinstance(value, int) else None


def _rounded_decimal(kind: Type, digits: int) -> Type:
    precision, scale = as_decimal(kind)
    whole = precision - scale + 1
    if digits < 0:
        return bounded(max(whole, 1 - digits), 0)
    kept = min(scale, digits)
    return bounded(whole + kept, kept)


def _rounded(types: Types, literals: Literals) -> Type:
    kind = at(types, 0)
    if kind.name != "DECIMAL":
        return DOUBLE if kind == STRING else kind
    digits = _digits(types, literals)
    return UNKNOWN if digits is None else _rounded_decimal(kind, digits)


def _levelled(types: Types, literals: Literals) -> Type:
    kind = at(types, 0)
    if len(types) == 1 and kind.is_temporal:
        return TIMESTAMP
    if len(types) == 1:
        whole = _rounded_decimal(kind, 0) if kind.name == "DECIMAL" else BIGINT
        return whole if kind.is_known else UNKNOWN
    digits = _digits(types, literals)
    exact = {"FLOAT": decimal(14, 7), "DOUBLE": decimal(30, 15)}.get(kind.name, kind)
    return _rounded_decimal(exact, digits) if digits is not None and exact.is_numeric else UNKNOWN


rounded = ByLiteral(_rounded)
"""ROUND: the same type; a decimal keeps the digits asked for."""

levelled = ByLiteral(_levelled)
"""CEIL and FLOOR: BIGINT, or a decimal without a fraction; with digits always a decimal. `x TO HOUR` is a time."""

# two numbers, times or intervals


def arithmetic(operator: str) -> ByLiteral:
    """What `+ - * / %` give; beside a decimal, a whole number that is a literal counts its own digits only."""
    return ByLiteral(lambda types, literals: _computed(operator, types, literals))


def _computed(operator: str, types: Types, literals: Literals) -> Type:
    left, right = at(types, 0), at(types, 1)
    if not (left.is_known and right.is_known):
        return UNKNOWN
    if left.is_temporal or right.is_temporal or INTERVAL in (left, right):
        return _moved(operator, left, right)
    both = widest((left, right))
    if both.name != "DECIMAL":
        return both if both.is_numeric and operator != "/" else DOUBLE
    return _decimal(operator, *_exact(left, literals[0]), *_exact(right, literals[1]))


def _exact(kind: Type, literal: object) -> tuple[int, int]:
    if kind.is_integral and isinstance(literal, int):
        return len(str(abs(literal))), 0
    return as_decimal(kind)


def difference(types: Types) -> Type:
    """DELTA: what `x - x` gives."""
    return _computed("-", (at(types, 0), at(types, 0)), (None, None))


def _moved(operator: str, left: Type, right: Type) -> Type:
    if left.is_temporal and right.is_temporal:
        return INTERVAL if operator == "-" else UNKNOWN
    time, by = (left, right) if left.is_temporal else (right, left)
    if not time.is_temporal:
        return INTERVAL
    if by == INTERVAL:
        # a date moved by days stays a date, by hours it does not: the interval's type does not tell
        return time if time.is_time else UNKNOWN
    return DATE


def _decimal(operator: str, p1: int, s1: int, p2: int, s2: int) -> Type:
    scale = max(s1, s2)
    if operator in "+-":
        return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if operator == "*":
        return adjusted(p1 + p2 + 1, s1 + s2)
    if operator == "/":
        scale = max(6, s1 + p2 + 1)
        return adjusted(p1 - s1 + s2 + scale, scale)
    return adjusted(min(p1 - s1, p2 - s2) + scale, scale)
