"""Slots: places over which rows are spread, the same in every version of a job, by their key or by where they stood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.spark.lower.context import column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SLOTS = 100
"""How many there are: each is a hundredth of the keys."""


def slot_of(*values: Column) -> Column:
    """The slot of these values."""
    from pyspark.sql import functions as F  # noqa: N812

    texts = [F.coalesce(value.cast("string"), F.lit("\\N")) for value in values]
    return F.pmod(F.crc32(F.concat_ws("|", *texts).cast("binary")), F.lit(SLOTS))


def slot_at(source: Column, records: DataFrame) -> Column:
    """The slot of a record by where it stands: its source, its topic or file, and its offset there, as far as they are
    known. The number of a file is not asked, since versions may number files otherwise."""
    return slot_of(source, *(column(name) for name in ("_topic", "_offset") if name in records.columns))
