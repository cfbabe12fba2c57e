"""The functions, patterns and casts that a join computes of two rows, each as Spark does."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from sqlglot import exp

from velostream.plan.forms import Form
from velostream.plan.pair_numbers import remainder
from velostream.plan.pair_values import BITS, Value, alike, double, exact, scaled
from velostream.types import Type
from velostream.windows.text_forms import compiled


def call(node: exp.Expr, parts: list[Value]) -> Value | None:
    """What a function gives; None for one that only Spark knows."""
    make = _CALLS.get(str(node.this).upper())
    return None if make is None else make(parts)


def concatenated(node: exp.Expr, parts: list[Value]) -> Value | None:
    """`x || y`."""
    return _texts("joined", "text")(parts)


def like(value: Value, pattern: Value, escape: str, *, folded: bool, negated: bool) -> Value | None:
    """LIKE and ILIKE; None for a literal that is no pattern, which Spark refuses."""
    if value.family != "text" or pattern.family != "text" or len(escape) != 1:
        return None
    if folded:
        value, pattern = (part._replace(form=("lower", part.form)) for part in (value, pattern))
    if pattern.form[0] == "value" and compiled(str(pattern.form[1]), escape) is None:
        return None
    form: Form = ("like", escape, value.form, pattern.form)
    return Value(("not", form) if negated else form, "truth")


def chosen(conditions: list[Value], values: list[Value]) -> Value | None:
    """CASE: the value of the first condition that holds, else the last one, or NULL where there is none."""
    same = alike(values)
    if same is None or any(condition.family != "truth" for condition in conditions):
        return None
    paired = chain.from_iterable(zip((each.form for each in conditions), (each.form for each in same), strict=False))
    last = (same[-1].form,) if len(same) > len(conditions) else ()
    return same[0]._replace(form=("case", *paired, *last))


def cast(value: Value, kind: Type) -> Value | None:
    """CAST between numbers, where nothing is rounded."""
    if kind.name in BITS and value.family == "whole":
        bits = BITS[kind.name]
        return Value(value.form if bits >= value.size else ("whole as", bits, value.form), "whole", bits)
    if kind.name == "DOUBLE":
        return double(value)
    number = exact(value) if kind.name == "DECIMAL" else None
    if number is None or kind.precision is None or kind.scale is None:
        return None
    fits = kind.scale >= number.scale and kind.precision - kind.scale >= number.size - number.scale
    return Value(scaled(number, kind.scale), "decimal", kind.precision, kind.scale) if fits else None


def _absolute(parts: list[Value]) -> Value | None:
    part = parts[0] if parts[0].family != "number" else exact(parts[0])
    if len(parts) != 1 or part is None or part.family not in ("whole", "double", "decimal", "span"):
        return None
    return part._replace(form=("whole abs", part.size, part.form) if part.family == "whole" else ("abs", part.form))


def _root(parts: list[Value]) -> Value | None:
    """The one function of the machine's that is the same everywhere to the last digit."""
    part = double(parts[0]) if len(parts) == 1 else None
    return None if part is None else part._replace(form=("root", part.form))


def _several(word: str) -> Callable[[list[Value]], Value | None]:
    """A function that gives one of its values."""

    def make(parts: list[Value]) -> Value | None:
        same = alike(parts)
        return None if same is None else same[0]._replace(form=(word, *(part.form for part in same)))

    return make


def _texts(word: str, family: str, number: int | None = None) -> Callable[[list[Value]], Value | None]:
    """A function of texts, of so many where that is fixed."""

    def make(parts: list[Value]) -> Value | None:
        fits = all(part.family == "text" for part in parts) and number in (None, len(parts))
        size = 32 if family == "whole" else 0
        return Value((word, *(part.form for part in parts)), family, size) if fits else None

    return make


def _days(parts: list[Value]) -> Value | None:
    fits = len(parts) == 2 and all(part.family == "day" for part in parts)
    return Value(("days", *(part.form for part in parts)), "whole", 32) if fits else None


def _if(parts: list[Value]) -> Value | None:
    return chosen(parts[:1], parts[1:]) if len(parts) == 3 else None


_CALLS: dict[str, Callable[[list[Value]], Value | None]] = {
    "ABS": _absolute,
    "MOD": remainder,
    "SQRT": _root,
    "IF": _if,
    "COALESCE": _several("first"),
    "NVL": _several("first"),
    "IFNULL": _several("first"),
    "GREATEST": _several("greatest"),
    "LEAST": _several("least"),
    "CONCAT": _texts("joined", "text"),
    "UPPER": _texts("upper", "text", 1),
    "UCASE": _texts("upper", "text", 1),
    "LOWER": _texts("lower", "text", 1),
    "LCASE": _texts("lower", "text", 1),
    "TRIM": _texts("trimmed", "text", 1),
    "LTRIM": _texts("trimmed left", "text", 1),
    "RTRIM": _texts("trimmed right", "text", 1),
    "LENGTH": _texts("length", "whole", 1),
    "CHAR_LENGTH": _texts("length", "whole", 1),
    "CONTAINS": _texts("contains", "truth", 2),
    "STARTSWITH": _texts("starts", "truth", 2),
    "ENDSWITH": _texts("ends", "truth", 2),
    "INSTR": _texts("place", "whole", 2),
    "DATEDIFF": _days,
    "DATE_DIFF": _days,
}
