"""What a job sees of a table: the files of one version in a folder of the job, changed between micro-batches only.

Spark lists the folder again when it is told to, so that one long-lived query sees new versions without a restart, and
reads them with its own Parquet scan: nothing of them enters Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.tables.store import TIME, TableStore, Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BROADCAST = 64 * 1024 * 1024
"""Tables of up to so many bytes of Parquet are sent to every task."""


class TableView:
    """One table in one job."""

    def __init__(self, folder: Path, store: TableStore, columns: Iterable[tuple[str, str]]) -> None:
        self.folder = folder
        self.store = store
        self.schema = ", ".join(f"`{name}` {kind}" for name, kind in columns)
        self.shown: Version | None = None
        self._frame: DataFrame | None = None

    def show(self, number: int) -> None:
        """Takes a version in place of the one before. Only while no micro-batch runs."""
        if self.shown is not None and self.shown.number == number:
            return
        version = self.store.version(number)
        self.folder.mkdir(parents=True, exist_ok=True)
        wanted = {f"{number:09d}-{file.name}": file for file in version.files}
        for file in self.folder.iterdir():
            if file.name not in wanted:
                file.unlink()
        for name, file in wanted.items():
            if not (self.folder / name).exists():
                os.link(file, self.folder / name)
        self.shown = version
        if self._frame is not None:
            _index(self._frame).refresh()

    def frame(self, spark: SparkSession) -> DataFrame:
        """The rows, as they are in whichever version is shown when a micro-batch is planned."""
        if self._frame is None:
            self._frame = spark.read.schema(f"{self.schema}, {TIME} BIGINT").parquet(str(self.folder.absolute()))
        return self._frame

    @property
    def small(self) -> bool:
        """True where the table is sent to every task rather than spread over them."""
        return self.shown is None or self.shown.size <= BROADCAST


class VersionView(TableView):
    """One version of a table, which stays: what a single question sees."""

    def __init__(self, version: Version, columns: Iterable[tuple[str, str]]) -> None:
        home = version.folder.parent
        super().__init__(version.folder, TableStore(home.parent.parent, home.name), columns)
        self.shown = version

    def frame(self, spark: SparkSession) -> DataFrame:
        """The rows of the version."""
        assert self.shown is not None
        files = [str(file.absolute()) for file in self.shown.files]
        return spark.read.schema(f"{self.schema}, {TIME} BIGINT").parquet(*files)


def _index(frame: DataFrame) -> Any:
    """Spark's list of the files that a frame reads."""
    return frame._jdf.queryExecution().analyzed().relation().location()
