"""Drives the operator in tests: records as tuples, batches as lists, rows as dicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from velostream.types import BIGINT
from velostream.windows.accumulators.base import Call
from velostream.windows.facts import Facts, progress_of, without_skewed
from velostream.windows.operator import Operator
from velostream.windows.outcome import Outcome
from velostream.windows.settings import OperatorSettings
from velostream.windows.store import MemoryStore

SCHEMA = {
    "key": pl.String,
    "value": pl.Int64,
    "_event_time": pl.Int64,
    "_source": pl.String,
    "_partition": pl.Int32,
    "_offset": pl.Int64,
    "alarm": pl.Boolean,
}
CALLS = (Call("n", "count"), Call("total", "sum", ("value",), (BIGINT,)))


@dataclass(frozen=True)
class Record:
    """One input record; offsets are unique within a run."""

    time: int | None
    key: str | None = "a"
    value: int | None = 1
    partition: int = 0
    offset: int = 0
    alarm: bool = False


def frame(records: Iterable[Record]) -> pl.DataFrame:
    rows = [(r.key, r.value, r.time, "s", r.partition, r.offset, r.alarm) for r in records]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@dataclass
class Run:
    """A job over micro-batches. With `restarts` a new operator takes over from the store after every batch."""

    settings: OperatorSettings
    restarts: bool = True
    store: MemoryStore = field(default_factory=MemoryStore)
    outcomes: list[Outcome] = field(default_factory=list)
    operator: Operator | None = None
    known: dict[str, Any] = field(default_factory=dict)
    read: int = 0

    def batch(self, *records: Record, more: pl.DataFrame | None = None, **facts: Any) -> list[dict[str, Any]]:
        """One micro-batch; its rows."""
        rows = frame(records) if more is None else more
        if self.operator is None or self.restarts:
            self.operator = Operator(self.settings, self.store)
        honest, _ = without_skewed(rows, facts.get("now", 0), self.settings.max_clock_skew)
        facts.setdefault("progress", tuple(progress_of(honest.filter(pl.col("_event_time").is_not_null()))))
        outcome = self.operator.process(rows, Facts(known=self.known, **facts))
        self.outcomes.append(outcome)
        self._conserve(outcome)
        return outcome.results.to_dicts()

    def flush(self, **facts: Any) -> list[dict[str, Any]]:
        return self.batch(flush=True, **facts)

    def _conserve(self, outcome: Outcome) -> None:
        before = self.outcomes[-2].stats.open if len(self.outcomes) > 1 else 0
        assert outcome.stats.read == outcome.stats.accounted + outcome.stats.open - before
        assert outcome.stats.open >= 0

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for outcome in self.outcomes for row in outcome.results.to_dicts()]

    @property
    def letters(self) -> list[dict[str, Any]]:
        return [row for outcome in self.outcomes for row in outcome.letters.to_dicts()]

    def total(self, name: str) -> int:
        return sum(getattr(outcome.stats, name) for outcome in self.outcomes)


def settings(assigner: Any, **more: Any) -> OperatorSettings:
    return OperatorSettings(keys=more.pop("keys", ("key",)), calls=more.pop("calls", CALLS), assigner=assigner, **more)


def short(rows: Sequence[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """Rows as tuples of the named columns."""
    return [tuple(row[name] for name in names) for row in rows]


def newest(
    rows: Iterable[dict[str, Any]], keys: Sequence[str] = ("key",), *, by_start: bool = False
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The newest revision of every group and window that was not withdrawn: what an upsert sink holds at the end."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        bounds = (row["_window_start"],) if by_start else (row["_window_start"], row["_window_end"])
        identity = (*(row[key] for key in keys), *bounds)
        if row["_emission"] == "retract":
            if identity in found and found[identity]["_revision"] <= row["_revision"]:
                del found[identity]
        elif identity not in found or found[identity]["_revision"] <= row["_revision"]:
            found[identity] = row
    return {
        (*(row[key] for key in keys), row["_window_start"], row["_window_end"]): (
            row["n"],
            row["total"],
            row["_event_count"],
        )
        for row in found.values()
    }
