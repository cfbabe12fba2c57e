"""Forms (velostream.plan.forms, velostream.plan.pair_forms) computed by Polars."""

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
    if word == "whole":
        operator, _, one, other = parts
        whole: pl.Expr = _WHOLE[operator](computed(one).cast(pl.Int128), computed(other).cast(pl.Int128))
        return whole
    if word == "whole abs":
        return computed(parts[1]).cast(pl.Int128).abs()
    values = [computed(part) for part in parts]
    made: pl.Expr = _SEVERAL[word](values) if word in _SEVERAL else _BINARY[word](*values)
    return made


def failing(form: tuple[Any, ...]) -> pl.Expr | None:
    """True where Spark fails to compute a form; None where it never does. What Spark does not ask does not fail."""
    word, *parts = form
    if word in ("column", "value", "number"):
        return None
    below = [_reached(word, parts, place) for place, part in enumerate(parts) if isinstance(part, tuple)]
    if word == "whole":
        below.append(_beyond(computed(form), parts[1]))
    if word == "whole abs":
        below.append(_beyond(computed(form), parts[0]))
    if word == "/":
        below.append((computed(parts[1]) == 0) & computed(parts[0]).is_not_null())
    found = [each.fill_null(value=False) for each in below if each is not None]
    return reduce(lambda one, other: one | other, found) if found else None


def _reached(word: str, parts: list[Any], place: int) -> pl.Expr | None:
    """Where a part fails, and those that Spark asks before it have not settled the answer."""
    fails = failing(parts[place])
    if fails is None:
        return None
    before = [part for part in parts[:place] if isinstance(part, tuple)]
    if word == "/":
        before = [parts[1]] if place == 0 else []
    if not before or word == "same":
        return fails
    first = computed(before[0])
    if word == "and":
        return fails & first.fill_null(value=True)
    if word == "or":
        return fails & ~first.fill_null(value=False)
    if word == "first":
        return fails & pl.all_horizontal([computed(each).is_null() for each in before])
    listed = [(first == computed(each)).fill_null(value=False) for each in before[1:]] if word == "in" else []
    return fails & first.is_not_null() & ~reduce(lambda one, other: one | other, listed, pl.lit(value=False))


def _beyond(value: pl.Expr, bits: int) -> pl.Expr:
    """True where a whole number does not fit."""
    most = (1 << (bits - 1)) - 1
    return (value > pl.lit(most, pl.Int128)) | (value < pl.lit(-most - 1, pl.Int128))


_SEVERAL: dict[str, Any] = {
    "in": lambda values: reduce(lambda one, other: one | other, [values[0] == each for each in values[1:]]),
    "between": lambda values: (values[0] >= values[1]) & (values[0] <= values[2]),
    "not": lambda values: ~values[0],
    "null": lambda values: values[0].is_null(),
    "double": lambda values: values[0].cast(pl.Float64),
    "abs": lambda values: values[0].abs(),
    "first": lambda values: pl.coalesce(values),
    "joined": lambda values: pl.concat_str(values),
}
_WHOLE: dict[str, Any] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}
_BINARY: dict[str, Any] = {
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "same": lambda one, other: one.eq_missing(other),
    "+": lambda one, other: one.cast(pl.Float64) + other.cast(pl.Float64),
    "-": lambda one, other: one.cast(pl.Float64) - other.cast(pl.Float64),
    "*": lambda one, other: one.cast(pl.Float64) * other.cast(pl.Float64),
    "/": lambda one, other: one.cast(pl.Float64) / other.cast(pl.Float64),
}
