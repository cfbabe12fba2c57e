"""HAVING behind the operator: a row that ceases to be visible withdraws the one that went out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from velostream.windows.emission.base import RETRACT

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

Condition = Callable[["pl.DataFrame"], "pl.Series"]


def visible(rows: pl.DataFrame, condition: Condition) -> pl.DataFrame:
    """Rows of an operator that `keeps_previous`, as the sinks see them under a condition.

    A row that meets it goes on. One that does not, while the row that it corrects did, becomes a withdrawal of that
    one. A withdrawal goes on where what it withdraws was visible. What was never visible leaves no trace.
    """
    now = rows.filter(condition(rows).fill_null(value=False))
    corrected = rows.filter((pl.col("_emission") != RETRACT) & pl.col("_previous").is_not_null())
    if corrected.is_empty():
        return now
    names = [field.name for field in rows.schema["_previous"].fields]  # type: ignore[attr-defined]
    before = corrected.with_columns(pl.col("_previous").struct.field(name).alias(name) for name in names)
    seen, sees = condition(before).fill_null(value=False), condition(corrected).fill_null(value=False)
    withdrawn = before.filter(seen & ~sees).with_columns(
        pl.lit(RETRACT).alias("_emission"), (pl.col("_revision") - 1).alias("_revision")
    )
    return pl.concat([withdrawn, now])
