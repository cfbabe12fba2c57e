"""The registry's database: SQLite in a file, or PostgreSQL by URL, behind the few words that are needed of either."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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


_PATIENCE: dict[str, Any] = {"keepalives_idle": 10, "keepalives_interval": 5, "tcp_user_timeout": 30_000}
"""Nobody waits for ever for a machine that has gone away without a word."""


class Database:
    """One connection, which is used by one thread at a time."""

    def __init__(self, url: str, default: Path) -> None:
        self._lock = RLock()
        self._is_open = False
        """True inside of `together`."""
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
            return psycopg.connect(url, autocommit=True, connect_timeout=10, **_PATIENCE)
        except psycopg.Error as error:
            raise _unreachable(url, error) from None

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is changed inside is changed all at once, or not at all; one inside of another is part of it."""
        with self._lock:
            if self._is_open:
                yield
                return
            self.run("BEGIN")
            self._is_open = True
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                with suppress(VeloError):  # a connection that was lost has rolled back by itself
                    self.run("ROLLBACK")
                raise
            finally:
                self._is_open = False

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
        import psycopg

        if self._connection.closed:
            self._connection = self._connect(self._url, Path())
        try:
            return self._connection.execute(statement.replace("?", "%s"), values)
        except psycopg.OperationalError as error:
            raise _unreachable(self._url, error) from None

    def close(self) -> None:
        """Gives the connection back."""
        with self._lock:
            self._connection.close()


def _unreachable(url: str, error: Exception) -> VeloError:
    said = (str(error).splitlines() or [type(error).__name__])[0]
    message = f"the registry in '{masked('url', url)}' cannot be reached: {said}"
    return VeloError(message, hint="see that PostgreSQL is up", code="registry-unreachable")
