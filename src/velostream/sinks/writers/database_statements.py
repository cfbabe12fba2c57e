"""The statements of a database sink: staging, copying in, replacing by key, deleting what was withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.sinks.writers.database_table import Target

if TYPE_CHECKING:
    from psycopg import sql

GONE, TASK, AT = "velo_gone", "velo_task", "velo_at"
"""Columns of a staging table beside those of the target: withdrawn, by which task, in which order."""


@dataclass(frozen=True)
class Statements:
    """For one target; `stage` is the staging table, with its schema unless it is a temporary one."""

    target: Target
    stage: tuple[str, ...]

    def create_temporary(self) -> sql.Composed:
        """A staging table of this connection, empty after every transaction."""
        return self._create("CREATE TEMPORARY TABLE {} ON COMMIT DELETE ROWS AS {}")

    def create_shared(self) -> sql.Composed:
        """A staging table for the tasks of one micro-batch, which a crash of the server may empty."""
        return self._create("CREATE UNLOGGED TABLE {} AS {}")

    def _create(self, text: str) -> sql.Composed:
        from psycopg import sql

        beside = f"false AS {GONE}, 0::bigint AS {TASK}, 0::bigint AS {AT}"
        rows = sql.SQL("SELECT {}, {} FROM {} WITH NO DATA").format(self._columns, sql.SQL(beside), self.target.name)
        return sql.SQL(text).format(self._stage, rows)

    def empty(self) -> sql.Composed:
        """The staging table without rows, for what is written next in the same transaction."""
        from psycopg import sql

        return sql.SQL("TRUNCATE {}").format(self._stage)

    def drop(self) -> sql.Composed:
        """The staging table goes."""
        from psycopg import sql

        return sql.SQL("DROP TABLE IF EXISTS {}").format(self._stage)

    def copy(self, *, staged: bool, beside: Sequence[str] = ()) -> sql.Composed:
        """Rows as CSV into the target itself, or into the staging table."""
        from psycopg import sql

        columns = sql.SQL(", ").join(map(sql.Identifier, (*self.target.columns, *beside)))
        into = self._stage if staged else self.target.name
        return sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv)").format(into, columns)

    def append(self) -> sql.Composed:
        """What tasks staged into the target."""
        from psycopg import sql

        text = "INSERT INTO {} ({}) SELECT {} FROM {} WHERE velo_task = ANY(%s) ORDER BY velo_at"
        return sql.SQL(text).format(self.target.name, self._columns, self._columns, self._stage)

    def replace(self, *, shared: bool, sorts: bool = True) -> sql.Composed:
        """Rows into the target, over those of their keys that are not newer; of what several tasks staged the last of
        each key.

        Without `sorts` no two rows of a key may be staged.
        """
        from psycopg import sql

        others = [name for name in self.target.columns if name not in self.target.identity]
        change: sql.Composable = sql.SQL("NOTHING")
        if others:
            one = sql.SQL("{0} = EXCLUDED.{0}")
            change = sql.SQL("UPDATE SET ") + sql.SQL(", ").join(one.format(sql.Identifier(name)) for name in others)
            change += sql.SQL(" WHERE {}").format(self._not_newer("EXCLUDED"))
        text = "INSERT INTO {} AS t ({}) SELECT {} FROM {} WHERE NOT velo_gone ON CONFLICT ({}) DO {}"
        return sql.SQL(text).format(
            self.target.name, self._columns, self._columns, self._newest(shared=shared, sorts=sorts), self._key, change
        )

    def delete(self, *, shared: bool, nulls: bool) -> sql.Composed:
        """Rows that were withdrawn leave the target, unless newer ones are there.

        `nulls` takes keys with NULLs, slowly, else those without.
        """
        from psycopg import sql

        same = sql.SQL("t.{0} IS NOT DISTINCT FROM s.{0}" if nulls else "t.{0} = s.{0}")
        met = [*(same.format(sql.Identifier(name)) for name in self.target.identity), self._not_newer("s")]
        text = "DELETE FROM {} t USING {} WHERE s.velo_gone AND {}"
        return sql.SQL(text).format(
            self.target.name, self._newest(shared=shared, alias="s"), sql.SQL(" AND ").join(met)
        )

    def any_gone(self) -> sql.Composed:
        """Whether a row was withdrawn."""
        from psycopg import sql

        return sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE velo_gone)").format(self._stage)

    def gone_nulls(self) -> sql.Composed:
        """Whether a row with a NULL in its key was withdrawn."""
        from psycopg import sql

        null = sql.SQL(" OR ").join(sql.SQL("{} IS NULL").format(sql.Identifier(n)) for n in self.target.identity)
        return sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE velo_gone AND ({}))").format(self._stage, null)

    def _newest(self, *, shared: bool, sorts: bool = True, alias: str = "newest") -> sql.Composed:
        from psycopg import sql

        if not shared:
            return sql.SQL("{} {}").format(self._stage, sql.SQL(alias))
        if not sorts:
            return sql.SQL("(SELECT * FROM {} WHERE velo_task = ANY(%s)) {}").format(self._stage, sql.SQL(alias))
        text = """(SELECT DISTINCT ON ({0}) * FROM {1} WHERE velo_task = ANY(%s) ORDER BY {0}, velo_at DESC) {2}"""
        return sql.SQL(text).format(self._key, self._stage, sql.SQL(alias))

    def _not_newer(self, other: str) -> sql.Composable:
        """What the target has is of the same or an older revision: two queries may write one table, and one of them may
        be behind. A row that was written by hand has none."""
        from psycopg import sql

        if not self.target.revision:
            return sql.SQL("true")
        text = "(t.{0} IS NULL OR t.{0}::bigint <= {1}.{0}::bigint)"
        return sql.SQL(text).format(sql.Identifier(self.target.revision), sql.SQL(other))

    @property
    def _stage(self) -> sql.Identifier:
        from psycopg import sql

        return sql.Identifier(*self.stage)

    @property
    def _columns(self) -> sql.Composed:
        from psycopg import sql

        return sql.SQL(", ").join(map(sql.Identifier, self.target.columns))

    @property
    def _key(self) -> sql.Composed:
        from psycopg import sql

        return sql.SQL(", ").join(map(sql.Identifier, self.target.identity))
