"""History in PostgreSQL, in a schema of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import psycopg

from velostream.observability.history.base import arrow
from velostream.observability.history.tables import INTEGER, REAL, TABLES, TEXT, TIME, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "velostream_history"
_KINDS = {TEXT: "text", INTEGER: "bigint", REAL: "double precision", TIME: "timestamptz"}


class PostgresStore:
    """One connection; it is opened again where it was lost."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connection = self._opened()

    def _opened(self) -> psycopg.Connection:
        connection = psycopg.connect(self.url, autocommit=True, connect_timeout=10)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        for table in TABLES:
            columns = ", ".join(f'"{name}" {_KINDS[kind]}' for name, kind in table.columns)
            connection.execute(f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{table.name} ({columns})")
            for name, kind in table.columns:  # a table that an older version made gets the columns that it lacks
                connection.execute(
                    f'ALTER TABLE {SCHEMA}.{table.name} ADD COLUMN IF NOT EXISTS "{name}" {_KINDS[kind]}'
                )
            connection.execute(f"CREATE INDEX IF NOT EXISTS {table.name}_at ON {SCHEMA}.{table.name} (at)")
        return connection

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Keeps rows in one transaction."""
        if self.connection.closed or self.connection.broken:
            self.connection = self._opened()
        with self.connection.transaction(), self.connection.cursor() as cursor:
            for table in TABLES:
                some = rows.get(table.name, ())
                if some:
                    names = ", ".join(f'"{name}"' for name in table.names)
                    places = ", ".join("to_timestamp(%s)" if kind == TIME else "%s" for _, kind in table.columns)
                    cursor.executemany(f"INSERT INTO {SCHEMA}.{table.name} ({names}) VALUES ({places})", some)

    def forget(self, app: str, job: str, before: float) -> None:
        """Deletes old rows of a job."""
        for table in TABLES:
            query = f"DELETE FROM {SCHEMA}.{table.name} WHERE at < to_timestamp(%s) AND app = %s AND job = %s"
            self.connection.execute(query, (before, app, job))

    def rows(self, table: Table, app: str, since: float = 0.0) -> Sequence[Row]:
        """The rows of an application since a moment."""
        wanted = ", ".join(
            f'extract(epoch FROM "{name}")::double precision' if kind == TIME else f'"{name}"'
            for name, kind in table.columns
        )
        query = f"SELECT {wanted} FROM {SCHEMA}.{table.name} WHERE at >= to_timestamp(%s) AND app = %s ORDER BY at"
        return self.connection.execute(query, (since, app)).fetchall()

    def table(self, table: Table, app: str) -> pa.Table:
        """All rows of an application."""
        return arrow(table, self.rows(table, app))

    def close(self) -> None:
        """Closes the connection."""
        self.connection.close()
