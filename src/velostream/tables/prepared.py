"""The rows of a table as joins in Python find them: by the bucket of their keys, in Arrow files of a version.

They are made when a job takes a version, and read by workers, which know their micro-batch and so their version.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.files import replace_text

if TYPE_CHECKING:
    import polars as pl

EMPTY = "empty.arrow"
"""A file without rows, for buckets that have none: it tells the columns."""
_ABOUT = "about.json"


@dataclass(frozen=True)
class Prepared:
    """One join's side of its tables. `write` writes the files of the versions that the job sees into a folder."""

    folder: Path
    tables: tuple[str, ...]
    write: Callable[[Path], None]

    def make(self, pinned: Mapping[str, int], watermark: int | None) -> None:
        """Has the rows of these versions ready; `watermark` is up to when all that they were is known."""
        folder = self.folder / token(self.tables, pinned)
        if (folder / _ABOUT).exists():
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.write(folder)
        replace_text(folder / _ABOUT, json.dumps({"watermark": watermark}))

    def forget(self, held: Iterable[Mapping[str, int]]) -> None:
        """Deletes what no micro-batch can ask for any more."""
        kept = {token(self.tables, pinned) for pinned in held}
        for folder in self.folder.glob("*"):
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)


def token(tables: Iterable[str], pinned: Mapping[str, int]) -> str:
    """What versions of tables are called together."""
    return "-".join(str(pinned[name]) for name in tables)


@dataclass(frozen=True)
class PreparedSide:
    """The rows as a worker finds them (velostream.windows.waiting_join.Side)."""

    folder: str
    tables: tuple[str, ...]
    pins: str
    """The file that tells which versions a micro-batch sees."""
    buckets: int
    order: tuple[str, ...] = ()
    """The columns that rows are in the order of, where that matters."""

    def watermark(self) -> int | None:
        """Up to when all that the tables were is known."""
        told: int | None = json.loads((self._now() / _ABOUT).read_text())["watermark"]
        return told

    def rows(self, hashed: int) -> pl.DataFrame:
        """The rows of the bucket of a hash."""
        return _rows(str(self._now()), hashed % self.buckets, self.order)

    def _now(self) -> Path:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number = int(context.getLocalProperty("streaming.sql.batchId") or 0)
        told = {int(batch): pinned for batch, pinned in json.loads(Path(self.pins).read_text()).items()}
        return Path(self.folder, token(self.tables, told[max(batch for batch in told if batch <= number)]))


@lru_cache(maxsize=64)
def _rows(folder: str, bucket: int, order: tuple[str, ...]) -> pl.DataFrame:
    """Kept by the worker: a version never changes."""
    import polars as pl

    files = sorted(Path(folder).glob(f"{bucket}-*.arrow")) or [Path(folder, EMPTY)]
    found = pl.concat([pl.read_ipc(file) for file in files])
    return found.sort(*order, nulls_last=False, maintain_order=True) if order else found
