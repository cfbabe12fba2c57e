"""Rows of tables by their keys: of tables that runs of applications have left, and of those loaded to be looked up."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from velostream.api.engine import LOG
from velostream.api.result import Row
from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.tables.lookup import TableLookup

if TYPE_CHECKING:
    from pathlib import Path

    from velostream.jobs.question import Question
    from velostream.plan.job import ApplicationPlan


class Lookups:
    """Tables that were looked up, wherever those are kept, and folders of tables that were loaded only for that."""

    def __init__(self) -> None:
        self._tables: dict[tuple[Path, str], TableLookup] = {}
        self._loaded: dict[tuple[str, str], Path] = {}
        """By the statements that a table comes from, and by its name."""
        self._open = ExitStack()

    def row(self, home: Path, table: str, key: tuple[Any, ...]) -> Row | None:
        """The row of a key in the newest complete version of a table below a folder of checkpoints."""
        known = self._tables.setdefault((home, table), TableLookup(home, table, fresh=0.0))
        return known.row(*key)

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
        self._tables.clear()


def table_of(plan: ApplicationPlan, wanted: str) -> str | None:
    """The proper name of a table of an application; None where it has none of that name."""
    return next((name for name in _tables(plan) if name.casefold() == wanted.casefold()), None)


def unknown(plan: ApplicationPlan, wanted: str) -> VeloError:
    """There is no such table."""
    hint = did_you_mean(wanted, _tables(plan), "tables") or "declare it: CREATE TABLE"
    return VeloError(f"there is no table '{wanted}'", hint=hint, code="unknown-stream")


def _tables(plan: ApplicationPlan) -> list[str]:
    return [*(each.name for each in plan.tables), *plan.makers]
