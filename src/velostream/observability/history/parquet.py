"""History as Parquet files: a folder for each table, in it one for each day, in it files in order of time.

The name of a file ends in the application and the job whose rows it has: several may share a folder. A file that was
made of others names them, and with it there they count no more: whoever looks sees every row once, also while files are
made one, and where that was cut short.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from velostream.observability.history.base import arrow
from velostream.observability.history.tables import TABLES, TIME, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

MANY = 200
"""So many files of a job and a day are made one."""
_MERGED = "-merged"
"""In the name of a file that was made of others."""
_INSTEAD = b"velostream.instead_of"
"""Under this it names them."""
_LOOKS = 20
"""How often a reader looks again, since files went that it had seen."""


class ParquetStore:
    """Each addition is a file for each table; what this process wrote in a day is made one now and then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Writes the rows of one job, a file for each table: none is seen before it is whole."""
        for table in TABLES:
            some = rows.get(table.name, ())
            if some:
                self._write(table, some)

    def _write(self, table: Table, rows: Sequence[Row]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        at, app, job = rows[0][:3]
        day = self.folder / table.name / f"day={datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
        day.mkdir(parents=True, exist_ok=True)
        self.number += 1
        mine = f"{os.getpid()}-{{}},{_named(app)},{_named(job)}.parquet"
        made, old = arrow(table, rows), sorted(day.glob(f"[0-9]*-{mine.format('*')}"))
        if len(old) < MANY:
            old = []
        else:
            made = pa.concat_tables([*(_read(file, table) for file in _counting(old)), made])
            made = made.replace_schema_metadata({_INSTEAD: json.dumps([file.name for file in old])})
        number = f"{self.number:06d}{_MERGED if old else ''}"
        name = f"{int(at * 1e6):020d}-{mine.format(number)}"
        with (day / f".{name}").open("wb") as waiting:
            pq.write_table(made, waiting)
            waiting.flush()
            os.fsync(waiting.fileno())
        (day / f".{name}").rename(day / name)
        for file in old:  # the oldest first: what a file was made of goes before it
            file.unlink()

    def forget(self, app: str, job: str, before: float) -> None:
        """Removes what a job has of days that are over."""
        last = datetime.fromtimestamp(before, UTC).date() - timedelta(days=1)
        for table in TABLES:
            for day in (self.folder / table.name).glob("day=*"):
                if datetime.strptime(day.name, "day=%Y-%m-%d").date() <= last:
                    for begins in (".[0-9]*", "[0-9]*"):
                        for file in sorted(day.glob(f"{begins},{_named(app)},{_named(job)}.parquet")):
                            file.unlink(missing_ok=True)

    def rows(self, table: Table, app: str, since: float = 0.0) -> Sequence[Row]:
        """The rows of an application since a moment."""
        first = f"day={datetime.fromtimestamp(since, UTC):%Y-%m-%d}"
        found = [row for row in self._table(table, app, first).to_pylist() if row["at"].timestamp() >= since]
        return [tuple(_plain(row[name], kind) for name, kind in table.columns) for row in found]

    def table(self, table: Table, app: str) -> pa.Table:
        """All rows of an application."""
        return self._table(table, app, "")

    def _table(self, table: Table, app: str, first: str) -> pa.Table:
        """The rows of days from a first one on. Where a file went meanwhile, its rows are in another one by now."""
        import pyarrow as pa

        for left in reversed(range(_LOOKS)):
            found = (self.folder / table.name).glob(f"day=*/[0-9]*,{_named(app)},*.parquet")
            files = sorted(file for file in found if file.parent.name >= first)
            try:
                return pa.concat_tables([arrow(table, []), *(_read(file, table) for file in _counting(files))])
            except FileNotFoundError:
                if not left:
                    raise
        raise AssertionError

    def close(self) -> None:
        """Nothing is open between two additions."""


def _named(name: str) -> str:
    """A name as a part of a file's name, without a sign that means something there."""
    return quote(name, safe="")


def _counting(files: Iterable[Path]) -> list[Path]:
    """The files whose rows count: those that no other one was made of."""
    import pyarrow.parquet as pq

    files = list(files)
    gone: set[Path] = set()
    for file in files:
        if _MERGED in file.name.split(",", 1)[0]:
            named = (pq.read_schema(file).metadata or {}).get(_INSTEAD, b"[]")
            gone |= {file.with_name(name) for name in json.loads(named)}
    return [file for file in files if file not in gone]


def _read(file: Path, table: Table) -> pa.Table:
    """The rows of a file; columns that an older version did not write are NULL."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = arrow(table, []).schema
    found = pq.read_table(file, partitioning=None)
    columns = [
        found[each.name] if each.name in found.column_names else pa.nulls(len(found), each.type) for each in whole
    ]
    return pa.table(columns, schema=whole)


def _plain(value: Any, kind: str) -> Any:
    return value.timestamp() if kind == TIME and value is not None else value
