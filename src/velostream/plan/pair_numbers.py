"""What a join computes of numbers and times of two rows: + - * / % DIV, negation, and how far two times are apart.

The type of each result is Spark's. A decimal that Spark would round to fit into 38 digits is left to it.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from velostream.functions.widening import LARGEST
from velostream.plan.forms import ARITHMETIC, Form
from velostream.plan.pair_values import Value, alike, exact, scaled

COMPUTED = (*ARITHMETIC, exp.Div, exp.Mod, exp.IntDiv)
_LONGEST_DIVISION = 38
"""Spark divides to 39 digits and rounds then: up to here that is the same as to round once."""


def computed(node: exp.Expr, parts: list[Value]) -> Value | None:
    """What an operator between two values gives; None where only Spark knows."""
    one, other = parts
    families = {one.family, other.family}
    if families in ({"time"}, {"day"}):
        return Value(("apart", one.form, other.form), "span") if isinstance(node, exp.Sub) else None
    if families == {"whole"}:
        return _whole(node, one, other)
    if "double" in families:
        return None if isinstance(node, exp.IntDiv) else _double(node, one, other)
    left, right = exact(one), exact(other)
    make = None if left is None or right is None else _DECIMAL.get(type(node))
    return None if left is None or right is None or make is None else make(left, right)


def negative(node: exp.Expr, parts: list[Value]) -> Value | None:
    """`-x`."""
    [part] = parts
    if part.form[0] == "number":
        text = str(part.form[1])
        return Value(("number", text[1:] if text.startswith("-") else f"-{text}"), part.family)
    if part.family == "double":
        return Value(("*", part.form, ("value", -1)), "double")
    if part.family == "decimal":
        return part._replace(form=("exact", "-", ("long", 0), part.form))
    if part.family != "whole":
        return None
    if part.form[0] == "long":
        return Value(("long", -part.form[1]), "whole", part.size)
    return Value(("whole", "-", part.size, ("long", 0), part.form), "whole", part.size)


def remainder(parts: list[Value]) -> Value | None:
    """`MOD(x, y)`."""
    return computed(exp.Mod(), parts) if len(parts) == 2 else None


def _whole(node: exp.Expr, one: Value, other: Value) -> Value:
    forms = (one.form, other.form)
    size = max(one.size, other.size)
    if isinstance(node, exp.Div):
        return Value(("/", *forms), "double")
    if isinstance(node, exp.IntDiv):
        return Value(("div", 64, *forms), "whole", 64)
    if isinstance(node, exp.Mod):
        return Value(("%", *forms), "whole", size)
    return Value(("whole", ARITHMETIC[type(node)], size, *forms), "whole", size)


def _double(node: exp.Expr, one: Value, other: Value) -> Value | None:
    parts = alike([one, other])
    words: dict[type[exp.Expr], str] = {**ARITHMETIC, exp.Div: "/", exp.Mod: "double %"}
    return None if parts is None else Value((words[type(node)], *(part.form for part in parts)), "double")


def _sum(word: str) -> Callable[[Value, Value], Value | None]:
    def make(one: Value, other: Value) -> Value | None:
        scale = max(one.scale, other.scale)
        form = ("exact", word, scaled(one, scale), scaled(other, scale))
        return _decimal(form, _before(one, other) + scale + 1, scale)

    return make


def _product(one: Value, other: Value) -> Value | None:
    return _decimal(("exact", "*", one.form, other.form), one.size + other.size + 1, one.scale + other.scale)


def _quotient(one: Value, other: Value) -> Value | None:
    scale = max(6, one.scale + other.size + 1)
    size = one.size - one.scale + other.scale + scale
    if size + other.size > _LONGEST_DIVISION:
        return None
    return _decimal(("decimal /", scale + other.scale - one.scale, one.form, other.form), size, scale)


def _remainder(one: Value, other: Value) -> Value | None:
    scale = max(one.scale, other.scale)
    if _before(one, other) + scale > LARGEST:
        return None
    size = min(one.size - one.scale, other.size - other.scale) + scale
    return _decimal(("%", scaled(one, scale), scaled(other, scale)), size, scale)


def _before(one: Value, other: Value) -> int:
    """How many digits stand before the point."""
    return max(one.size - one.scale, other.size - other.scale)


def _decimal(form: Form, size: int, scale: int) -> Value | None:
    return Value(form, "decimal", size, scale) if size <= LARGEST else None


_DECIMAL: dict[type[exp.Expr], Callable[[Value, Value], Value | None]] = {
    exp.Add: _sum("+"),
    exp.Sub: _sum("-"),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.Mod: _remainder,
}
