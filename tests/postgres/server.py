"""A real PostgreSQL for tests, in a folder of its own, that can be stopped and started; skipped where there is none."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import pytest


class Database:
    """The server of a test run."""

    def __init__(self) -> None:
        pgserver = pytest.importorskip("pgserver", reason="pgserver, which brings PostgreSQL, is not installed")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the user who runs the tests
            self.server = pgserver.get_server(tempfile.mkdtemp(prefix="velo-pg-"), cleanup_mode="delete")
        self.url: str = self.server.get_uri()

    def ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query, or nothing for a statement."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

    def stop(self) -> None:
        """Stops the server at once, as a crash would."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Starts it where it was."""
        options = f"-h '' -k {self.server.pgdata}"
        self._control("-w", "-o", options, "-l", str(self.server.log), "start")

    def _control(self, *words: str) -> None:
        import pgserver

        pgserver.pg_ctl(list(words), pgdata=self.server.pgdata, user=self.server.system_user)

    def close(self) -> None:
        """Stops the server and removes its folder."""
        self.server.cleanup()
