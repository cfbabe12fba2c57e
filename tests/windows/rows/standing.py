"""Drives operators whose rows are corrected: rows with an origin in, what a reader holds at the end out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from velostream.windows.facts import Facts, Progress
from velostream.windows.outcome import Outcome
from velostream.windows.store import MemoryStore

SCHEMA = {
    "key": pl.String,
    "value": pl.Int64,
    "_event_time": pl.Int64,
    "_source": pl.String,
    "_partition": pl.Int32,
    "_offset": pl.Int64,
    "_hash": pl.Int64,
    "_window_end": pl.Int64,
    "_origin": pl.String,
    "_origin_revision": pl.Int64,
    "_origin_gone": pl.Boolean,
}


@dataclass(frozen=True)
class Row:
    """A row that corrects the one of the same origin before it; windows are ten long."""

    origin: str
    time: int
    value: int | None = 1
    key: str | None = "a"
    revision: int = 1
    gone: bool = False


def table(rows: Sequence[Row]) -> pl.DataFrame:
    data = []
    for r in rows:
        end, place = r.time // 10 * 10 + 10, ord(r.origin[0])
        where = (r.time, None, None, place, len(r.key or ""))
        data.append((r.key, r.value, *where, end, r.origin, r.revision, r.gone))
    return pl.DataFrame(data, schema=SCHEMA, orient="row")


@dataclass
class Job:
    """A new operator over the same store for every micro-batch."""

    make: Callable[[MemoryStore], Any]
    store: MemoryStore = field(default_factory=MemoryStore)
    outcomes: list[Outcome] = field(default_factory=list)

    def batch(self, *rows: Row, watermark: int | None = None, flush: bool = False) -> list[dict[str, Any]]:
        facts = Facts(() if watermark is None else (Progress("#1", 0, watermark),), flush=flush)
        outcome = self.make(self.store).process(table(rows), facts)
        before = self.outcomes[-1].stats.open if self.outcomes else 0
        assert outcome.stats.read == outcome.stats.accounted + outcome.stats.open - before
        self.outcomes.append(outcome)
        return outcome.results.to_dicts()

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for outcome in self.outcomes for row in outcome.results.to_dicts()]

    def held(self, *identity: str) -> dict[Any, dict[str, Any]]:
        """What a reader holds that replaces and deletes; each revision is one more than that before."""
        found: dict[Any, dict[str, Any]] = {}
        revisions: dict[Any, int] = {}
        for row in self.rows:
            name = row["_origin"] if not identity else tuple(row[part] for part in identity)
            if row["_emission"] == "retract":
                assert found.pop(name)["_revision"] == row["_revision"]
                continue
            assert row["_revision"] == revisions.get(name, 0) + 1
            revisions[name] = row["_revision"]
            found[name] = row
        return found
