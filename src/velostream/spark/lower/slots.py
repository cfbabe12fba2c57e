"""Slots: places over which rows are spread, the same in every version of a job, by their key or by where they stood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.spark.lower.context import column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SLOTS = 100
"""How many there are: each is a hundredth of the keys."""
SLOT = "_slot"


def slot_of(*values: Column) -> Column:
    """The slot of these values."""
    from pyspark.sql import functions as F  # noqa: N812

    texts = [F.coalesce(value.cast("string"), F.lit("\\N")) for value in values]
    return F.pmod(F.crc32(F.concat_ws("|", *texts).cast("binary")), F.lit(SLOTS))


def with_slots(rows: DataFrame) -> DataFrame:
    """Rows with the slot of the record that they were made of: by its source and its offset there. The number of a file
    is not asked, since versions may number files otherwise."""
    place = column("_place")
    return rows.withColumn(SLOT, slot_of(place["source"], place["offset"]))
