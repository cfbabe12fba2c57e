"""History as Parquet files: a folder for each table, in it one for each day, in it files in order of time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.observability.history.base import arrow
from velostream.observability.history.tables import TABLES, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

MANY = 200
"""So many files of a day are made one."""


class ParquetStore:
    """Each addition is a file; a day's files are made one now and then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Writes a file for each table: none is seen before it is whole."""
        for table in TABLES:
            some = rows.get(table.name, ())
            if some:
                self._write(table, some)

    def _write(self, table: Table, rows: Sequence[Row]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        day = self.folder / table.name / f"day={datetime.fromtimestamp(rows[0][0], UTC):%Y-%m-%d}"
        day.mkdir(parents=True, exist_ok=True)
        self.number += 1
        name = f"{int(rows[0][0] * 1e6):020d}-{os.getpid()}-{self.number:06d}.parquet"
        made, old = arrow(table, rows), sorted(day.glob("[0-9]*.parquet"))
        if len(old) >= MANY:
            made = pa.concat_tables([*(pq.read_table(file, partitioning=None) for file in old), made])
        waiting = day / f".{name}"
        pq.write_table(made, waiting)
        waiting.rename(day / name)
        for file in old if len(old) >= MANY else ():
            file.unlink()

    def forget(self, before: float) -> None:
        """Removes days that are over."""
        last = datetime.fromtimestamp(before, UTC).date() - timedelta(days=1)
        for table in TABLES:
            for day in (self.folder / table.name).glob("day=*"):
                if datetime.strptime(day.name, "day=%Y-%m-%d").date() <= last:
                    shutil.rmtree(day)

    def table(self, table: Table) -> pa.Table:
        """All rows of a table."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        files = sorted((self.folder / table.name).glob("day=*/[0-9]*.parquet"))
        return pa.concat_tables([arrow(table, []), *(pq.read_table(file, partitioning=None) for file in files)])

    def close(self) -> None:
        """Nothing is open between two additions."""
