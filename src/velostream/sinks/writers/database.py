"""Rows to PostgreSQL, each micro-batch exactly once: its number is kept in the transaction that writes its rows.

Rows are copied in by the driver. Very many are copied by Spark's tasks into a staging table, whose rows of tasks that
succeeded one transaction of the driver then takes over.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from velostream.config.connections.database import server_of
from velostream.events import LOGGER
from velostream.postgres import Server, speaking
from velostream.sinks.writers.batch import Batch, BatchRows, Refusal, Shape
from velostream.sinks.writers.crossing import map_in_arrow
from velostream.sinks.writers.database_rows import MOST_REFUSED, Copying, put, settled
from velostream.sinks.writers.database_statements import Statements
from velostream.sinks.writers.database_table import Target, open_table

if TYPE_CHECKING:
    import psycopg

    from velostream.config.settings import Settings

BY_DRIVER = 1_000_000
"""Up to so many rows go through the driver. One process of the server takes them over in any case, so that tasks save
little, and only where there are very many."""
_LOCK = """INSERT INTO {0} (query, sink, batch) VALUES (%(query)s, %(sink)s, -1) ON CONFLICT DO NOTHING"""
_LAST = """SELECT batch, refused FROM {0} WHERE query = %(query)s AND sink = %(sink)s FOR UPDATE"""
_KEEP = """UPDATE {0} SET batch = %(batch)s, refused = %(refused)s, written_at = now()
    WHERE query = %(query)s AND sink = %(sink)s"""
_KNOWN = """SELECT 1 FROM {0} WHERE query = %(query)s AND sink = %(sink)s"""
_CORRECTED = """SELECT 1 FROM {0} WHERE {1} > 1 LIMIT 1"""
_log = logging.getLogger(LOGGER)
_opened: dict[tuple[str, str], Opened] = {}
"""The connections of this process, by query and sink."""


@dataclass(frozen=True)
class Named:
    """A table by its name, and whether it is made where it is not there."""

    name: str
    create: bool


@dataclass
class Opened:
    """A sink with its connection."""

    name: str
    query: str
    server: Server
    connection: psycopg.Connection[Any]
    target: Target
    shape: Shape

    @property
    def owner(self) -> str:
        """A short name for this sink of this query, for the names of staging tables."""
        return blake2b(f"{self.query}/{self.name}".encode(), digest_size=6).hexdigest()

    def statements(self, *, shared: bool) -> Statements:
        """With a staging table of this connection, or a new one that tasks share."""
        stage = f"velostream_{self.owner}"
        if not shared:
            return Statements(self.target, ("pg_temp", stage))
        return Statements(self.target, (self.target.schema, f"{stage}_{uuid4().hex[:8]}"))

    def last(self, number: int) -> Sequence[Refusal] | None:
        """What was refused of a micro-batch that was written before, else None; others who write it wait from here."""
        from psycopg import sql

        names = {"query": self.query, "sink": self.name}
        self.connection.execute(sql.SQL(_LOCK).format(self.target.markers), names)
        row = self.connection.execute(sql.SQL(_LAST).format(self.target.markers), names).fetchone()
        assert row is not None
        if row[0] < number:
            return None
        return [Refusal(**one) for one in row[1] or ()] if row[0] == number else []

    def keep(self, number: int, refused: Sequence[Refusal]) -> None:
        """Keeps that a micro-batch was written."""
        from psycopg import sql

        told = json.dumps([asdict(one) for one in refused]) if refused else None
        values = {"query": self.query, "sink": self.name, "batch": number, "refused": told}
        self.connection.execute(sql.SQL(_KEEP).format(self.target.markers), values)


def write_database(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    """Writes a micro-batch in one transaction, unless it was written before; answers with the rows refused."""
    named = Named(settings.text("table"), create=settings.boolean("table.create"))
    return write_table(name, server_of(name, settings), named, rows, batch, shape)


def write_table(
    name: str, server: Server, table: Named, rows: BatchRows, batch: Batch, shape: Shape
) -> Sequence[Refusal]:
    """The same, to a table of a server."""
    with speaking(server, f"sink '{name}'"):
        try:
            opened = _open(name, table, server, batch, shape)
            if rows.none:
                return ()
            at_most = rows.frame.count() if rows.at_most is None else rows.at_most
            return _few(opened, rows, batch) if at_most <= BY_DRIVER else _many(opened, rows, batch)
        except BaseException:
            _close(batch.query, name)
            raise


def release(query: str) -> None:
    """Closes the connections of a query."""
    for owner, name in [key for key in _opened if key[0] == query]:
        _close(owner, name)


def _open(name: str, table: Named, server: Server, batch: Batch, shape: Shape) -> Opened:
    """The connection of a sink, with its table and a staging table; made at the first batch and after failures."""
    key = (batch.query, name)
    if key not in _opened:
        connection = server.connect(autocommit=True)
        try:
            target = open_table(connection, name, table.name, shape, create=table.create)
            opened = Opened(name, batch.query, server, connection, target, shape)
            _sweep(opened)
            _warn_of_corrected(opened)
            if shape.upserts:
                connection.execute(opened.statements(shared=False).create_temporary())
        except BaseException:
            connection.close()
            raise
        _opened[key] = opened
    return _opened[key]


def _close(query: str, name: str) -> None:
    opened = _opened.pop((query, name), None)
    if opened is not None:
        opened.connection.close()


def _sweep(opened: Opened) -> None:
    """Removes staging tables that an earlier process of this sink left."""
    from psycopg import sql

    left = opened.connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename LIKE %s",
        (opened.target.schema, f"velostream\\_{opened.owner}\\_%"),
    ).fetchall()
    for (table,) in left:
        name = sql.Identifier(opened.target.schema, table)
        opened.connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(name))


def _warn_of_corrected(opened: Opened) -> None:
    """Warns where a query without a past writes to a table in which another one has corrected rows: its own first ones
    do not replace them."""
    from psycopg import sql

    target, connection = opened.target, opened.connection
    names = {"query": opened.query, "sink": opened.name}
    if not target.revision or connection.execute(sql.SQL(_KNOWN).format(target.markers), names).fetchone():
        return
    if connection.execute(sql.SQL(_CORRECTED).format(target.name, sql.Identifier(target.revision))).fetchone():
        _log.warning(
            "sink '%s' begins anew with table '%s', which has rows that were corrected: rows of a lower %s do not "
            "replace them; empty the table, or write to another one, if they are not to stay",
            opened.name,
            target.table,
            target.revision,
        )


def _few(opened: Opened, rows: BatchRows, batch: Batch) -> Sequence[Refusal]:
    """The driver copies the rows."""
    statements = opened.statements(shared=False)
    with opened.connection.transaction():
        before = opened.last(batch.number)
        if before is not None:
            return before
        table = settled(rows.table(), opened.shape)
        refused = put(opened.connection, statements, opened.shape, table, most=_most(batch))
        opened.keep(batch.number, refused)
    return refused


def _many(opened: Opened, rows: BatchRows, batch: Batch) -> Sequence[Refusal]:
    """Tasks copy the rows aside; the driver takes them over. A row that only the target refuses is found by itself."""
    import psycopg

    with opened.connection.transaction():
        before = opened.last(batch.number)
    if before is not None:
        return before
    statements = opened.statements(shared=True)
    opened.connection.execute(statements.create_shared())
    copying = Copying(opened.server, statements, opened.shape, _most(batch))
    try:
        told = map_in_arrow(rows.frame, copying, Copying.SCHEMA).collect()
        refused = [Refusal(**one) for row in told for one in json.loads(row.refused)]
        try:
            return _taken_over(opened, statements, [row.task for row in told], refused, batch)
        except (psycopg.DataError, psycopg.IntegrityError):
            return _few(opened, rows, batch)
    finally:
        if not opened.connection.closed:
            opened.connection.execute(statements.drop())


def _most(batch: Batch) -> int:
    """How many rows may be refused."""
    return 0 if batch.strict else MOST_REFUSED


def _replace(connection: psycopg.Connection[Any], statements: Statements, tasks: list[int]) -> None:
    """Takes over what tasks staged. Where several of them have rows of one key, which is rare, the last one holds."""
    import psycopg

    try:
        with connection.transaction():
            connection.execute(statements.replace(shared=True, sorts=False), (tasks,))
    except psycopg.errors.CardinalityViolation:
        connection.execute(statements.replace(shared=True), (tasks,))


def _taken_over(
    opened: Opened, statements: Statements, tasks: list[int], refused: Sequence[Refusal], batch: Batch
) -> Sequence[Refusal]:
    connection = opened.connection
    with connection.transaction():
        before = opened.last(batch.number)
        if before is not None:
            return before
        if not opened.shape.upserts:
            connection.execute(statements.append(), (tasks,))
        elif opened.shape.emission and connection.execute(statements.any_gone()).fetchone() == (True,):
            connection.execute(statements.delete(shared=True, nulls=False), (tasks,))
            if connection.execute(statements.gone_nulls()).fetchone() == (True,):
                connection.execute(statements.delete(shared=True, nulls=True), (tasks,))
            connection.execute(statements.replace(shared=True), (tasks,))
        else:
            _replace(connection, statements, tasks)
        opened.keep(batch.number, refused)
    return refused
