"""Tables made of other tables: their query as a batch over one version of each table that it reads.

What the rows were made of is kept with them. While that is the same nothing is computed, after a crash neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.functions.digest import digest
from velostream.plan.explain.data import tree_data
from velostream.plan.job import Job
from velostream.sinks.letters import letter
from velostream.spark.failures import translate
from velostream.spark.lower.context import Lowering, Run, column
from velostream.spark.lower.expressions import BAD_VALUE
from velostream.spark.lower.job import rows_of
from velostream.spark.lower.static import lower_static
from velostream.spark.stateful.layout import DETAIL, RECORD
from velostream.tables.loading import Step
from velostream.tables.materialised import columns_of, with_times
from velostream.tables.newest import index_of, named
from velostream.tables.store import BASE, DELTA, Version
from velostream.tables.view import TableView, VersionView

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from velostream.functions.base import Function

QUERY, TABLES, VERSION, FILES = "query", "tables", "version", "files"
_ROWS_FAIL = ("expression-failed", "function-failed")
"""The errors of single rows: the query goes on without these."""
_OUTSIDE = ("size", "place", "refresh", "version_time")
"""What a plan tells of tables that it reads without meaning other rows."""


@dataclass
class DerivedTable:
    """The rows of a query over tables, in the interface of all tables that are loaded. A look that finds other rows in
    a table than the last one gives all rows anew; what differs from those before is for the writer to find out."""

    job: Job
    spark: SparkSession
    checkpoint: Path
    functions: Mapping[str, Function]
    columns: Mapping[str, Sequence[tuple[str, str]]]
    """The columns of all tables that it may read, and their types."""
    versions: Callable[[], Mapping[str, Version]]
    """The version of each table that it reads now; they stay while it computes."""

    def __post_init__(self) -> None:
        self.reading: Callable[[int], None] = lambda size: None

    def measure(self, since: Mapping[str, Any]) -> int:
        """The bytes of the tables that it reads, where it has to."""
        versions = self.versions()
        return 0 if is_same(since, self.made_of(versions)) else sum(version.size for version in versions.values())

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """All rows; None where they would be made of what they were made of before."""
        versions = self.versions()
        made_of = self.made_of(versions)
        if is_same(since, made_of):
            return None
        found, letters = self._computed(versions)
        rows = with_times(found, self.job.made)
        refuse_doubles(self.job.made.table, rows, self.job.made.key)
        size = sum(version.size for version in versions.values())
        return Step(rows, made_of, fresh=True, letters=letters, size=size)

    def made_of(self, versions: Mapping[str, Version]) -> dict[str, Any]:
        """What says of rows what they were made of: the query, and the files of the tables that it read."""
        return {
            QUERY: self._query,
            TABLES: {name: {VERSION: one.number, FILES: _files(one)} for name, one in sorted(versions.items())},
        }

    @cached_property
    def _query(self) -> str:
        """A short text that differs where the query differs, or what its user's functions do."""
        told = json.dumps(_without(tree_data(self.job.root)), sort_keys=True, default=str)
        made = {name: one.implementation for name, one in sorted(self.functions.items()) if _calls(told, name)}
        told += "".join(f"{name} {digest(one.run)}" for name, one in made.items() if one is not None)
        return blake2b(told.encode(), digest_size=8).hexdigest()

    def _computed(self, versions: Mapping[str, Version]) -> tuple[pa.Table, list[dict[str, Any]]]:
        """The rows of the query, and letters for rows of its tables that fail in it."""
        try:
            return self._frame(versions, None).toArrow(), []
        except Exception as failure:
            if translate(failure).error_code not in _ROWS_FAIL:
                raise
        aside: list[DataFrame] = []
        rows = self._frame(versions, aside).toArrow()
        failed = [one for frame in aside for one in frame.toArrow().to_pylist()]
        return rows, [self._letter(one[DETAIL], one[RECORD]) for one in failed]

    def _frame(self, versions: Mapping[str, Version], aside: list[DataFrame] | None) -> DataFrame:
        views: dict[str, TableView] = {name: VersionView(one, self.columns[name]) for name, one in versions.items()}
        run = Run(self.job.name, self.checkpoint, Path(), bounded=True, buckets=())
        lowering = Lowering(self.spark, run, functions=self.functions, tables=views, aside=aside)
        made = self.job.made
        wanted = dict.fromkeys([*(name for name, _ in columns_of(made)), *([made.version] if made.version else [])])
        return lower_static(rows_of(self.job), lowering).select(*map(column, wanted))

    def _letter(self, error: str | None, record: str | None) -> dict[str, Any]:
        return letter(reason=BAD_VALUE, error=error, record=record, source=", ".join(self.job.tables))


def is_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """True where rows that were made of the one are those that would be made of the other. A table whose version is
    another and whose files are the same has the same rows."""
    if before.get(QUERY) != now[QUERY] or before.get(TABLES, {}).keys() != now[TABLES].keys():
        return False
    return all(before[TABLES][name][FILES] == one[FILES] for name, one in now[TABLES].items())


def refuse_doubles(table: str, rows: pa.Table, key: Sequence[str]) -> None:
    """Refuses rows of which two have one key: which of them would be right nobody can say."""
    import polars as pl

    counted = index_of(rows, key).group_by(named(key)).len().filter(pl.col("len") > 1)
    if counted.is_empty():
        return
    *values, count = counted.sort(*named(key), nulls_last=False).row(0)
    which = ", ".join(f"{name} = {'NULL' if one is None else repr(one)}" for name, one in zip(key, values, strict=True))
    message = f"table '{table}' would have {count} rows where {which}"
    hint = f"GROUP BY {', '.join(key)} says what becomes of them; or mark more columns as PRIMARY KEY"
    raise VeloError(message, hint=hint, code="duplicate-key")


def _calls(told: str, function: str) -> bool:
    """True where a query may call a function; that some other word has its name in it does no harm."""
    return function.casefold() in told.casefold()


def _files(version: Version) -> list[str]:
    return [name for kind in (BASE, DELTA) for name in version.files.get(kind, ())]


def _without(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without(each) for name, each in data.items() if name not in _OUTSIDE}
    return [_without(each) for each in data] if isinstance(data, list) else data
