"""Rows of a table or query of PostgreSQL, all of them or those beyond a value, as JSON text. Streams and tables use it.

A row whose transaction ends late may have a smaller number or time than one that is seen already. So a bound is used
only once all transactions that ran when it was taken have ended: then nothing can appear below it any more.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.postgres import Server, look_alikes, name_parts, same_column, speaking, translated
from velostream.registry import did_you_mean
from velostream.sources.database_ties import MOST, Ties
from velostream.sources.streams.missing import INTERRUPTED

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql


@dataclass(frozen=True)
class Bound:
    """How far rows can be read: up to `value`, that many since the last bound. A whole table has no value."""

    value: str | None
    rows: int
    ties: Ties | None = None
    """The rows of the value itself, where it is the largest."""


@dataclass(frozen=True)
class Candidate:
    """The largest value that was seen, and the transactions that have to end before it is a bound: all below a number,
    and of those that began after the last one that has ended each by itself."""

    value: str
    transactions: int
    running: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """Rows as JSON texts, the value to go on from, whether nothing more is there now, and then how many rows have that
    value."""

    texts: list[str]
    value: str | None
    last: bool
    ties: int | None = None


@dataclass(frozen=True)
class Within:
    """Whether rows of the two values themselves are between them: those of the first one were read before."""

    first: bool = False
    last: bool = True


SETTLING, SETTLED = 0.1, 60.0
"""How often, in seconds, it is looked whether the transactions that run have ended, and how long they may take."""


_RUNNING = """SELECT array_agg(transactionid::text) FROM pg_locks
    WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted AND pid IS DISTINCT FROM pg_backend_pid()"""
"""The transactions that have written something: each holds a lock on itself. A snapshot does not tell of those that
began to write after the last one that has ended."""
_OLDEST = """SELECT pid, xact_start FROM pg_stat_activity
    WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1"""


@dataclass(frozen=True)
class DatabaseRows:
    """What is read: `columns` are names with their types as SQL writes them, `by` the column that only grows."""

    source: str
    server: Server
    table: str = ""
    query: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    by: str = ""

    @contextmanager
    def connected(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection for a few questions."""
        with speaking(self.server, f"source '{self.source}'"):
            connection = self.server.connect(autocommit=True)
            try:
                yield connection
            finally:
                connection.close()

    def check(self) -> tuple[str, ...]:
        """The columns that there are; a table or a column that is not there is an error that names what looks alike."""
        import psycopg
        from psycopg import sql

        with self.connected() as connection:
            try:
                cursor = connection.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(self._rows))
            except psycopg.errors.UndefinedTable:
                if self.query:
                    raise
                message = f"there is no table '{self.table}' for '{self.source}' in '{self.server.shown}'"
                hint = f"{look_alikes(connection, self.table)}; ".removeprefix("; ")
                hint += f"'{self.source}.database.wait.timeout' = '30s' waits for it"
                raise VeloError(message, hint=hint, code="table-not-found") from None
            there = tuple(column.name for column in cursor.description or ())
        for name in (*(name for name, _ in self.columns), *((self.by,) if self.by else ())):
            _same(self.source, name, there)
        return there

    def candidate(self, connection: psycopg.Connection[Any]) -> Candidate | None:
        """The largest value now; None where there is no row. A row without a value would never be read, and is an
        error."""
        from psycopg import sql

        text = f"""SELECT max({{0}})::text, pg_snapshot_xmax(pg_current_snapshot())::text::bigint, ({_RUNNING}),
            EXISTS (SELECT FROM {{1}} WHERE {{0}} IS NULL) FROM {{1}}"""
        row = connection.execute(sql.SQL(text).format(self._by, self._rows)).fetchone()
        assert row is not None
        if row[3]:
            message = f"'{self.source}' has rows without a value in '{self.by}', by which new rows are found"
            hint = "fill them; or read a 'query' that gives them one (COALESCE), or that leaves them out"
            raise VeloError(message, hint=hint, code="source-unreadable")
        return None if row[0] is None else Candidate(row[0], row[1], tuple(row[2] or ()))

    def is_settled(self, connection: psycopg.Connection[Any], candidate: Candidate) -> bool:
        """True once all transactions that ran when the value was seen have ended."""
        asked = f"SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, ({_RUNNING})"
        row = connection.execute(asked).fetchone()
        assert row is not None
        return bool(row[0] >= candidate.transactions) and not {*candidate.running} & {*(row[1] or ())}

    def settle(self, connection: psycopg.Connection[Any], candidate: Candidate, most: float = SETTLED) -> None:
        """Waits for these transactions. One that does not end is an error that names it."""
        ends = time.monotonic() + most
        while not self.is_settled(connection, candidate):
            if time.monotonic() >= ends:
                found = connection.execute(_OLDEST).fetchone()
                message = (
                    f"rows of '{self.source}' wait for transactions of others that have not ended for {most:.0f} s"
                )
                hint = "see pg_prepared_xacts"
                if found is not None:
                    hint = f"the oldest is of process {found[0]} and began at {found[1]}: commit it, or end the process"
                raise VeloError(message, hint=hint, code="database-unreachable")
            time.sleep(SETTLING)

    def bound(
        self,
        connection: psycopg.Connection[Any],
        since: str | None,
        upto: str | None,
        most: int | None = None,
        within: Within | None = None,
    ) -> Bound | None:
        """The next bound after `since`, up to `upto`, with about `most` rows; None where there is nothing."""
        from psycopg import sql

        if not self.by:
            row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(self._rows)).fetchone()
            return Bound(None, row[0] if row is not None else 0)
        inner = sql.SQL("SELECT {} AS v FROM {}{}").format(
            self._by, self._rows, self._within(since, upto, within or Within())
        )
        if most is not None:
            # Rows of one value are never torn apart: those equal to the last one of the limit come with it.
            inner += sql.SQL(" ORDER BY 1 FETCH FIRST {} ROWS WITH TIES").format(sql.Literal(most))
        with connection.transaction():  # what is counted and what is marked are the same rows
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            row = connection.execute(sql.SQL("SELECT max(v)::text, count(*) FROM ({}) n").format(inner)).fetchone()
            if row is None or row[0] is None:
                return None
            return Bound(row[0], row[1], self._ties(connection, row[0]) if row[0] == upto else None)

    def _ties(self, connection: psycopg.Connection[Any], value: str) -> Ties:
        count = self.count(connection, value)
        return Ties.of(count, self._texts(connection, value) if count <= MOST else ())

    def count(self, connection: psycopg.Connection[Any], value: str) -> int:
        """How many rows have a value."""
        from psycopg import sql

        text = sql.SQL("SELECT count(*) FROM {} WHERE {} = {}").format(self._rows, self._by, sql.Literal(value))
        row = connection.execute(text).fetchone()
        return int(row[0]) if row is not None else 0

    def late(self, connection: psycopg.Connection[Any], value: str, before: Ties) -> Ties | None:
        """All rows of a value, where there are more than were read of it; None where nothing has come."""
        count = self.count(connection, value)
        if count <= before.count:
            return None
        if before.marks is None:
            message = (
                f"'{self.source}' has got rows with '{self.by}' = {value} after {before.count:,} such rows were read"
            )
            hint = "take a column that tells rows apart, such as an id from a sequence"
            raise VeloError(message, hint=hint, code="source-unreadable")
        new = Ties.of(0, before.without(self._texts(connection, value))).marks or ()
        return Ties(before.count + len(new), (*before.marks, *new))

    def of_value(self, value: str, ties: Ties, before: Ties | None) -> list[str]:
        """The rows of a value that are `ties` and were not read `before`."""
        with self.connected() as connection:
            texts = self._texts(connection, value)
        return ties.since(before).chosen(before.without(texts) if before is not None else texts)

    def _texts(self, connection: psycopg.Connection[Any], value: str) -> list[str]:
        from psycopg import sql

        rows = sql.SQL("SELECT {} FROM {} WHERE {} = {}").format(
            self._shown(self.check()), self._rows, self._by, sql.Literal(value)
        )
        return [row[0] for row in connection.execute(sql.SQL("SELECT row_to_json(r)::text FROM ({}) r").format(rows))]

    def resolved(self, there: Sequence[str]) -> DatabaseRows:
        """The same, with the growing column as the database spells it."""
        return replace(self, by=_same(self.source, self.by, there)) if self.by else self

    def open(self, since: str | None, upto: str | None, fetch: int, within: Within | None = None) -> Opened:
        """The rows after `since` up to `upto` in order, each as a JSON object of the declared columns."""
        from psycopg import sql

        order = sql.SQL(" ORDER BY {}").format(self._by) if self.by else sql.SQL("")
        where = self._within(since, upto, within or Within())
        rows = sql.SQL("SELECT {} FROM {}{}{}").format(self._shown(self.check()), self._rows, where, order)
        with speaking(self.server, f"source '{self.source}'"):
            connection = self.server.connect()
            cursor = connection.cursor("velostream")
            cursor.execute(sql.SQL("SELECT row_to_json(r)::text FROM ({}) r").format(rows))
            first = [row[0] for row in cursor.fetchmany(fetch)]
        return Opened(self, connection, cursor, first, fetch)

    def chunk(self, since: str | None, most: int | None = None, fetch: int = 10_000, ties: int | None = None) -> Chunk:
        """The rows after `since`, about `most` of them, for who reads them outside of a stream. It waits for
        transactions that may still bring smaller values. Where there are more rows of the value `since` now than the
        `ties` that were read, all of them come again: who keeps rows by key sees no difference."""
        upto, again = None, False
        with self.connected() as connection:
            if self.by:
                candidate = self.candidate(connection)
                if candidate is not None:
                    self.settle(connection, candidate)
                    upto = candidate.value
            if since is not None and ties is not None:
                again = self.count(connection, since) > ties
            within = Within(first=again)
            bound = self.bound(connection, since, upto, most, within) if upto is not None or not self.by else None
        if bound is None:
            return Chunk([], since, last=True, ties=ties)
        texts = [text for part in self.open(since, bound.value, fetch, within) for text in part]
        return Chunk(texts, bound.value, bound.value == upto, bound.ties.count if bound.ties is not None else None)

    def _within(self, since: str | None, upto: str | None, within: Within) -> sql.Composed:
        from psycopg import sql

        parts = []
        if since is not None:
            above = sql.SQL(">=" if within.first else ">")
            parts.append(sql.SQL("{} {} {}").format(self._by, above, sql.Literal(since)))
        if upto is not None:
            below = sql.SQL("<=" if within.last else "<")
            parts.append(sql.SQL("{} {} {}").format(self._by, below, sql.Literal(upto)))
        if not parts:
            return sql.Composed([])
        return sql.SQL(" WHERE ") + sql.SQL(" AND ").join(parts)

    def _shown(self, there: Sequence[str]) -> sql.Composed:
        from psycopg import sql

        return sql.SQL(", ").join(
            sql.SQL("{} AS {}").format(_shown(_same(self.source, name, there), kind), sql.Identifier(name))
            for name, kind in self.columns
        )

    @property
    def _rows(self) -> sql.Composable:
        from psycopg import sql

        if self.query:
            return sql.SQL("({}) AS q").format(sql.SQL(self.query.strip().rstrip(";")))
        return sql.Identifier(*name_parts(self.table))

    @property
    def _by(self) -> sql.Identifier:
        from psycopg import sql

        return sql.Identifier(self.by)


@dataclass
class Opened:
    """Rows that are being read. What goes wrong from here on cannot be tried again without the rows before."""

    rows: DatabaseRows
    connection: psycopg.Connection[Any]
    cursor: psycopg.ServerCursor[Any]
    first: list[str]
    fetch: int

    def __iter__(self) -> Iterator[list[str]]:
        import psycopg

        found = self.first
        try:
            while found:
                yield found
                found = [row[0] for row in self.cursor.fetchmany(self.fetch)]
        except psycopg.OperationalError as error:
            said = translated(error, self.rows.server, f"source '{self.rows.source}'")
            raise VeloError(said.message, hint=said.hint, code=INTERRUPTED) from error
        finally:
            with suppress(psycopg.Error):
                self.cursor.close()
            self.connection.close()


def _shown(name: str, kind: str) -> sql.Composed:
    """A column as JSON has it; bytes are base64."""
    from psycopg import sql

    if kind == "BINARY":
        return sql.SQL("translate(encode({}, 'base64'), chr(10), '')").format(sql.Identifier(name))
    return sql.SQL("{}").format(sql.Identifier(name))


def _same(source: str, name: str, there: Sequence[str]) -> str:
    found = same_column(name, there)
    if found is not None:
        return found
    message = f"'{source}' has no column '{name}' in the database"
    raise VeloError(message, hint=did_you_mean(name, there, "columns"), code="unknown-column")
