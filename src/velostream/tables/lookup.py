"""Looking rows of a table up by key from Python, in this process: many keys at once, in the newest version there is."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.registry import did_you_mean, nearest
from velostream.tables.newest import TIME
from velostream.tables.positions import Positions
from velostream.tables.store import FOLDER, TableStore, Version

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

FRESH = 1.0
"""For so many seconds a version is taken for the newest."""
TRIES = 5
"""So often a version is read that is deleted meanwhile, since there is a newer one."""


@dataclass(frozen=True)
class _Held:
    """A version in memory: its rows, and where each key stands."""

    version: Version
    rows: pl.DataFrame
    positions: Positions

    @classmethod
    def of(cls, version: Version) -> _Held:
        import polars as pl

        read = pl.from_arrow(version.read().drop_columns([TIME]))
        assert isinstance(read, pl.DataFrame)
        rows = read.rechunk()
        return cls(version, rows, Positions.of(rows.select(version.key)))

    @property
    def key(self) -> tuple[str, ...]:
        return self.version.key


class TableLookup:
    """A table of an application, running or stopped. Its rows are held in memory, and read again when there are newer
    ones. Any thread may ask."""

    def __init__(self, checkpoint: Path | str, name: str, *, fresh: float = FRESH) -> None:
        self.store = TableStore(Path(checkpoint), _spelled(Path(checkpoint), name))
        self.fresh = fresh
        self._lock = Lock()
        self._looked = 0.0
        self._held: _Held | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that rows are looked up by."""
        return self._current().key

    @property
    def version(self) -> int:
        """The number of the version that answers."""
        return self._current().version.number

    @property
    def schema(self) -> pa.Schema:
        """The columns of its rows."""
        return self._current().rows.head(0).to_arrow().schema

    def rows(self, keys: pa.Table | Mapping[str, Sequence[Any]] | Iterable[Any]) -> pa.Table:
        """One row for each key, in their order, of NULLs where there is none.

        Keys are columns by name, or values of a key that is one column.
        """
        import polars as pl

        held = self._current()
        asked = self._asked(keys, held)
        places = held.positions.find(asked)
        found = held.rows.select(pl.all().exclude(held.key).gather(places))
        return asked.hstack(found).to_arrow()

    def row(self, *key: Any) -> dict[str, Any] | None:
        """The row of one key; None where there is none."""
        held = self._current()
        if len(key) != len(held.key):
            given = ", ".join(map(repr, key))
            message, hint = f"'{given}' is not a key of table '{self.store.name}'", f"its key is {', '.join(held.key)}"
            raise VeloError(message, hint=hint, code="invalid-key")
        asked = self._asked({name: [value] for name, value in zip(held.key, key, strict=True)}, held)
        place = held.positions.find(asked)[0]
        return None if place is None else held.rows.row(place, named=True)

    def _asked(self, keys: Any, held: _Held) -> pl.DataFrame:
        import polars as pl
        import pyarrow as pa

        if isinstance(keys, pa.Table):
            given = pl.from_arrow(keys)
            assert isinstance(given, pl.DataFrame)
        elif isinstance(keys, Mapping):
            given = pl.DataFrame(keys)
        elif len(held.key) == 1:
            given = pl.DataFrame({held.key[0]: keys if isinstance(keys, pl.Series | list) else list(keys)})
        else:
            raise self._refuse(f"its key is {', '.join(held.key)}: give columns of these names", 1)
        named = {name: self._named(name, given.columns, held.key) for name in held.key}
        return given.select(
            self._cast(given[asked].alias(name), held.rows.schema[name]) for name, asked in named.items()
        )

    def _named(self, name: str, given: Sequence[str], key: tuple[str, ...]) -> str:
        """The column that was given for one of the key, in any letter case."""
        found = [one for one in given if one.casefold() == name.casefold()]
        if found:
            return name if name in found else found[0]
        near = nearest(name, list(given))
        meant = f"'{near[0]}' is not '{name}': " if near else ""
        raise self._refuse(f"{meant}its key is {', '.join(key)}", len(given))

    def _cast(self, values: pl.Series, kind: pl.DataType) -> pl.Series:
        """Values of a key column in its type; texts are read as the type is written."""
        import polars as pl

        try:
            if values.dtype == pl.String and kind == pl.Boolean:
                return values.replace_strict({"true": True, "false": False, None: None}, return_dtype=kind)
            if values.dtype == pl.String and isinstance(kind, pl.Datetime):
                return values.str.to_datetime(time_unit=kind.time_unit, time_zone=kind.time_zone)
            if values.dtype == pl.String and kind == pl.Date:
                return values.str.to_date()
            return values.cast(kind)
        except pl.exceptions.PolarsError:
            message = f"a value for '{values.name}' of table '{self.store.name}' is not of its type"
            raise VeloError(message, hint=f"it is {kind}", code="invalid-key") from None

    def _refuse(self, hint: str, given: int) -> VeloError:
        message = f"rows of table '{self.store.name}' cannot be looked up by {given} column{'s' if given != 1 else ''}"
        return VeloError(message, hint=hint, code="invalid-key")

    def _current(self) -> _Held:
        with self._lock:
            now = time.monotonic()
            if self._held is None or now - self._looked >= self.fresh:
                self._held, self._looked = self._newest(), now
            return self._held

    def _newest(self) -> _Held:
        """The newest version. One may be deleted while it is read, since there is a newer one."""
        for _ in range(TRIES):
            with suppress(FileNotFoundError):
                return self._read()
        return self._read()

    def _read(self) -> _Held:
        newest = self.store.newest()
        if newest is None:
            message = f"table '{self.store.name}' is not loaded yet"
            near = did_you_mean(self.store.name, _tables(self.store.folder.parent.parent), "tables")
            hint = near or f"run its application, or wait: no rows are under '{self.store.folder.parent.parent}'"
            raise VeloError(message, hint=hint, code="table-not-ready")
        if not newest.key:
            message = f"table '{self.store.name}' has no key"
            raise VeloError(message, hint="declare one: PRIMARY KEY", code="missing-key")
        known = self._held is not None and newest.number == self._held.version.number
        return self._held if self._held is not None and known else _Held.of(newest)


def _tables(checkpoint: Path) -> list[str]:
    """The tables that a checkpoint has."""
    return sorted(one.name for one in (checkpoint / FOLDER).glob("*") if one.is_dir())


def _spelled(checkpoint: Path, name: str) -> str:
    """The name of a table as it was declared, however it is written."""
    known = _tables(checkpoint)
    return name if name in known else next((one for one in known if one.casefold() == name.casefold()), name)
