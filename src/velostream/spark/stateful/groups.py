"""The group of a record that is a dead letter, as text: by it versions that run side by side know whose it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_NULL = "\\N"


def group_text(keys: Sequence[str], columns: Mapping[str, pl.DataType]) -> pl.Expr:
    """The keys of a row as one text, as `spark.lower.slots` has it; one that could not be computed is as one that is
    NULL. NULL where rows have none, and where keys are neither texts nor whole numbers, which alone are the same text
    for Spark."""
    import polars as pl

    if not keys or any(key not in columns or not _is_plain(columns[key]) for key in keys):
        return pl.lit(None, pl.String)
    return pl.concat_str([pl.col(key).cast(pl.String).fill_null(_NULL) for key in keys], separator="|")


def _is_plain(kind: pl.DataType) -> bool:
    import polars as pl

    return kind == pl.String or kind.is_integer()
