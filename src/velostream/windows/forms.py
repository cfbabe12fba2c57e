"""Forms (velostream.plan.forms) computed by Polars."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


def computed(form: tuple[Any, ...]) -> pl.Expr:
    """The expression that a form describes."""
    word, *parts = form
    if word == "column":
        return pl.col(parts[0])
    if word == "value":
        return pl.lit(parts[0])
    if word == "number":
        return pl.lit(float(parts[0]))
    values = [computed(part) for part in parts]
    if word == "in":
        return reduce(lambda one, other: one | other, [values[0] == each for each in values[1:]])
    if word == "between":
        return (values[0] >= values[1]) & (values[0] <= values[2])
    if word == "not":
        return ~values[0]
    if word == "null":
        return values[0].is_null()
    made: pl.Expr = _BINARY[word](*values)
    return made


_BINARY: dict[str, Any] = {
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "+": lambda one, other: one.cast(pl.Float64) + other.cast(pl.Float64),
    "-": lambda one, other: one.cast(pl.Float64) - other.cast(pl.Float64),
    "*": lambda one, other: one.cast(pl.Float64) * other.cast(pl.Float64),
}
