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
from velostream.plan.versions import is_row_wise
from velostream.sinks.letters import letter
from velostream.spark.failures import translate
from velostream.spark.lower.context import Lowering, Run, column
from velostream.spark.lower.expressions import BAD_VALUE
from velostream.spark.lower.intervals import past_of
from velostream.spark.lower.job import rows_of
from velostream.spark.lower.static import lower_static
from velostream.spark.stateful.layout import DETAIL, RECORD
from velostream.tables.differences import added, deletions
from velostream.tables.loading import Step
from velostream.tables.materialised import columns_of, with_times
from velostream.tables.newest import alive, index_of, named, stacked
from velostream.tables.store import BASE, DELTA, FOLDER, PAST, TableStore, Version
from velostream.tables.view import ChangedView, TableView, VersionView

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
    a table than the last one gives all rows anew, and what differs from those before is for the writer to find out.
    Where each row is made of one row of one table, it gives what the changed ones become."""

    job: Job
    spark: SparkSession
    checkpoint: Path
    functions: Mapping[str, Function]
    columns: Mapping[str, Sequence[tuple[str, str]]]
    """The columns of all tables that it may read, and their types."""
    versions: Callable[[], Mapping[str, Version]]
    """The version of each table that it reads now; they stay while it computes."""
    past: bool = False
    """Whether all that its rows were is computed too."""

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
        changed = self._changed(since, versions) if self._is_row_wise else None
        if changed is not None:
            return self._of_changes(changed, versions, made_of)
        found, letters = self._computed(versions)
        rows = with_times(found, self.job.made)
        refuse_doubles(self.job.made.table, rows, self.job.made.key)
        past = None
        if self.past:
            past, letters = self._versions(versions)
        size = sum(version.size for version in versions.values())
        return Step(rows, made_of, fresh=True, letters=letters, size=size, past=past)

    @cached_property
    def _is_row_wise(self) -> bool:
        return not self.past and is_row_wise(self.job, self.functions)

    def _changed(self, since: Mapping[str, Any], versions: Mapping[str, Version]) -> pa.Table | None:
        """The changes of the one table that it reads since its rows were made; None where they are not known: its query
        is another, or the table has another base."""
        [(name, now)] = versions.items()
        told = since.get(TABLES, {}).get(name)
        if since.get(QUERY) != self._query or told is None or DELTA not in now.files:
            return None
        try:
            before = TableStore(self.checkpoint, name).version(told[VERSION])
            if before.files.get(BASE) != now.files.get(BASE):
                return None
            delta = now.table(DELTA)
            assert delta is not None
            return added(before.table(DELTA), delta, now.key)
        except (VeloError, OSError):  # it was deleted meanwhile, since there are newer ones
            return None

    def _of_changes(self, changed: pa.Table, versions: Mapping[str, Version], made_of: Mapping[str, Any]) -> Step:
        """What the query makes of rows that have changed. All of them are deleted first, so that those go that it makes
        nothing of."""
        [(name, version)] = versions.items()
        made, identity = self.job.made, self.job.made.input.identity
        with ChangedView(version, self.columns[name], changed, self.checkpoint / FOLDER / made.table) as view:
            found, letters = self._computed_over({name: view})
        rows = with_times(found, made)
        keys = {key: changed[own] for key, own in zip(identity, version.key, strict=True)}
        both = stacked(deletions(keys, rows), alive(rows))
        return Step(both, made_of, letters=letters, size=changed.nbytes, settled=True)

    def known_until(self, looked: int = 0) -> int | None:
        """Up to when all that its rows were is known: as of the tables that it reads."""
        told = [version.about.watermark for version in self.versions().values()]
        known = [each for each in told if each is not None]
        return min(known) if known and len(known) == len(told) else None

    def made_of(self, versions: Mapping[str, Version]) -> dict[str, Any]:
        """What says of rows what they were made of: the query, and the files of the tables that it read."""
        return {
            QUERY: self._query,
            TABLES: {name: {VERSION: one.number, FILES: self._files(one)} for name, one in sorted(versions.items())},
        }

    @cached_property
    def _query(self) -> str:
        """A short text that differs where the query differs, or what its user's functions do."""
        told = json.dumps(_without(tree_data(self.job.root)), sort_keys=True, default=str)
        made = {name: one.implementation for name, one in sorted(self.functions.items()) if _calls(told, name)}
        told += "".join(f"{name} {digest(one.run)}" for name, one in made.items() if one is not None)
        return blake2b(told.encode(), digest_size=8).hexdigest()

    def _views(self, versions: Mapping[str, Version]) -> dict[str, TableView]:
        return {name: VersionView(one, self.columns[name]) for name, one in versions.items()}

    def _computed(self, versions: Mapping[str, Version]) -> tuple[pa.Table, list[dict[str, Any]]]:
        return self._computed_over(self._views(versions))

    def _computed_over(self, views: Mapping[str, TableView]) -> tuple[pa.Table, list[dict[str, Any]]]:
        """The rows of the query, and letters for rows of its tables that fail in it."""
        try:
            return self._frame(views, None).toArrow(), []
        except Exception as failure:
            if translate(failure).error_code not in _ROWS_FAIL:
                raise
        aside: list[DataFrame] = []
        rows = self._frame(views, aside).toArrow()
        return rows, self._letters(aside)

    def _versions(self, versions: Mapping[str, Version]) -> tuple[pa.Table, list[dict[str, Any]]]:
        """All that the rows of the query were, and letters for what rows of its tables were that fail in it."""
        aside: list[DataFrame] = []
        made, lowering = self.job.made, self._lowering(self._views(versions), aside)
        told = past_of(rows_of(self.job), made.key, [name for name, _ in columns_of(made)], lowering).toArrow()
        return told, self._letters(aside)

    def _letters(self, aside: Sequence[DataFrame]) -> list[dict[str, Any]]:
        failed = [one for frame in aside for one in frame.toArrow().to_pylist()]
        return [self._letter(one[DETAIL], one[RECORD]) for one in failed]

    def _lowering(self, views: Mapping[str, TableView], aside: list[DataFrame] | None) -> Lowering:
        run = Run(self.job.name, self.checkpoint, Path(), bounded=True, buckets=())
        return Lowering(self.spark, run, functions=self.functions, tables=views, aside=aside)

    def _frame(self, views: Mapping[str, TableView], aside: list[DataFrame] | None) -> DataFrame:
        made, lowering = self.job.made, self._lowering(views, aside)
        wanted = dict.fromkeys([*(name for name, _ in columns_of(made)), *([made.version] if made.version else [])])
        return lower_static(rows_of(self.job), lowering).select(*map(column, wanted))

    def _files(self, version: Version) -> list[str]:
        """The files of a version that say what rows are made of it."""
        kinds = (BASE, DELTA, PAST) if self.past else (BASE, DELTA)
        return [name for kind in kinds for name in version.files.get(kind, ())]

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


def _without(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without(each) for name, each in data.items() if name not in _OUTSIDE}
    return [_without(each) for each in data] if isinstance(data, list) else data
