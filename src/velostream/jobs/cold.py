"""The cold tier: final and corrected rows of windows, put away as these close, each micro-batch exactly once.

A micro-batch that runs again takes the place of itself: by its files' names, or by the marker in the database. Rows of
one window are all kept, and whoever asks sees the last (velostream.jobs.closed).
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from velostream.config.cold import FILES
from velostream.config.secrets import masked
from velostream.durations import SECOND
from velostream.jobs import cold_files
from velostream.plan.cold import ADDED, CLOSED_AT, Cold, cold_of
from velostream.plan.job import ApplicationPlan, Job
from velostream.postgres import Server, speaking
from velostream.sinks.writers import Batch, BatchRows, Refusal, Shape
from velostream.sinks.writers.batch import LEFT, PLACE
from velostream.sinks.writers.staging import Place
from velostream.spark.lower.context import column
from velostream.spark.stateful.layout import OF_EVENTS, OF_WINDOW, ORIGIN
from velostream.windows.emission.base import FINAL, LATE, RETRACT

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

KINDS = (FINAL, LATE, RETRACT)
"""What is said of a window once it is closed."""
LARGE = 128 << 20
"""Bytes of a file."""
FORGETTING = 600.0
"""Seconds between two looks for what is older than its retention."""
_NAMES = [name for name, _ in ADDED]
_LONGEST = 63
"""Characters of a name in PostgreSQL."""


@dataclass(frozen=True)
class ColdPlace:
    """The tier of one job: what it keeps, of which application, and what relative paths start from."""

    cold: Cold
    app: str
    start: Path

    @property
    def name(self) -> str:
        """As errors and markers have it."""
        return f"state.cold of {self.cold.job}"

    @property
    def folder(self) -> Path:
        """The files of the job."""
        return (self.start / self.cold.location / self.app / self.cold.job).absolute()

    @property
    def server(self) -> Server:
        """The database."""
        url = self.cold.location or "postgresql://"
        return Server(url, shown=masked("url", url))

    @property
    def table(self) -> str:
        """The table of the job, in letters that need no quotes; a long name is cut, and told apart by a hash."""
        whole = f"{self.app}.{self.cold.job}"
        plain = "velo_windows_" + re.sub(r"[^a-z0-9]+", "_", whole.casefold())
        if len(plain) <= _LONGEST and re.fullmatch(r"[a-z0-9_.]+", whole):
            return plain
        mark = blake2b(whole.encode(), digest_size=4).hexdigest()
        return f"{plain[: _LONGEST - len(mark) - 1]}_{mark}"

    @property
    def shape(self) -> Shape:
        """The rows, as the writer of a database is told of them."""
        return Shape(self.cold.whole, once=True)

    @property
    def oldest(self) -> datetime:
        """Windows that were closed before this are no longer kept."""
        return datetime.fromtimestamp(time.time() - self.cold.retention / SECOND, UTC)


def place_of_job(job: Job, plan: ApplicationPlan, folder: Path) -> ColdPlace | None:
    """Where the closed windows of a job are; None where they are not kept."""
    cold = cold_of(job)
    return None if cold is None else ColdPlace(cold, plan.name or "app", folder)


@dataclass
class PuttingAway:
    """Writes the closed windows of each micro-batch of a job."""

    place: ColdPlace
    closed: int | None = field(default=0, init=False)
    """How many windows the last micro-batch closed; None where nobody has counted its rows here."""
    looked: float | None = field(default=None, init=False)

    columns: ClassVar[tuple[str, ...]] = (OF_WINDOW, ORIGIN[1], OF_EVENTS)
    """What is asked of rows beside their columns."""

    def write(self, rows: DataFrame | None, table: pa.Table | None, at_most: int, batch: Batch) -> Sequence[Refusal]:
        """Puts away what rows say of closed windows; answers with those that the tier refuses."""
        import pyarrow.compute as pc

        at = time.time() - batch.age
        self.tidy(batch)
        if table is not None:
            said = self._closed_table(table, at)
            self.closed = pc.sum(pc.equal(said[LEFT], FINAL)).as_py() or 0
            return self._put(BatchRows(None, said.num_rows, said.drop_columns(self._beside)), batch)
        self.closed = 0 if rows is None or not at_most else None
        if rows is None or not at_most:
            return self._put(BatchRows(None, 0, None), batch)
        return self._put(BatchRows(self._closed_frame(rows, at).drop(*self._beside), at_most), batch)

    @property
    def _beside(self) -> list[str]:
        """Columns that say which row it is, which only a writer that may refuse rows is given."""
        return [LEFT, PLACE] if self.place.cold.backend == FILES else []

    def _put(self, rows: BatchRows, batch: Batch) -> Sequence[Refusal]:
        place = self.place
        if place.cold.backend == FILES:
            from velostream.sinks.writers.files import write_parts

            write_parts(self._files(batch), rows, cold_files.ENCODING, LARGE)
            return ()
        from velostream.sinks.writers.database import Named, write_table

        return write_table(place.name, place.server, Named(place.table, create=True), rows, batch, place.shape)

    def _files(self, batch: Batch) -> Place:
        return Place(self.place.folder, "closed", batch.query, batch.number)

    def _closed_table(self, table: pa.Table, at: float) -> pa.Table:
        """Rows of closed windows, of rows in the driver."""
        import pyarrow as pa
        import pyarrow.compute as pc

        said = table.filter(pc.is_in(table[LEFT], pa.array(KINDS)))
        times = pa.timestamp("us", "UTC")
        *keys, start, end = said[OF_WINDOW].combine_chunks().flatten()
        made: dict[str, Any] = {name: said[name] for name, _ in self.place.cold.own}
        made |= {name: keys[number] for name, _, number in self.place.cold.hidden}
        closed_at = pa.repeat(pa.scalar(int(at * SECOND)), said.num_rows).cast(times)
        revision = said[ORIGIN[1]].cast(pa.int64())
        values = (start.cast(times), end.cast(times), said[LEFT], revision, said[OF_EVENTS], closed_at)
        made |= dict(zip(_NAMES, values, strict=True))
        return pa.table({**made, PLACE: said[PLACE], LEFT: said[LEFT]})

    def _closed_frame(self, rows: DataFrame, at: float) -> DataFrame:
        """The same, of rows that workers write."""
        from pyspark.sql import functions as F  # noqa: N812

        said = rows.filter(column(LEFT).isin(*KINDS))
        made = [column(name) for name, _ in self.place.cold.own]
        made += [F.col(f"{OF_WINDOW}.k{number}").alias(name) for name, _, number in self.place.cold.hidden]
        values = (
            F.timestamp_micros(f"{OF_WINDOW}._window_start"),
            F.timestamp_micros(f"{OF_WINDOW}._window_end"),
            column(LEFT),
            column(ORIGIN[1]),
            column(OF_EVENTS),
            F.timestamp_micros(F.lit(int(at * SECOND))),
        )
        made += [value.alias(name) for name, value in zip(_NAMES, values, strict=True)]
        return said.select(*made, column(PLACE), column(LEFT))

    def tidy(self, batch: Batch) -> None:
        """Lets windows go that were closed longer ago than they are kept; every ten minutes is often enough."""
        if self.looked is not None and time.monotonic() - self.looked < FORGETTING:
            return
        self.looked = time.monotonic()
        if self.place.cold.backend == FILES:
            cold_files.forget(self.place.folder, self.place.oldest)
            cold_files.join(self._files(batch))
            return
        from psycopg import sql

        server = self.place.server
        with speaking(server, self.place.name), server.connect(autocommit=True) as connection:
            [there] = connection.execute("SELECT to_regclass(%s)", (self.place.table,)).fetchone() or (None,)
            if there is not None:
                text = sql.SQL("DELETE FROM {} WHERE {} < %s")
                name = sql.Identifier(self.place.table)
                connection.execute(text.format(name, sql.Identifier(CLOSED_AT)), (self.place.oldest,))
