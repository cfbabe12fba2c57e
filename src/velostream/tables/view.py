"""What a job sees of a table: the files of one version in folders of the job, changed between micro-batches only.

Spark lists the folders again when it is told to, so that one long-lived query sees new versions without a restart, and
reads them with its own Parquet scan: nothing of them enters Python.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes.table_scan import BROADCAST
from velostream.tables.newest import GONE, TIME
from velostream.tables.past import ORDER
from velostream.tables.store import BASE, DELTA, PAST, TableStore, Version, write_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_MORE = {BASE: "", DELTA: f", {GONE} BOOLEAN", PAST: f", {GONE} BOOLEAN, {ORDER} BIGINT"}


class TableView:
    """One table in one job. `changes` says that it may have changes beside its base while the job runs."""

    def __init__(
        self,
        folder: Path,
        store: TableStore,
        columns: Iterable[tuple[str, str]],
        key: Iterable[str] = (),
        *,
        changes: bool = True,
    ) -> None:
        self.folder = folder
        self.store = store
        self.schema = ", ".join(f"`{name}` {kind}" for name, kind in columns)
        self.key = tuple(key)
        self.changes = changes
        self.shown: Version | None = None
        self._scans: dict[str, DataFrame] = {}

    def show(self, number: int) -> None:
        """Takes a version in place of the one before. Only while no micro-batch runs."""
        if self.shown is not None and self.shown.number == number:
            return
        version = self.store.version(number)
        for kind in (BASE, DELTA, PAST):
            self._link(
                kind, {"-".join(Path(name).parts): self.store.folder / name for name in version.files.get(kind, ())}
            )
        self.shown = version
        for scan in self._scans.values():
            _index(scan).refresh()

    def _link(self, kind: str, wanted: dict[str, Path]) -> None:
        folder = self.folder / kind
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if file.name not in wanted:
                file.unlink()
        for name, file in wanted.items():
            if not (folder / name).exists():
                os.link(file, folder / name)

    def frame(self, spark: SparkSession) -> DataFrame:
        """The rows, as they are in whichever version is shown when a micro-batch is planned."""
        from pyspark.sql import functions as F  # noqa: N812

        base = self._scan(spark, BASE)
        if not self.changes and (self.shown is None or DELTA not in self.shown.files):
            return base
        delta = self._scan(spark, DELTA)
        fresh = delta.filter(~F.col(GONE)).drop(GONE)
        if self.key:
            changed = delta.select(
                *(F.col(f"`{name}`").alias(f"_changed_{place}") for place, name in enumerate(self.key))
            )
            same = [F.col(f"`{name}`").eqNullSafe(F.col(f"_changed_{place}")) for place, name in enumerate(self.key)]
            base = base.join(F.broadcast(changed), reduce(lambda one, other: one & other, same), "left_anti")
        return base.unionByName(fresh)

    def past(self, spark: SparkSession) -> DataFrame:
        """All that the rows were, with the time and the order of each, and whether it is a deletion."""
        return self._scan(spark, PAST)

    def _scan(self, spark: SparkSession, kind: str) -> DataFrame:
        if kind not in self._scans:
            (self.folder / kind).mkdir(parents=True, exist_ok=True)
            reader = spark.read.schema(f"{self.schema}, {TIME} BIGINT{_MORE[kind]}")
            self._scans[kind] = self._read(reader, kind)
        return self._scans[kind]

    def _read(self, reader: Any, kind: str) -> DataFrame:
        made: DataFrame = reader.parquet(str((self.folder / kind).absolute()))
        return made

    @property
    def small(self) -> bool:
        """True where the table is sent to every task rather than spread over them."""
        return self.shown is None or self.shown.size <= BROADCAST


class VersionView(TableView):
    """One version of a table, which stays: what a single question sees."""

    def __init__(self, version: Version, columns: Iterable[tuple[str, str]]) -> None:
        store = TableStore(version.home.parent.parent, version.home.name)
        super().__init__(version.folder, store, columns, version.key, changes=False)
        self.shown = version

    def past(self, spark: SparkSession) -> DataFrame:
        """All that the rows were; where nobody has kept it, it begins with what they are."""
        from pyspark.sql import functions as F  # noqa: N812

        assert self.shown is not None
        if PAST in self.shown.files:
            return super().past(spark)
        return self.frame(spark).withColumns({GONE: F.lit(False), ORDER: F.lit(0).cast("bigint")})

    def _scan(self, spark: SparkSession, kind: str) -> DataFrame:
        assert self.shown is not None
        files = [str(file.absolute()) for file in self.shown.paths(kind)]
        return spark.read.schema(f"{self.schema}, {TIME} BIGINT{_MORE[kind]}").parquet(*files)


class ChangedView(VersionView):
    """The rows of a version that have changed, instead of all: while it is open they lie in a folder of the table that
    is made of them, as Spark reads those of every version."""

    def __init__(self, version: Version, columns: Iterable[tuple[str, str]], changed: pa.Table, home: Path) -> None:
        super().__init__(version, columns)
        self.changed = changed
        self.beside = home / "changed"

    def __enter__(self) -> ChangedView:
        import pyarrow.compute as pc

        self.beside.mkdir(parents=True, exist_ok=True)
        write_rows(self.beside, BASE, self.changed.filter(pc.invert(self.changed[GONE])).drop_columns([GONE]))
        return self

    def __exit__(self, *raised: object) -> None:
        shutil.rmtree(self.beside, ignore_errors=True)

    def frame(self, spark: SparkSession) -> DataFrame:
        """The rows that have changed and are there."""
        return spark.read.schema(f"{self.schema}, {TIME} BIGINT").parquet(str(self.beside.absolute()))

    @property
    def small(self) -> bool:
        """As few as they are."""
        return bool(self.changed.nbytes <= BROADCAST)


def _index(frame: DataFrame) -> Any:
    """Spark's list of the files that a frame reads."""
    return frame._jdf.queryExecution().analyzed().relation().location()
