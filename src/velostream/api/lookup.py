"""Rows of tables by their keys: an index over the newest version of a table, made anew when there is a newer one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.api.engine import LOG
from velostream.api.result import Row
from velostream.errors import VeloError
from velostream.tables.newest import TIME
from velostream.tables.store import TableStore

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from velostream.jobs.question import Question
    from velostream.plan.job import ApplicationPlan


@dataclass(frozen=True)
class Index:
    """Where the row of each key stands in one version of a table."""

    rows: pa.Table
    places: dict[tuple[Any, ...], int]

    def row(self, key: tuple[Any, ...]) -> Row | None:
        """The row of a key."""
        place = self.places.get(key)
        if place is None:
            return None
        found: Row = self.rows.slice(place, 1).to_pylist()[0]
        return found


@dataclass(frozen=True)
class Key:
    """A key of a table: the table by its proper name, its key columns, and their values."""

    table: str
    columns: tuple[str, ...]
    values: tuple[Any, ...]


class Lookups:
    """Indexes of tables, wherever those are kept, and tables that were loaded only to be looked up."""

    def __init__(self) -> None:
        self._indexes: dict[tuple[Path, str], tuple[int, Index]] = {}
        self._loaded: dict[tuple[str, str], Path] = {}
        """By the statements that a table comes from, and by its name."""
        self._open = ExitStack()

    def row(self, home: Path, wanted: Key) -> Row | None:
        """The row of a key in the newest complete version of its table below a folder of checkpoints."""
        version = TableStore(home, wanted.table).newest()
        if version is None:
            hint = "wait for it, or run its application"
            raise VeloError(f"table '{wanted.table}' is not loaded yet", hint=hint, code="table-not-ready")
        known = self._indexes.get((home, wanted.table))
        if known is None or known[0] != version.number:
            rows = version.read().drop_columns([TIME])
            keys = zip(*(rows[name].to_pylist() for name in wanted.columns), strict=True)
            known = version.number, Index(rows, {values: place for place, values in enumerate(keys)})
            self._indexes[home, wanted.table] = known
        return known[1].row(wanted.values)

    def home_of(self, question: Question, statements: str, table: str) -> Path:
        """Where a table is kept: where a run of its application has left it, else where it is loaded now, once."""
        from velostream.jobs.question import scratch
        from velostream.spark.failures import translated

        if question.has((table,)):
            return question.kept
        known = (statements, table)
        if known not in self._loaded:
            home = self._open.enter_context(scratch())
            with translated():
                question.load(home, LOG.info, lambda runner: nullcontext())
            self._loaded[known] = home
        return self._loaded[known]

    def close(self) -> None:
        """What was loaded goes."""
        self._open.close()
        self._loaded.clear()


def tables_of(plan: ApplicationPlan) -> dict[str, tuple[str, ...]]:
    """The tables of an application, with the columns of their keys."""
    from velostream.plan.nodes import Materialise

    keys = {each.name: tuple(each.key) for each in plan.tables}
    return keys | {job.root.table: tuple(job.root.key) for job in plan.jobs if isinstance(job.root, Materialise)}


def key_of(plan: ApplicationPlan, table: str, values: Sequence[Any]) -> Key:
    """The key that is meant; values that are none are refused."""
    from velostream.registry import did_you_mean

    keys = tables_of(plan)
    name = next((each for each in keys if each.casefold() == table.casefold()), "")
    if not name:
        hint = did_you_mean(table, keys, "tables") or "declare it: CREATE TABLE"
        raise VeloError(f"there is no table '{table}'", hint=hint, code="unknown-stream")
    if not keys[name]:
        raise VeloError(f"table '{name}' has no key", hint="declare one: PRIMARY KEY", code="missing-key")
    if len(values) != len(keys[name]):
        given = ", ".join(map(repr, values))
        message, hint = f"'{given}' is not a key of table '{name}'", f"its key is {', '.join(keys[name])}"
        raise VeloError(message, hint=hint, code="invalid-key")
    return Key(name, keys[name], tuple(values))
