"""CREATE TABLE … AS: the rows of a query into the versions of a table, each micro-batch once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Materialise
from velostream.plan.nodes.base import EMISSION
from velostream.tables.newest import GONE, newest
from velostream.tables.progress import LOADING, WAITING, Progress
from velostream.tables.store import TIME, TableStore

if TYPE_CHECKING:
    import pyarrow as pa

RETRACT = "retract"


@dataclass
class MaterialisedTable:
    """A table that a job makes."""

    node: Materialise
    store: TableStore
    progress: Progress
    _rows: pa.Table | None = None
    """The rows of the newest version, so that it is not read again for every micro-batch."""
    _number: int = 0

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Its columns and their types."""
        return columns_of(self.node)

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields of the query's rows that it is made of."""
        return self.node.needs

    def apply(self, changes: pa.Table, query: str, batch: int) -> None:
        """Makes a version of the rows of a micro-batch, unless it is one already. The first is made even without."""
        version = self.store.newest()
        if self.progress.state == WAITING:
            self.progress.begin(LOADING)
            self.progress.rows = 0 if version is None else version.rows
        if version is not None and (not changes.num_rows or _is_later(version.made_by, query, batch)):
            return
        before = self._before(version)
        keeps = self._setting("retention")
        rows = newest(before, self._changes(changes), self.node.key, keeps)
        made = self.store.publish(rows, made_by=f"{query}/{batch}")
        self._rows, self._number = rows, made.number
        self.progress.rows = rows.num_rows
        self.progress.read += changes.num_rows

    def _before(self, version: Any) -> pa.Table | None:
        if version is None:
            return None
        return self._rows if version.number == self._number else version.read()

    def _changes(self, rows: pa.Table) -> pa.Table:
        """Rows with their times, and which of them delete."""
        import pyarrow as pa
        import pyarrow.compute as pc

        node = self.node
        kept = rows.select([name for name, _ in self.columns])
        times = pa.nulls(rows.num_rows, pa.int64())
        if node.version:
            times = rows[node.version].cast(pa.timestamp("us", "UTC")).cast(pa.int64())
        kept = kept.append_column(TIME, times)
        if EMISSION in rows.schema.names:
            kept = kept.append_column(GONE, pc.equal(rows[EMISSION], RETRACT))
        return kept

    def _setting(self, name: str) -> Any:
        settings = self.node.settings
        return None if settings is None or settings.known.find(name) is None else settings.get(name)


def columns_of(node: Materialise) -> list[tuple[str, str]]:
    """The columns of the table that a statement makes, and their types."""
    wanted = dict.fromkeys([*(member.name for member in node.fields.visible), *node.key])
    return [(name, str(node.fields.of(name).type)) for name in wanted]


def _is_later(made_by: str, query: str, batch: int) -> bool:
    """True where a version was made by this micro-batch, or by one after it."""
    earlier, _, number = made_by.rpartition("/")
    return earlier == query and int(number) >= batch
