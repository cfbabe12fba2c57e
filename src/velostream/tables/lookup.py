"""Looking rows of a table up by key from Python, in this process: many keys at once, in the newest version there is."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.tables.newest import TIME
from velostream.tables.store import TableStore, Version

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

FRESH = 1.0
"""For so many seconds a version is taken for the newest."""


class TableLookup:
    """A table of an application, running or stopped. Its rows are held in memory, and read again when there are newer
    ones. Any thread may ask."""

    def __init__(self, checkpoint: Path | str, name: str, *, fresh: float = FRESH) -> None:
        self.store = TableStore(Path(checkpoint), name)
        self.fresh = fresh
        self._lock = Lock()
        self._looked = 0.0
        self._version: Version | None = None
        self._rows: pl.DataFrame | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that rows are looked up by."""
        return self._current()[0].key

    @property
    def version(self) -> int:
        """The number of the version that answers."""
        return self._current()[0].number

    def rows(self, keys: pa.Table | Mapping[str, Sequence[Any]] | Iterable[Any]) -> pa.Table:
        """One row for each key, in their order, of NULLs where there is none.

        Keys are columns by name, or values of a key that is one column.
        """
        version, held = self._current()
        asked = self._asked(keys, version, held)
        columns = [name for name in held.columns if name not in version.key]
        found = asked.join(held, on=list(version.key), how="left", maintain_order="left", nulls_equal=True)
        return found.select(*version.key, *columns).to_arrow()

    def row(self, *key: Any) -> dict[str, Any] | None:
        """The row of one key; None where there is none."""
        version, held = self._current()
        if len(key) != len(version.key):
            raise self._refuse(f"its key is {', '.join(version.key)}", len(key))
        asked = self._asked({name: [value] for name, value in zip(version.key, key, strict=True)}, version, held)
        found = held.join(asked, on=list(version.key), how="semi", nulls_equal=True)
        return found.row(0, named=True) if found.height else None

    def _asked(self, keys: Any, version: Version, held: pl.DataFrame) -> pl.DataFrame:
        import polars as pl
        import pyarrow as pa

        if isinstance(keys, pa.Table):
            given = pl.from_arrow(keys)
            assert isinstance(given, pl.DataFrame)
        elif isinstance(keys, Mapping):
            given = pl.DataFrame(keys)
        elif len(version.key) == 1:
            given = pl.DataFrame({version.key[0]: keys if isinstance(keys, pl.Series | list) else list(keys)})
        else:
            raise self._refuse(f"its key is {', '.join(version.key)}: give columns of these names", 1)
        missing = [name for name in version.key if name not in given.columns]
        if missing or not version.key:
            raise self._refuse(f"its key is {', '.join(version.key) or 'not known'}", len(given.columns))
        return given.select(pl.col(name).cast(held.schema[name]) for name in version.key)

    def _refuse(self, hint: str, given: int) -> VeloError:
        message = f"rows of table '{self.store.name}' cannot be looked up by {given} column{'s' if given != 1 else ''}"
        return VeloError(message, hint=hint, code="invalid-key")

    def _current(self) -> tuple[Version, pl.DataFrame]:
        import polars as pl

        with self._lock:
            now = time.monotonic()
            if self._version is None or self._rows is None or now - self._looked >= self.fresh:
                newest = self.store.newest()
                if newest is None:
                    message = f"table '{self.store.name}' has no rows under '{self.store.folder.parent.parent}'"
                    raise VeloError(message, hint="run the application first", code="table-not-ready")
                if self._version is None or newest.number != self._version.number:
                    rows = pl.from_arrow(newest.read().drop_columns([TIME]))
                    assert isinstance(rows, pl.DataFrame)
                    self._version, self._rows = newest, rows.rechunk()
                self._looked = now
            assert self._rows is not None
            return self._version, self._rows
