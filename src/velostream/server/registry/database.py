"""The registry's database: SQLite in a file, or PostgreSQL by URL, behind the few words that are needed of either."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from velostream.config.secrets import masked
from velostream.errors import VeloError

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS deployments (
        app TEXT NOT NULL, number INTEGER NOT NULL, version TEXT NOT NULL, sql TEXT NOT NULL, state TEXT NOT NULL,
        strategy TEXT NOT NULL, share INTEGER NOT NULL, role TEXT NOT NULL, wanted TEXT NOT NULL, ending TEXT NOT NULL,
        reason TEXT NOT NULL, restarts INTEGER NOT NULL, retry_at DOUBLE PRECISION NOT NULL, settings TEXT NOT NULL,
        created DOUBLE PRECISION NOT NULL, PRIMARY KEY (app, number))""",
    """CREATE TABLE IF NOT EXISTS happenings (
        app TEXT NOT NULL, number INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL, what TEXT NOT NULL,
        detail TEXT NOT NULL)""",
)


class Database:
    """One connection, which is used by one thread at a time."""

    def __init__(self, url: str, default: Path) -> None:
        self._lock = RLock()
        self._postgres = url.startswith(("postgresql://", "postgres://"))
        if url and not self._postgres and not url.startswith("sqlite://"):
            hint = "sqlite:///path/registry.db or postgresql://user@host/database"
            raise VeloError(f"the registry cannot be in '{masked('url', url)}'", hint=hint, code="usage")
        self._url = url
        self._connection: Any = self._connect(url, default)
        for statement in _SCHEMA:
            self.run(statement)

    def _connect(self, url: str, default: Path) -> Any:
        if not self._postgres:
            file = Path(url.removeprefix("sqlite:///").removeprefix("sqlite://")) if url else default
            file.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=30)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            return connection
        import psycopg

        try:
            return psycopg.connect(url, autocommit=True, connect_timeout=10)
        except psycopg.Error as error:
            message = f"the registry in '{masked('url', url)}' cannot be reached: {str(error).splitlines()[0]}"
            raise VeloError(message, hint="see that PostgreSQL is up", code="registry-unreachable") from None

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is changed inside is changed all at once, or not at all."""
        with self._lock:
            self.run("BEGIN")
            try:
                yield
            except BaseException:
                self.run("ROLLBACK")
                raise
            self.run("COMMIT")

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Carries a statement out; `?` stands for a value."""
        with self._lock:
            self._cursor(statement, values).close()

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._lock:
            cursor = self._cursor(statement, values)
            found = cursor.fetchall()
            cursor.close()
        return [tuple(row) for row in found]

    def _cursor(self, statement: str, values: Sequence[Any]) -> Any:
        if not self._postgres:
            return self._connection.execute(statement, values)
        if self._connection.closed:
            self._connection = self._connect(self._url, Path())
        return self._connection.execute(statement.replace("?", "%s"), values)

    def close(self) -> None:
        """Gives the connection back."""
        with self._lock:
            self._connection.close()
