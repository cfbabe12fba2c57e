"""Values of two rows as the operator of a join computes them: of which family each is, and what families share.

Decimals are whole numbers of their last digit, so that what is computed of them is exact wherever it fits.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from sqlglot import exp

from velostream.functions.widening import DIGITS, LARGEST, as_decimal
from velostream.plan.forms import Form
from velostream.types import Type

BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_DIGITS = {bits: DIGITS[name] for name, bits in BITS.items()}
_PLAIN = {"STRING": "text", "DOUBLE": "double", "BOOLEAN": "truth", "TIMESTAMP": "time", "DATE": "day"}
_EXACT = {"whole", "number", "decimal"}
_EXACT_IN_DOUBLE = 15
"""A decimal of so many digits is one division of two numbers that DOUBLE holds exactly."""


class Value(NamedTuple):
    """A form and the family of its values; of a whole number its bits, of a decimal its digits, and how many of them
    stand behind the point."""

    form: Form
    family: str
    size: int = 0
    scale: int = 0


def read(form: Form, kind: Type) -> Value | None:
    """A field; None for types that only Spark knows."""
    if kind.name in BITS:
        return Value(form, "whole", BITS[kind.name])
    if kind.name == "DECIMAL":
        return Value(("unscaled", form), "decimal", *as_decimal(kind))
    return Value(form, _PLAIN[kind.name]) if kind.name in _PLAIN else None


def literal(node: exp.Literal) -> Value | None:
    """A text, or a number as Spark reads it: with an exponent it is a DOUBLE, with a point a decimal."""
    if node.is_string:
        return Value(("value", node.name), "text")
    if "e" in node.name.casefold():
        return Value(("number", node.name), "double")
    if not node.name.isdecimal():
        return Value(("number", node.name), "number")
    number = int(node.name)
    bits = 32 if number < 1 << 31 else 64
    return Value(("long", number), "whole", bits) if number < 1 << 63 else None


def exact(value: Value) -> Value | None:
    """A number as a decimal; None for a DOUBLE."""
    if value.family == "decimal":
        return value
    if value.family == "number":
        number = Decimal(str(value.form[1]))
        scale = max(-int(number.as_tuple().exponent), 0)
        digits = max(len(number.as_tuple().digits), scale)
        return Value(("long", int(number.scaleb(scale))), "decimal", digits, scale) if digits <= LARGEST else None
    if value.family != "whole":
        return None
    own = len(str(abs(value.form[1]))) if value.form[0] == "long" else _DIGITS[value.size]
    return Value(value.form, "decimal", own)


def double(value: Value) -> Value | None:
    """A number as DOUBLE; None where two roundings could differ from Spark's one."""
    if value.family in ("double", "number"):
        return Value(value.form, "double")
    if value.family == "whole":
        return Value(("double", value.form), "double")
    fits = value.family == "decimal" and value.size <= _EXACT_IN_DOUBLE
    return Value(("fraction", value.scale, value.form), "double") if fits else None


def scaled(value: Value, scale: int) -> Form:
    """A decimal as a whole number of its last digit, with more digits behind the point."""
    return value.form if scale == value.scale else ("shifted", scale - value.scale, value.form)


def alike(parts: list[Value]) -> list[Value] | None:
    """The values in one type, as Spark casts them to compare them; None where it may cast them otherwise."""
    families = {part.family for part in parts}
    if len(families) == 1 and not families & {"number", "decimal"}:
        size = max(part.size for part in parts)
        return [part._replace(size=size) for part in parts]
    if families <= _EXACT:
        return _as_decimals(parts)
    if "double" not in families or not families <= {"double", *_EXACT}:
        return None
    return _all([double(part) for part in parts])


def _as_decimals(parts: list[Value]) -> list[Value] | None:
    found = _all([exact(part) for part in parts])
    if found is None:
        return None
    scale = max(part.scale for part in found)
    size = max(part.size - part.scale for part in found) + scale
    return [Value(scaled(part, scale), "decimal", size, scale) for part in found] if size <= LARGEST else None


def _all(parts: list[Value | None]) -> list[Value] | None:
    found = [part for part in parts if part is not None]
    return found if len(found) == len(parts) else None
