"""The table behind a sink: found or created, with the columns and the key that rows are written by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.postgres import look_alikes, make, name_parts, same_column, type_of
from velostream.registry import did_you_mean
from velostream.sinks.writers.batch import Shape

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

MARKERS = "velostream_batches"
"""Beside every table that is written: which micro-batch of which query was written last."""
_NULLS_EQUAL = 150000
"""Since this version of PostgreSQL, a unique key may take NULLs as equal, as GROUP BY does."""


@dataclass(frozen=True)
class Target:
    """The table as it is: its name, and under which names it has our columns."""

    schema: str
    table: str
    columns: tuple[str, ...]
    identity: tuple[str, ...]
    arrays: tuple[str, ...] = ()
    """Those of our columns, by our names, that are arrays there."""
    revision: str = ""
    """The column that tells which of two rows of a key is the newer one."""

    @property
    def name(self) -> sql.Identifier:
        """As statements have it."""
        from psycopg import sql

        return sql.Identifier(self.schema, self.table)

    @property
    def markers(self) -> sql.Identifier:
        """The table of markers."""
        from psycopg import sql

        return sql.Identifier(self.schema, MARKERS)


def open_table(connection: psycopg.Connection[Any], sink: str, table: str, shape: Shape, *, create: bool) -> Target:
    """The table of a sink. Must be called outside of a transaction."""
    variant = next((name for name, kind in shape.columns if "VARIANT" in kind), None)
    if variant is not None:
        message = f"sink '{sink}' cannot write column '{variant}', which is or holds a VARIANT"
        raise VeloError(message, hint=f"write TO_JSON({variant}) AS {variant}", code="unreachable-sink")
    found = _found(connection, table)
    if found is None:
        if not create:
            message = f"sink '{sink}' writes to table '{table}', which is not there"
            hint = f"{look_alikes(connection, table)}; '{sink}.table.create' = 'true' creates it".removeprefix("; ")
            raise VeloError(message, hint=hint, code="table-not-found")
        _create(connection, table, shape)
        found = _found(connection, table)
        assert found is not None
    number, schema, plain = found
    kinds: dict[str, bool] = dict(connection.execute(_COLUMNS, (number,)).fetchall())
    there = list(kinds)
    columns = tuple(_same(sink, table, name, there) for name in shape.names)
    own = dict(zip(shape.names, columns, strict=True))
    identity = tuple(own[name] for name in shape.identity) if shape.upserts else ()
    if identity and not _is_key(connection, number, identity):
        shown = ", ".join(identity)
        message = f"sink '{sink}' replaces rows by ({shown}), and table '{table}' has no key of these columns"
        hint = f"ALTER TABLE {table} ADD PRIMARY KEY ({shown}), or '{sink}.write.mode' = 'append'"
        raise VeloError(message, hint=hint, code="unreachable-sink")
    arrays = tuple(name for name, held in own.items() if kinds[held])
    target = Target(schema, plain, columns, identity, arrays, own.get(shape.revision, ""))
    _add_markers(connection, target)
    return target


_FOUND = """SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass(%s)"""
_COLUMNS = """SELECT a.attname, t.typcategory = 'A' FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
_KEYS = """SELECT array_agg(a.attname::text) FROM pg_index i JOIN pg_attribute a
    ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey::int2[])
    WHERE i.indrelid = %s AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indisvalid
    AND i.indnkeyatts = i.indnatts GROUP BY i.indexrelid"""
_MARKERS = """CREATE TABLE IF NOT EXISTS {} (query text, sink text, batch bigint NOT NULL, refused jsonb,
    written_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (query, sink))"""


def _found(connection: psycopg.Connection[Any], table: str) -> tuple[int, str, str] | None:
    from psycopg import sql

    quoted = sql.Identifier(*name_parts(table)).as_string(connection)
    row = connection.execute(_FOUND, (quoted,)).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def _create(connection: psycopg.Connection[Any], table: str, shape: Shape) -> None:
    """A table with the types of the columns, and where rows are replaced a key, in which NULLs are equal if it can."""
    from psycopg import sql

    columns = [sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(type_of(kind))) for name, kind in shape.columns]
    if shape.upserts:
        equal = connection.info.server_version >= _NULLS_EQUAL
        kind = sql.SQL("UNIQUE NULLS NOT DISTINCT" if equal else "PRIMARY KEY")
        columns.append(sql.SQL("{} ({})").format(kind, _listed(shape.identity)))
    name = sql.Identifier(*name_parts(table))
    text = sql.SQL("CREATE TABLE IF NOT EXISTS {} ({})").format(name, sql.SQL(", ").join(columns))
    make(connection, text)


def _add_markers(connection: psycopg.Connection[Any], target: Target) -> None:
    from psycopg import sql

    make(connection, sql.SQL(_MARKERS).format(target.markers))


def _same(sink: str, table: str, name: str, there: Sequence[str]) -> str:
    found = same_column(name, there)
    if found is not None:
        return found
    message = f"sink '{sink}' writes column '{name}', which table '{table}' does not have"
    raise VeloError(message, hint=did_you_mean(name, there, "columns"), code="unknown-column")


def _is_key(connection: psycopg.Connection[Any], number: int, identity: tuple[str, ...]) -> bool:
    return any(set(row[0]) == set(identity) for row in connection.execute(_KEYS, (number,)))


def _listed(names: Sequence[str]) -> sql.Composed:
    from psycopg import sql

    return sql.SQL(", ").join(map(sql.Identifier, names))
