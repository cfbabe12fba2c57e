"""Forms (velostream.plan.forms, velostream.plan.pair_forms) computed by Polars."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from velostream.windows.text_forms import is_pattern, matches, places

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

Form = tuple[Any, ...]

_PLAIN = ("column", "value", "number", "long")
_BACKWARDS = ("/", "%", "div", "double %", "decimal /")
"""What Spark asks the divisor of first."""
_ALL_ASKED = ("same", "greatest", "least", "joined")


def computed(form: Form) -> pl.Expr:
    """The expression that a form describes."""
    word, *parts = form
    if word == "column":
        return pl.col(parts[0])
    if word == "value":
        return pl.lit(parts[0])
    if word == "number":
        return pl.lit(float(parts[0]))
    if word == "long":
        return pl.lit(parts[0], pl.Int64 if -1 << 63 <= parts[0] < 1 << 63 else pl.Int128)
    said = [part for part in parts if not isinstance(part, tuple)]
    values = [computed(part) for part in parts if isinstance(part, tuple)]
    if word in _TOLD:
        told: pl.Expr = _TOLD[word](*said, *values)
        return told
    made: pl.Expr = _SEVERAL[word](values) if word in _SEVERAL else _BINARY[word](*values)
    return made


def failing(form: Form) -> pl.Expr | None:
    """True where Spark fails to compute a form; None where it never does. What Spark does not ask does not fail."""
    word, *parts = form
    if word in _PLAIN:
        return None
    operands = [part for part in parts if isinstance(part, tuple)]
    below = [_reached(word, operands, place) for place in range(len(operands))]
    below.append(_itself(form, word, parts, operands))
    found = [each.fill_null(value=False) for each in below if each is not None]
    return reduce(lambda one, other: one | other, found) if found else None


def _itself(form: Form, word: str, parts: list[Any], operands: list[Form]) -> pl.Expr | None:
    """Where a form fails although its parts do not."""
    if word == "like":
        pattern = operands[1]
        no_pattern = ~is_pattern(computed(pattern), parts[0]) & computed(operands[0]).is_not_null()
        return None if pattern[0] == "value" else no_pattern
    if word == "whole":
        return _beyond(computed(form), parts[1])
    if word in ("whole abs", "whole as"):
        return _beyond(computed(form), parts[0])
    if word not in _BACKWARDS:
        return None
    zero = (computed(operands[1]) == 0) & computed(operands[0]).is_not_null()
    return zero | _beyond(computed(form), parts[0]).fill_null(value=False) if word == "div" else zero


def _reached(word: str, operands: list[Form], place: int) -> pl.Expr | None:
    """Where a part fails, and those that Spark asks before it have not settled the answer."""
    fails = failing(operands[place])
    if fails is None or word in _ALL_ASKED:
        return fails
    before = operands[:place]
    if word in _BACKWARDS:
        before = [operands[1]] if place == 0 else []
    if not before:
        return fails
    first = computed(before[0])
    if word == "and":
        return fails & first.fill_null(value=True)
    if word == "or":
        return fails & ~first.fill_null(value=False)
    if word == "first":
        return fails & pl.all_horizontal([computed(each).is_null() for each in before])
    if word == "case":
        return fails & _chosen(operands, place)
    listed = [(first == computed(each)).fill_null(value=False) for each in before[1:]] if word == "in" else []
    return fails & first.is_not_null() & ~reduce(lambda one, other: one | other, listed, pl.lit(value=False))


def _chosen(operands: list[Form], place: int) -> pl.Expr:
    """Where a part of CASE is asked: no condition before it holds, and its own one does where it is a value."""
    own = place - 1 if place % 2 else None
    held = [computed(operands[at]).fill_null(value=False) for at in range(0, place, 2)]
    no_other = [~each for at, each in zip(range(0, place, 2), held, strict=True) if at != own]
    return pl.all_horizontal([*no_other, *(held[-1:] if own is not None else [])])


def _beyond(value: pl.Expr, bits: int) -> pl.Expr:
    """True where a whole number does not fit."""
    most = (1 << (bits - 1)) - 1
    return (value > pl.lit(most, pl.Int128)) | (value < pl.lit(-most - 1, pl.Int128))


def _long(value: pl.Expr) -> pl.Expr:
    return value.cast(pl.Int128)


def _whole(operator: str, *parts: Any) -> pl.Expr:
    one, other = parts[-2:]
    made: pl.Expr = _WHOLE[operator](_long(one), _long(other))
    return made


def _times_ten(digits: int, value: pl.Expr) -> pl.Expr:
    return _long(value) * pl.lit(10**digits, pl.Int128)


def _quotient(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """A whole number, rounded towards zero."""
    return _signed(one.abs() // other.abs(), one, other)


def _rounded_quotient(digits: int, one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """To so many more digits than the two have, and a half away from zero."""
    dividend, divisor = _times_ten(digits, one), _long(other)
    return _signed((dividend.abs() * 2 + divisor.abs()) // (divisor.abs() * 2), dividend, divisor)


def _signed(size: pl.Expr, one: pl.Expr, other: pl.Expr) -> pl.Expr:
    return pl.when((one < 0) != (other < 0)).then(pl.lit(0, pl.Int128) - size).otherwise(size)


def _remainder(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """With the sign of the dividend."""
    dividend, divisor = _long(one), _long(other)
    return dividend - _quotient(dividend, divisor) * divisor


def _double_remainder(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """As exact as the machine's: no quotient is rounded on the way."""
    import numpy as np

    def fmod(pairs: pl.Series) -> pl.Series:
        dividend, divisor = (pairs.struct.field(name).to_numpy() for name in ("one", "other"))
        with np.errstate(invalid="ignore"):
            return pl.Series(np.fmod(dividend, divisor))

    parts = [one.cast(pl.Float64).alias("one"), other.cast(pl.Float64).alias("other")]
    known = one.is_not_null() & other.is_not_null()
    return pl.when(known).then(pl.struct(parts).map_batches(fmod, return_dtype=pl.Float64, is_elementwise=True))


def _case(values: list[pl.Expr]) -> pl.Expr:
    """The value of the first condition that holds; a last one without a condition is for all others."""
    made = values[-1] if len(values) % 2 else pl.lit(None)
    for at in range(len(values) - len(values) % 2 - 2, -1, -2):
        made = pl.when(values[at]).then(values[at + 1]).otherwise(made)
    return made


def _most(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    return pl.when(one.is_null() | (one < other)).then(other).otherwise(one)


def _least(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    return pl.when(one.is_null() | (one > other)).then(other).otherwise(one)


_TOLD: dict[str, Any] = {
    "whole": _whole,
    "exact": _whole,
    "whole abs": lambda bits, value: _long(value).abs(),
    "whole as": lambda bits, value: _long(value),
    "div": lambda bits, one, other: _quotient(_long(one), _long(other)),
    "shifted": _times_ten,
    "fraction": lambda scale, value: value.cast(pl.Float64) / 10**scale,
    "decimal /": _rounded_quotient,
    "like": lambda escape, value, pattern: matches(value, pattern, escape),
}
"""Those that say something beside the values that they are about."""
_SEVERAL: dict[str, Any] = {
    "in": lambda values: reduce(lambda one, other: one | other, [values[0] == each for each in values[1:]]),
    "between": lambda values: (values[0] >= values[1]) & (values[0] <= values[2]),
    "not": lambda values: ~values[0],
    "null": lambda values: values[0].is_null(),
    "double": lambda values: values[0].cast(pl.Float64),
    "unscaled": lambda values: _long(values[0].to_physical()),
    "abs": lambda values: values[0].abs(),
    "root": lambda values: values[0].sqrt(),
    "first": lambda values: pl.coalesce(values),
    "case": _case,
    "greatest": lambda values: reduce(_most, values),
    "least": lambda values: reduce(_least, values),
    "joined": lambda values: pl.concat_str(values),
    "upper": lambda values: values[0].str.to_uppercase(),
    "lower": lambda values: values[0].str.to_lowercase(),
    "trimmed": lambda values: values[0].str.strip_chars(" "),
    "trimmed left": lambda values: values[0].str.strip_chars_start(" "),
    "trimmed right": lambda values: values[0].str.strip_chars_end(" "),
    "length": lambda values: values[0].str.len_chars().cast(pl.Int32),
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
    "%": _remainder,
    "double %": _double_remainder,
    "contains": lambda one, other: one.str.contains(other, literal=True),
    "starts": lambda one, other: one.str.starts_with(other),
    "ends": lambda one, other: one.str.ends_with(other),
    "place": places,
    "apart": lambda one, other: (one - other).dt.total_microseconds(),
    "days": lambda one, other: (one - other).dt.total_days(),
}
