"""History in a SQLite file beside the checkpoint."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.observability.history.base import arrow
from velostream.observability.history.tables import TABLES, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa


class SqliteStore:
    """One file; readers do not wait for the writer."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(file, timeout=30, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        with self.connection:
            for table in TABLES:
                self.connection.execute(f'CREATE TABLE IF NOT EXISTS "{table.name}" ({_columns(table)})')
                self._complete(table)
                self.connection.execute(f'CREATE INDEX IF NOT EXISTS "{table.name}_at" ON "{table.name}" (at)')

    def _complete(self, table: Table) -> None:
        """A file that an older version made gets the columns that it lacks."""
        there = {row[1] for row in self.connection.execute(f'PRAGMA table_info("{table.name}")')}
        for name in table.names:
            if name not in there:
                self.connection.execute(f'ALTER TABLE "{table.name}" ADD COLUMN "{name}"')

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Keeps rows in one transaction."""
        with self.connection:
            for table in TABLES:
                some = rows.get(table.name, ())
                if some:
                    places = ", ".join("?" * len(table.columns))
                    self.connection.executemany(
                        f'INSERT INTO "{table.name}" ({_columns(table)}) VALUES ({places})', some
                    )

    def forget(self, app: str, job: str, before: float) -> None:
        """Deletes old rows of a job."""
        with self.connection:
            for table in TABLES:
                query = f'DELETE FROM "{table.name}" WHERE at < ? AND app = ? AND job = ?'
                self.connection.execute(query, (before, app, job))

    def rows(self, table: Table, app: str, since: float = 0.0) -> Sequence[Row]:
        """The rows of an application since a moment."""
        query = f'SELECT {_columns(table)} FROM "{table.name}" WHERE at >= ? AND app = ? ORDER BY at, rowid'
        return self.connection.execute(query, (since, app)).fetchall()

    def table(self, table: Table, app: str) -> pa.Table:
        """All rows of an application."""
        return arrow(table, self.rows(table, app))

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()


def _columns(table: Table) -> str:
    return ", ".join(f'"{name}"' for name in table.names)
