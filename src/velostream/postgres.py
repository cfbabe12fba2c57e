"""PostgreSQL as everybody here speaks to it: connections, names of tables, types, and errors as ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    import psycopg

TIMEOUT = 10
"""Seconds that a server has to answer a first call."""
_CLIENT: dict[str, Any] = {
    "connect_timeout": TIMEOUT,
    "application_name": "velostream",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""Unless the address says otherwise. A server that is gone without a word, as behind a broken network, is noticed
within a minute: nothing waits for ever."""
_SESSION = "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET client_encoding = 'UTF8'; SET extra_float_digits = 1"
_MISSING = re.compile(r'database "(.*)" does not exist')
_NOBODY = re.compile(r'authentication failed|role ".*" does not exist')
"""What a server says before there is a connection, and then without a code."""
_PART = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')
_TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "smallint",
    "SMALLINT": "smallint",
    "INT": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "STRING": "text",
    "BINARY": "bytea",
    "DATE": "date",
    "TIMESTAMP": "timestamptz",
    "TIMESTAMP_NTZ": "timestamp",
    "TIME": "time",
    "INTERVAL": "interval",
    "VOID": "text",
}
_NESTED = ("ARRAY", "MAP", "STRUCT", "VARIANT")


@dataclass(frozen=True)
class Server:
    """A database and who logs in; `shown` is its address without secrets."""

    url: str
    username: str = ""
    password: str = ""
    shown: str = ""

    def connect(self, *, autocommit: bool = False) -> psycopg.Connection[Any]:
        """A connection whose times are in UTC. A server that does not answer is an error from outside."""
        import psycopg

        own = {name: value for name, value in (("user", self.username), ("password", self.password)) if value}
        with speaking(self):
            told = {**_CLIENT, **psycopg.conninfo.conninfo_to_dict(self.url), **own}
            try:
                connection = psycopg.connect(self.url, autocommit=True, **told)
            except psycopg.OperationalError as error:
                missing = _MISSING.search(str(error))
                if missing is None:
                    raise
                raise self._no_database(missing[1], told) from None
            connection.execute(_SESSION)
            connection.autocommit = autocommit
        return connection

    def _no_database(self, name: str, told: dict[str, Any]) -> VeloError:
        """Of a server that is there and does not have the database; its other databases are asked for."""
        import psycopg

        hint = "create it, or correct the address"
        with suppress(psycopg.Error), psycopg.connect(**{**told, "dbname": "postgres"}) as connection:
            rows = connection.execute("SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY 1").fetchall()
            hint = did_you_mean(name, [row[0] for row in rows], "databases") or hint
        message = f"there is no database '{name}' at '{self.shown or 'the address'}'"
        return VeloError(message, hint=hint, code="database-unreachable")


def name_parts(table: str) -> tuple[str, ...]:
    """The parts of a table's name: `public.orders`, or with quotes as SQL has them; others are lower case."""
    found = [match[1].replace('""', '"') if match[1] else match[2].lower() for match in _PART.finditer(table.strip())]
    return tuple(found)


def same_column(name: str, there: Sequence[str]) -> str | None:
    """The column of that name, in any letter case where there is none in the very same."""
    if name in there:
        return name
    found = [each for each in there if each.casefold() == name.casefold()]
    return found[0] if len(found) == 1 else None


def type_of(kind: str) -> str:
    """The type of a column that keeps all values of a type of Spark; nested values are JSON."""
    word = re.match(r"[A-Z_]+", kind.upper())
    name = word[0] if word is not None else ""
    if name == "DECIMAL":
        return kind.replace("DECIMAL", "numeric")
    if name in _NESTED:
        return "jsonb"
    return _TYPES.get(name, "text")


def look_alikes(connection: psycopg.Connection[Any], table: str) -> str:
    """What exists that looks like a table that does not, as a hint."""
    rows = connection.execute(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') "
        "AND tablename NOT LIKE 'velostream%' ORDER BY 1, 2"
    ).fetchall()
    qualified = len(name_parts(table)) > 1
    names = [f"{schema}.{name}" if qualified or schema != "public" else name for schema, name in rows]
    return did_you_mean(table, names, "tables")


def make(connection: psycopg.Connection[Any], statement: Any) -> None:
    """Creates what may be created by somebody else at the same moment, which IF NOT EXISTS alone does not bear."""
    import psycopg

    for last in (False, True):
        try:
            connection.execute(statement)
            return
        except (psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):
            if last:
                raise


@contextmanager
def speaking(server: Server, about: str = "") -> Iterator[None]:
    """Turns what PostgreSQL says inside into one of our errors: what may pass is from outside, the rest is not."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise translated(error, server, about) from error


def translated(error: psycopg.Error, server: Server, about: str = "") -> VeloError:
    """An error of PostgreSQL as ours; `about` says what was being done."""
    import psycopg

    said = (error.diag.message_primary or str(error)).strip().splitlines()[0]
    what = f"{about}: " if about else ""
    shown = server.shown or "the database"
    number = error.sqlstate or ""
    if number.startswith("28") or _NOBODY.search(said):
        message = f"{what}'{shown}' lets nobody in: {said}"
        return VeloError(message, hint="correct username and password", code="database-refused")
    if isinstance(error, psycopg.OperationalError | psycopg.InternalError) or not number:
        message = f"{what}'{shown}' cannot be used: {said}"
        return VeloError(message, hint="see that it is up, and that it has room", code="database-unreachable")
    return VeloError(f"{what}'{shown}' refuses: {said}", hint=_hint(error), code="database-refused")


def _hint(error: psycopg.Error) -> str:
    return error.diag.message_hint or error.diag.message_detail or "see what the database says about it"
