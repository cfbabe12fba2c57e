"""What the stateful nodes of a job say in a micro-batch beside rows: figures, dead letters, and payloads of results."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.jobs.letter_owner import OWNING
from velostream.sinks.letters.letter import letter
from velostream.spark.lower.context import column
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.layout import GROUP
from velostream.windows.failed import FAILED_GROUP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL = 16 << 20
"""Up to so many bytes, rows are taken to the driver with what stateful nodes say beside them; buckets share it."""
_LETTER = ("_source", "_partition", "_offset", "_event_time", "reason", "error", "lateness", "watermark", "record")


@dataclass
class Said:
    """What the stateful nodes of a job said in a micro-batch beside rows."""

    stats: list[dict[str, Any]] = field(default_factory=list)
    letters: list[dict[str, Any]] = field(default_factory=list)
    results: list[bytes | None] = field(default_factory=list)
    """Rows in payloads; None for one that is too large for the driver."""

    def take(self, kind: str, payload: bytes | None) -> None:
        """Adds what one bucket said."""
        if kind == names.RESULT:
            self.results.append(payload)
            return
        assert payload is not None
        if kind == names.LETTER:
            self.letters += _letters(payload)
            return
        one = json.loads(payload)
        self.stats.append(one)
        for error, group, end in one["failures"]:
            self.letters.append({**letter(reason=FAILED_GROUP, error=error), OWNING: {"group": group, "end": end}})

    def rows(self, stage: int) -> int:
        """How many rows a stateful node sent."""
        return sum(one["rows"] for one in self.stats if one["stage"] == stage)

    @property
    def next_tick(self) -> int | None:
        """When the clock should be looked at again."""
        return min((one["next_tick"] for one in self.stats if one["next_tick"] is not None), default=None)


def share_of(buckets: int) -> int:
    """How many bytes of rows a bucket may take to the driver, so that all of them together are few there."""
    return SMALL // max(buckets, 1)


def heard(batch: DataFrame, share: int, *, packed: bool) -> Said:
    """What stateful nodes say beside the rows of a micro-batch, and those of buckets that have no more than `share`."""
    from pyspark.sql import functions as F  # noqa: N812

    if packed:
        wanted = (F.col("kind") != names.RESULT) | (F.length("payload") <= share)
        others = batch.select("kind", F.when(wanted, F.col("payload")).alias("payload"))
    else:
        kind = F.get_json_object(column(names.MARK), "$.pass").alias("kind")
        others = batch.filter(column(names.PASSED).isNotNull()).select(kind, column(names.PASSED).alias("payload"))
    said = Said()
    for row in others.collect():
        said.take(row.kind, None if row.payload is None else bytes(row.payload))
    return said


def _letters(payload: bytes) -> list[dict[str, Any]]:
    from velostream.spark.stateful.payload import unpack

    found = unpack(payload)
    groups = found[GROUP].to_list() if GROUP in found.columns else [None] * found.height
    return [
        {
            **letter(**{name.removeprefix("_"): value for name, value in row.items()}),
            OWNING: {"group": group, "time": row["_event_time"]},
        }
        for row, group in zip(found.select(_LETTER).to_dicts(), groups, strict=True)
    ]
