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
                columns = ", ".join(f'"{name}"' for name in table.names)
                self.connection.execute(f'CREATE TABLE IF NOT EXISTS "{table.name}" ({columns})')
                self.connection.execute(f'CREATE INDEX IF NOT EXISTS "{table.name}_at" ON "{table.name}" (at)')

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Keeps rows in one transaction."""
        with self.connection:
            for name, some in rows.items():
                if some:
                    places = ", ".join("?" * len(some[0]))
                    self.connection.executemany(f'INSERT INTO "{name}" VALUES ({places})', some)

    def forget(self, before: float) -> None:
        """Deletes old rows."""
        with self.connection:
            for table in TABLES:
                self.connection.execute(f'DELETE FROM "{table.name}" WHERE at < ?', (before,))

    def table(self, table: Table) -> pa.Table:
        """All rows of a table."""
        return arrow(table, self.connection.execute(f'SELECT * FROM "{table.name}" ORDER BY at, rowid').fetchall())

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()
