"""Rows into a table or a staging table; those that the database refuses are found one by one, and all others go in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from velostream.errors import VeloError
from velostream.formats.encoding.json_texts import json_rows
from velostream.postgres import Server, speaking
from velostream.sinks.writers.batch import Refusal, Shape
from velostream.sinks.writers.database_statements import AT, GONE, TASK, Statements
from velostream.sinks.writers.database_values import copied

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

RETRACT = "retract"
MOST_REFUSED = 1_000
"""More refused rows than this in one micro-batch mean that rows and table do not fit."""
PIECE = 100_000
"""Rows that are staged and taken over at a time: more at once are slower, since they leave the server's memory."""
_PLACES = 40
"""Bits for the place of a row within its task."""


def settled(table: pa.Table, shape: Shape) -> pa.Table:
    """Where rows replace others: the last row of every key."""
    if not shape.upserts or table.num_rows < 2:
        return table
    import polars as pl

    keys = pl.from_arrow(table.select(list(shape.identity)))
    assert isinstance(keys, pl.DataFrame)
    last = keys.with_row_index("velo_at").unique(list(shape.identity), keep="last", maintain_order=True)["velo_at"]
    return table if len(last) == table.num_rows else table.take(last.to_arrow())


def put(
    connection: psycopg.Connection[Any], statements: Statements, shape: Shape, table: pa.Table, *, most: int
) -> list[Refusal]:
    """Writes rows by the driver, within the transaction that is open; up to `most` refused rows are left out."""

    def once(rows: pa.Table) -> None:
        if not shape.upserts:
            _copy(connection, statements, shape, rows, staged=False)
            return
        _copy(connection, statements, shape, with_gone(rows, shape), staged=True)
        if shape.emission:
            connection.execute(statements.delete(shared=False, nulls=False))
            if connection.execute(statements.gone_nulls()).fetchone() == (True,):
                connection.execute(statements.delete(shared=False, nulls=True))
        connection.execute(statements.replace(shared=False))
        connection.execute(statements.empty())

    return _halved(connection, table, shape, once, most)


def with_gone(rows: pa.Table, shape: Shape) -> pa.Table:
    """The columns that are written, and whether each row was withdrawn."""
    import pyarrow as pa
    import pyarrow.compute as pc

    gone: Any = pa.repeat(False, rows.num_rows)
    if shape.emission:
        gone = pc.fill_null(pc.equal(rows[shape.emission], RETRACT), False)
    return rows.select(list(shape.names)).append_column(GONE, gone)


def _copy(
    connection: psycopg.Connection[Any], statements: Statements, shape: Shape, rows: pa.Table, *, staged: bool
) -> None:
    columns = list(rows.column_names) if staged else list(shape.names)
    beside = [name for name in columns if name in (GONE, TASK, AT)]
    with connection.cursor() as cursor, cursor.copy(statements.copy(staged=staged, beside=beside)) as copy:
        for piece in copied(rows.select(columns), statements.target.arrays):
            copy.write(piece)


def _halved(connection: psycopg.Connection[Any], table: pa.Table, shape: Shape, once: Any, most: int) -> list[Refusal]:
    """Writes all rows, or where one of them is refused each half by itself, down to the row that it is."""
    import psycopg

    refused: list[Refusal] = []
    left = [table.slice(first, PIECE) for first in reversed(range(0, table.num_rows, PIECE))]
    while left:
        rows = left.pop()
        try:
            with connection.transaction():
                once(rows)
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            if rows.num_rows > 1:
                half = rows.num_rows // 2
                left += [rows.slice(half), rows.slice(0, half)]
                continue
            text = json_rows(rows.select(list(shape.names)))[0].as_py()
            refused.append(Refusal.of(_said(error), text, rows))
            _check(refused, most)
    return refused


def _said(error: psycopg.Error) -> str:
    return (error.diag.message_primary or str(error)).strip().splitlines()[0]


def _check(refused: Sequence[Refusal], most: int) -> None:
    if len(refused) > most:
        what = "a row" if not most else f"more than {most} rows of a micro-batch"
        message = f"the database refuses {what}: {refused[0].error}"
        raise VeloError(message, hint=f"the first one is {refused[0].row}", code="database-refused")


@dataclass(frozen=True)
class Copying:
    """What a task does: copies its rows into the staging table, and tells its number and what was refused."""

    server: Server
    statements: Statements
    shape: Shape
    most: int = MOST_REFUSED

    SCHEMA: ClassVar[str] = "task BIGINT, refused STRING"

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of one task, in one transaction."""
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        task, place = context.taskAttemptId(), context.partitionId() << _PLACES
        refused: list[Refusal] = []
        with speaking(self.server), self.server.connect() as connection:
            for batch in batches:
                rows = _placed(settled(pa.Table.from_batches([batch]), self.shape), place)
                refused += _halved(connection, rows, self.shape, partial(self._copied, connection, task), self.most)
                place += batch.num_rows
        told = json.dumps([asdict(one) for one in refused])
        yield pa.record_batch([pa.array([task], pa.int64()), pa.array([told])], names=["task", "refused"])

    def _copied(self, connection: psycopg.Connection[Any], task: int, rows: pa.Table) -> None:
        import pyarrow as pa

        told = with_gone(rows, self.shape).append_column(TASK, pa.repeat(pa.scalar(task, pa.int64()), rows.num_rows))
        _copy(connection, self.statements, self.shape, told.append_column(AT, rows[AT]), staged=True)


def _placed(rows: pa.Table, place: int) -> pa.Table:
    """Rows with the order in which they are taken over."""
    import numpy as np
    import pyarrow as pa

    return rows.append_column(AT, pa.array(np.arange(place, place + rows.num_rows, dtype=np.int64)))
