"""A table or query of PostgreSQL as a stream: all rows, then those beyond the largest value of a column that grows.

An offset is the bound up to which rows were read, how many they were, and which of them have the bound itself, so a
re-run of a batch asks for the same, and rows that get the same value later are read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow

from velostream.postgres import Server
from velostream.sources.database_rows import Bound, Candidate, DatabaseRows, Within
from velostream.sources.database_ties import Ties
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.marks import finished, listed, mark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

SYSTEM = "_partition INT, _offset BIGINT, _mark STRING"


@dataclass(frozen=True)
class DatabaseOptions:
    """What the reader is told, as it travels through Spark's options."""

    rows: DatabaseRows
    calls: Calls
    ends: bool = False
    interval: float = 10.0
    fetch: int = 10_000
    limit: BatchLimit = field(default_factory=BatchLimit)

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> DatabaseOptions:
        """From JSON."""
        data = json.loads(text)
        rows, calls, limit = data.pop("rows"), data.pop("calls"), BatchLimit(**data.pop("limit"))
        columns = tuple((name, kind) for name, kind in rows.pop("columns"))
        server = Server(**rows.pop("server"))
        return cls(DatabaseRows(server=server, columns=columns, **rows), Calls.read(calls), limit=limit, **data)


@dataclass
class DatabaseReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Asks for what is new, at most every `interval` seconds once all that was there is read."""

    options: DatabaseOptions
    columns: StructType
    asked: float = -1e9
    waiting: Candidate | None = None
    until: str | None = None
    """In a run that ends: the bound of all rows."""
    fixed: bool = field(default=False)

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Before the first row."""
        return {"value": None, "rows": 0, "whole": False, "ended": False}

    def getDefaultReadLimit(self) -> ReadAllAvailable:  # noqa: N802
        """Limits are its own."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A bounded run reads what is there now."""
        self.fixed = False

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """As far as the next micro-batch goes; only where it is time to, the database is asked."""
        if start["whole"] or (self.fixed and start["value"] == self.until):
            return self._at_end(start)
        return self.options.calls(lambda: self._next(start)) if self._is_due() else start

    def _next(self, start: dict[str, Any]) -> dict[str, Any]:
        rows = self.options.rows
        with rows.connected() as connection:
            if not rows.by:
                bound = rows.bound(connection, None, None)
                assert bound is not None
                return {"value": None, "rows": bound.rows, "whole": True, "ended": True}
            upto = self._upto(connection)
            late = self._late(connection, start)
            if late is not None:
                return late
            most = self.options.limit.most_records
            bound = rows.bound(connection, start["value"], upto, most) if upto is not None else None
        if bound is None or bound.value == upto:
            self.asked = time.monotonic()
        if bound is None:
            return self._at_end(start)
        return self._offset(start, bound)

    def _offset(self, start: dict[str, Any], bound: Bound) -> dict[str, Any]:
        assert bound.value is not None
        return self._at(bound.value, start["rows"] + bound.rows, bound.ties)

    def _late(self, connection: Any, start: dict[str, Any]) -> dict[str, Any] | None:
        """With rows that got the value of the last bound when rows of it had been read."""
        before = _ties(start)
        if before is None:
            return None
        ties = self.options.rows.late(connection, start["value"], before)
        return None if ties is None else self._at(start["value"], start["rows"] + ties.count - before.count, ties)

    def _at(self, value: str, rows: int, ties: Ties | None) -> dict[str, Any]:
        ended = self.options.ends and self.fixed and value == self.until
        made = {"value": value, "rows": rows, "whole": False, "ended": ended}
        return made if ties is None else {**made, "ties": [ties.count, ties.marks]}

    def _at_end(self, start: dict[str, Any]) -> dict[str, Any]:
        """Where a run ends, its last micro-batch says so, even without rows."""
        return {**start, "ended": True} if self.options.ends and not start["ended"] else start

    def _is_due(self) -> bool:
        if self.fixed or self.waiting is not None:
            return True
        return time.monotonic() - self.asked >= self.options.interval

    def _upto(self, connection: Any) -> str | None:
        """The largest value below which nothing can appear any more; None where that is not known yet."""
        rows = self.options.rows
        if self.fixed:
            return self.until
        candidate = self.waiting or rows.candidate(connection)
        if candidate is not None and self.options.ends:
            rows.settle(connection, candidate)
        elif candidate is not None and not rows.is_settled(connection, candidate):
            self.waiting = candidate
            return None
        self.waiting = None
        upto = candidate.value if candidate is not None else None
        if self.options.ends:
            self.fixed, self.until = True, upto
        return upto

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One task, since rows come in order."""
        return [InputPartition((start, end))] if start != end else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows between two offsets, as text."""
        import numpy as np
        import pyarrow as pa

        from velostream.sources.streams.arrow import arrow_schema

        start, end = partition.value
        rows, schema, first = self.options.rows, arrow_schema(self.columns), start["rows"]
        yield mark(schema, listed(rows.source, [0]))
        for texts in self._texts(start, end) if start["rows"] != end["rows"] else ():
            count = len(texts)
            columns = {
                "value": pa.array(texts, pa.string()),
                "_partition": pa.array(np.zeros(count, np.int32)),
                "_offset": pa.array(np.arange(first, first + count, dtype=np.int64)),
                "_mark": pa.nulls(count, pa.string()),
            }
            yield pa.record_batch([columns[name] for name in schema.names], schema=schema)
            first += count
        if end["ended"]:
            yield mark(schema, finished(rows.source, [0]))

    def _texts(self, start: dict[str, Any], end: dict[str, Any]) -> Iterable[list[str]]:
        rows, fetch, call = self.options.rows, self.options.fetch, self.options.calls.of_task()
        ties = _ties(end)
        told = ties is not None and ties.marks is not None
        if start["value"] != end["value"] or not told:
            yield from call(lambda: rows.open(start["value"], end["value"], fetch, Within(last=not told)))
        if ties is not None and told:
            before = _ties(start) if start["value"] == end["value"] else None
            found = call(lambda: rows.of_value(end["value"], ties, before))
            yield from (found[first : first + fetch] for first in range(0, len(found), fetch))


def _ties(offset: dict[str, Any]) -> Ties | None:
    """The rows of the bound of an offset, where it tells them."""
    told = offset.get("ties")
    return None if told is None else Ties(told[0], None if told[1] is None else tuple(told[1]))


class DatabaseStream(DataSource):
    """`velo_database`: option `database`, DatabaseOptions as JSON."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_database"

    def streamReader(self, schema: StructType) -> DatabaseReader:  # noqa: N802
        """The reader."""
        return DatabaseReader(DatabaseOptions.read(self.options["database"]), schema)
