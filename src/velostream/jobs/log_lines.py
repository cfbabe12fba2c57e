"""What @log annotations write: a line for each row of a micro-batch that meets their condition, with its columns.

A repeated micro-batch writes its lines again: lines tell what happened, results are what counts.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from velostream.events import LOGGER
from velostream.plan.header_calls import HEADERS
from velostream.plan.job import Job
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import column

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

MOST = 1_000
"""So many lines of one annotation in a micro-batch; of the others it is said how many there are."""
FEW_TRACES, LOOKED_AT = 32, 1_000
"""A micro-batch tells of so many traces, among so many records."""
TRACEPARENT = "traceparent"
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class LogLines:
    """The log lines of a job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.shown = [member.name for member in job.root.fields.visible]

    def columns(self) -> list[Column]:
        """What Spark computes beside the rows: whether each line wants the row; NULL where that cannot be told."""
        from pyspark.sql import functions as F  # noqa: N812

        return [
            (F.lit(True) if log.condition is None else attempt(F.expr(log.condition.spark))).alias(f"_log{place}")
            for place, log in enumerate(self.job.logs)
        ]

    def of_table(self, table: pa.Table) -> None:
        """Writes the lines of rows in the driver."""
        import pyarrow.compute as pc

        for place, _ in enumerate(self.job.logs):
            wanted = table.filter(pc.fill_null(table[f"_log{place}"], False)).select(self.shown)
            self._write(place, wanted.slice(0, MOST).to_pylist(), wanted.num_rows)

    def of_frame(self, rows: DataFrame) -> None:
        """Writes the lines of rows that are too many for the driver."""
        for place, wanted in enumerate(self.columns()):
            chosen = rows.filter(wanted).select(*map(column, self.shown))
            some = chosen.limit(MOST + 1).toArrow()
            count = some.num_rows if some.num_rows <= MOST else chosen.count()
            self._write(place, some.slice(0, MOST).to_pylist(), count)

    def _write(self, place: int, rows: list[dict[str, Any]], count: int) -> None:
        line = self.job.logs[place].line
        logger, level = logging.getLogger(LOGGER), LEVELS[line.level]
        told = {"job": self.job.name, "statement": self.job.line}
        for row in rows:
            logger.log(level, "%s", line.message, extra={**told, "row": row})
        if count > len(rows):
            logger.log(level, "%s: %s more rows", line.message, f"{count - len(rows):,}", extra=told)


def traceparents(table: pa.Table) -> tuple[str, ...]:
    """The W3C traceparents in the headers of records, as far as rows still have headers."""
    if HEADERS not in table.column_names:
        return ()
    found: dict[str, None] = {}
    for headers in table[HEADERS].slice(0, LOOKED_AT).to_pylist():
        for entry in headers or ():
            key, value = entry if isinstance(entry, tuple) else (entry["key"], entry["value"])
            if str(key).casefold() == TRACEPARENT and value is not None:
                found[value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)] = None
        if len(found) >= FEW_TRACES:
            break
    return tuple(found)[:FEW_TRACES]
