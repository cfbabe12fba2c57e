"""One micro-batch to its sinks: results, dead letters and accounts, each written once whatever is repeated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.jobs.accounts import Accounts
from velostream.jobs.home import Home
from velostream.plan.job import Job
from velostream.plan.nodes import Print, Sinks
from velostream.sinks.letters import letter, write_letters
from velostream.sinks.writers import Batch, BatchRows, write
from velostream.spark.lower.aggregate import WATERMARKS
from velostream.spark.lower.context import column
from velostream.spark.lower.job import LoweredJob
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.watermarks import keep

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FAILED_GROUP = "failed_group"
"""The reason of a letter that stands for a group whose aggregates failed, such as a sum that overflows."""
_LETTER = ("_source", "_partition", "_offset", "_event_time", "reason", "error", "lateness", "watermark", "record")


@dataclass
class BatchWriter:
    """The function of `foreachBatch`."""

    job: Job
    lowered: LoweredJob
    home: Home
    accounts: Accounts
    show: Callable[[object], None]
    folder: Path = Path()
    """Relative paths of sinks start here."""

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Writes one micro-batch. It is computed once: the first thing done with it goes over all of its partitions."""
        batch = batch.persist()
        try:
            if self.lowered.stateful:
                self._stateful(batch, number)
            else:
                self._stateless(batch, number)
            self.accounts.save(self.home.accounts)
        finally:
            batch.unpersist()

    def _stateful(self, batch: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        others = batch.filter(F.col("kind") != names.RESULT).collect()
        letters = [row.payload for row in others if row.kind == names.LETTER]
        stats = [json.loads(row.payload) for row in others if row.kind == names.STATS]
        self._sinks(self.lowered.rows(batch), number, sum(sum(one["emitted"].values()) for one in stats))
        failures = [letter(reason=FAILED_GROUP, error=text) for one in stats for text in one["failures"]]
        self._letters([*(one for payload in letters for one in _letters(payload)), *failures], number)
        self.accounts.add_stateful(number, stats)
        keep(
            self.home.folder / WATERMARKS,
            number,
            max((one["watermark"] for one in stats if one["watermark"]), default=None),
        )

    def _stateless(self, batch: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        records = batch.filter(F.col("_mark").isNull())
        counted = records.groupBy("_status").count().collect()
        counts = {row["_status"] or "": row["count"] for row in counted}
        self._sinks(records.filter(F.col("_status").isNull()), number, counts.get("", 0))
        broken = records.filter(F.col("_status").isNotNull() & (F.col("_status") != names.FILTERED))
        if any(status not in ("", names.FILTERED) for status in counts):
            rows = broken.select("_status", "_detail", "_record").collect()
            self._letters([letter(reason=r[0], error=r[1], record=r[2]) for r in rows], number)
        self.accounts.add_stateless(number, counts)

    def _sinks(self, rows: DataFrame, number: int, at_most: int) -> None:
        root = self.job.root
        batch = Batch(self.home.query_id(), number, self.folder, self.show)
        if isinstance(root, Print):
            chosen = rows.select(*(column(name) for name in root.needs))
            write("console_sink", self.job.name, BatchRows(chosen, at_most), None, batch)
            return
        assert isinstance(root, Sinks)
        for target in root.targets:
            chosen = rows.select(*(column(member.name) for member in target.columns(root.fields)))
            write(target.connector, target.name, BatchRows(chosen, at_most), target.settings, batch)

    def _letters(self, letters: list[dict[str, Any]], number: int) -> None:
        write_letters(self.home.letters, self.job.name, number, letters)


def _letters(payload: bytes) -> list[dict[str, Any]]:
    from velostream.spark.stateful.payload import unpack

    return [
        letter(**{name.removeprefix("_"): value for name, value in row.items()})
        for row in unpack(payload).select(_LETTER).to_dicts()
    ]
