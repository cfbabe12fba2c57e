"""What is asked of two texts row by row: whether one is like a pattern, and where one stands in the other."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

_WILD = {"%": ".*", "_": "."}


def matches(value: pl.Expr, pattern: pl.Expr, escape: str) -> pl.Expr:
    """LIKE; False where the pattern is none."""

    def one(text: str, asked: str) -> bool:
        found = compiled(asked, escape)
        return found is not None and found.fullmatch(text) is not None

    return _each(value, pattern, one, pl.Boolean)


def is_pattern(pattern: pl.Expr, escape: str) -> pl.Expr:
    """False where LIKE cannot ask it."""
    return _each(pattern, pattern, lambda _, asked: compiled(asked, escape) is not None, pl.Boolean)


def places(value: pl.Expr, part: pl.Expr) -> pl.Expr:
    """INSTR: where a part begins, counted from one; zero where it is not in it."""
    return _each(value, part, lambda text, asked: text.find(asked) + 1, pl.Int32)


def _each(one: pl.Expr, other: pl.Expr, answer: Callable[[str, str], Any], kind: Any) -> pl.Expr:
    """The answer for each pair of texts; NULL where one is missing."""

    def asked(pairs: pl.Series) -> pl.Series:
        texts = zip(*(pairs.struct.field(name).to_list() for name in ("one", "other")), strict=True)
        return pl.Series([None if a is None or b is None else answer(a, b) for a, b in texts], dtype=kind)

    return pl.struct(one.alias("one"), other.alias("other")).map_batches(asked, return_dtype=kind, is_elementwise=True)


@lru_cache(maxsize=10_000)
def compiled(pattern: str, escape: str) -> re.Pattern[str] | None:
    """What LIKE asks; None where an escape stands at the end, or before what needs none."""
    letters, made = iter(pattern), []
    for letter in letters:
        if letter != escape:
            made.append(_WILD.get(letter) or re.escape(letter))
            continue
        plain = next(letters, "")
        if plain not in ("_", "%", escape):
            return None
        made.append(re.escape(plain))
    return re.compile("".join(made), re.DOTALL)
