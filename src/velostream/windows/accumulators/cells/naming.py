"""How cells speak of their input: the name of a state column, and the rows that count for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from velostream.lazy import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


def label(kind: str, *arguments: str, where: str = "") -> str:
    """The name of a state column by what it holds: `sum(amount)`, `count(amount)|is_error`."""
    return f"{kind}({', '.join(arguments)})" + (f"|{where}" if where else "")


def chosen(column: str, where: str) -> pl.Expr:
    """A column, NULL in the rows that FILTER leaves out."""
    return pl.when(pl.col(where)).then(pl.col(column)) if where else pl.col(column)


def counted(rows: pl.DataFrame, arguments: Iterable[str], where: str) -> pl.DataFrame:
    """The rows where no argument is NULL and the condition of FILTER, if there is one, is true."""
    tests = [pl.col(name).is_not_null() for name in arguments] + ([pl.col(where)] if where else [])
    return rows.filter(pl.all_horizontal(tests))
