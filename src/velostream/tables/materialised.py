"""CREATE TABLE … AS: the rows of a query into the versions of a table, each micro-batch once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.plan.nodes import Materialise, Scan
from velostream.plan.nodes.base import EMISSION
from velostream.tables.newest import GONE, TIME
from velostream.tables.progress import LOADING, WAITING, Progress
from velostream.tables.store import About, TableStore, Version
from velostream.tables.writer import TableWriter

if TYPE_CHECKING:
    import pyarrow as pa

RETRACT = "retract"


@dataclass
class MaterialisedTable:
    """A table that a job makes."""

    node: Materialise
    writer: TableWriter
    progress: Progress

    def __post_init__(self) -> None:
        """It holds the rows that it held before, also where nothing more comes."""
        version = self.store.newest()
        self.progress.rows = 0 if version is None else version.rows

    @property
    def store(self) -> TableStore:
        """Its versions."""
        return self.writer.store

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Its columns and their types."""
        return columns_of(self.node)

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields of the query's rows that it is made of."""
        return self.node.needs

    def apply(self, changes: pa.Table, query: str, batch: int, watermark: int | None = None) -> None:
        """Makes a version of the rows of a micro-batch, unless it is one already. The first is made even without."""
        version = self.store.newest()
        if self.progress.state == WAITING:
            self.progress.begin(LOADING)
        if version is not None and _is_later(version.about.made_by, query, batch):
            return
        told = self._changes(changes)
        about = About(made_by=f"{query}/{batch}", watermark=self._known_until(told, watermark, version))
        if version is not None and not changes.num_rows and version.about.watermark == about.watermark:
            return
        made = self.writer.change(told, about)
        self.progress.rows = made.rows
        self.progress.read += changes.num_rows

    def _known_until(self, changes: pa.Table, watermark: int | None, version: Version | None) -> int | None:
        """Up to when all that rows were is known: by the watermark of the query; by the times of its rows where it has
        none. Only where somebody asks."""
        import pyarrow.compute as pc

        if not self.writer.past:
            return None
        held = version.about.watermark if version is not None else None
        if watermark is None and changes.num_rows:
            disorder = max((s.watermark.out_of_orderness for s in self.node.walk() if isinstance(s, Scan)), default=0)
            latest = pc.max(changes[TIME]).as_py()
            watermark = None if latest is None else latest - disorder
        return max((time for time in (held, watermark) if time is not None), default=None)

    def _changes(self, rows: pa.Table) -> pa.Table:
        """Rows with their times, and which of them delete."""
        import pyarrow.compute as pc

        kept = with_times(rows, self.node)
        if EMISSION in rows.schema.names:
            kept = kept.append_column(GONE, pc.equal(rows[EMISSION], RETRACT))
        return kept


def with_times(rows: pa.Table, node: Materialise) -> pa.Table:
    """The columns of a table out of the rows of its query, and the time of each."""
    import pyarrow as pa

    times = pa.nulls(rows.num_rows, pa.int64())
    if node.version:
        times = rows[node.version].cast(pa.timestamp("us", "UTC")).cast(pa.int64())
    return rows.select([name for name, _ in columns_of(node)]).append_column(TIME, times)


def columns_of(node: Materialise) -> list[tuple[str, str]]:
    """The columns of the table that a statement makes, and their types."""
    wanted = dict.fromkeys([*(member.name for member in node.fields.visible), *node.key])
    return [(name, str(node.fields.of(name).type)) for name in wanted]


def _is_later(made_by: str, query: str, batch: int) -> bool:
    """True where a version was made by this micro-batch, or by one after it."""
    earlier, _, number = made_by.rpartition("/")
    return earlier == query and int(number) >= batch
