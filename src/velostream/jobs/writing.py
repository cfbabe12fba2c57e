"""One micro-batch to its sinks: results, dead letters and accounts, each written once whatever is repeated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.jobs.accounts import Accounts
from velostream.jobs.home import Home
from velostream.plan.job import Job
from velostream.plan.nodes import Print, Sinks
from velostream.sinks.writers import write_console, write_files
from velostream.spark.lower.aggregate import WATERMARKS
from velostream.spark.lower.context import column
from velostream.spark.lower.job import LoweredJob
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.watermarks import keep

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FAILED_GROUP = "failed_group"
"""The reason of a letter that stands for a group whose aggregates failed, such as a sum that overflows."""
LETTER_FIELDS = ("source", "partition", "offset", "event_time", "reason", "error", "lateness", "watermark", "record")


@dataclass
class BatchWriter:
    """The function of `foreachBatch`."""

    job: Job
    lowered: LoweredJob
    home: Home
    accounts: Accounts
    show: Callable[[str], None]

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Writes one micro-batch. The batch is computed once, all of it, before anything else is done with it."""
        batch = batch.persist()
        try:
            batch.count()
            if self.lowered.stateful:
                self._stateful(batch, number)
            else:
                self._stateless(batch, number)
            self.accounts.save(self.home.accounts)
        finally:
            batch.unpersist()

    def _stateful(self, batch: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        self._sinks(self.lowered.rows(batch), number)
        others = batch.filter(F.col("kind") != names.RESULT).collect()
        letters = [row.payload for row in others if row.kind == names.LETTER]
        stats = [json.loads(row.payload) for row in others if row.kind == names.STATS]
        failures = [{"reason": FAILED_GROUP, "error": text} for one in stats for text in one["failures"]]
        self._letters([*(letter for payload in letters for letter in _letters(payload)), *failures], number)
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
        self._sinks(records.filter(F.col("_status").isNull()), number)
        broken = records.filter(F.col("_status").isNotNull() & (F.col("_status") != names.FILTERED))
        if any(status not in ("", names.FILTERED) for status in counts):
            rows = broken.select("_status", "_detail", "_record").collect()
            self._letters([{"reason": r[0], "error": r[1], "record": r[2]} for r in rows], number)
        self.accounts.add_stateless(number, counts)

    def _sinks(self, rows: DataFrame, number: int) -> None:
        root = self.job.root
        if isinstance(root, Print):
            write_console(rows.select(*(column(name) for name in root.needs)), self.show)
            return
        assert isinstance(root, Sinks)
        query = self.home.query_id()
        for target in root.targets:
            chosen = rows.select(*(column(member.name) for member in target.columns(root.fields)))
            if target.connector == "file_sink":
                write_files(chosen, target.settings, query, number)
            else:
                write_console(chosen, self.show)

    def _letters(self, letters: list[dict[str, Any]], number: int) -> None:
        if not letters:
            return
        from velostream.files import replace_text

        lines = [json.dumps({"job": self.job.name, **letter}, default=str) for letter in letters]
        replace_text(self.home.letters / f"{number:09d}.jsonl", "\n".join(lines) + "\n")


def _letters(payload: bytes) -> list[dict[str, Any]]:
    from velostream.spark.stateful.payload import unpack

    frame = unpack(payload)
    plain = {"_source": "source", "_partition": "partition", "_offset": "offset", "_event_time": "event_time"}
    return frame.rename(plain).select(LETTER_FIELDS).to_dicts()
