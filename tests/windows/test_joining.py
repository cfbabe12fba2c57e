"""Joins of two streams against a plain join of all their rows: any order, batches, restarts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.errors import InvalidPlan
from velostream.windows.facts import Facts, progress_of
from velostream.windows.joining import JoinOperator, JoinSettings
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.store import MemoryStore
from velostream.windows.watermark import WatermarkSettings

SCHEMA = {
    "_side": pl.Int32,
    "k": pl.String,
    "l0": pl.Int64,
    "r0": pl.Int64,
    "_event_time": pl.Int64,
    "_source": pl.String,
    "_partition": pl.Int32,
    "_offset": pl.Int64,
    "_hash": pl.Int64,
}
Row = tuple[int, str | None, int]
"""Side, key, time."""


def frame(rows: list[Row], first: int = 0) -> pl.DataFrame:
    made = []
    for offset, (side, key, time) in enumerate(rows, start=first):
        values = (offset, None) if side == 0 else (None, offset)
        made.append((side, key, *values, time, "lr"[side], 0, offset, hash(key) % 7))
    return pl.DataFrame(made, schema=SCHEMA, orient="row")


@dataclass
class Run:
    settings: JoinSettings
    store: MemoryStore = field(default_factory=MemoryStore)
    shown: dict[tuple[int | None, int | None], int] = field(default_factory=dict)
    read: int = 0
    classes: dict[str, int] = field(default_factory=dict)

    def batch(self, rows: list[Row], **facts: Any) -> pl.DataFrame:
        given_rows = frame(rows, self.read)
        self.read += len(rows)
        known = {"l": 1, "r": 1}
        told = Facts(tuple(progress_of(given_rows)), known, bounded=True, **facts)
        outcome = JoinOperator(self.settings, self.store).process(given_rows, told)
        for left, right, emission in outcome.results.select("l0", "r0", "_emission").iter_rows():
            self.shown[left, right] = self.shown.get((left, right), 0) + (-1 if emission == "retract" else 1)
        stats = outcome.stats
        for name in ("in_results", "unmatched"):
            self.classes[name] = self.classes.get(name, 0) + getattr(stats, name)
        lost = sum(stats.dead_lettered.values()) + sum(stats.dropped.values())
        self.classes["lost"] = self.classes.get("lost", 0) + lost
        assert sum(self.classes.values()) + stats.open == self.read
        return outcome.results

    @property
    def pairs(self) -> set[tuple[int | None, int | None]]:
        assert set(self.shown.values()) <= {0, 1}
        return {pair for pair, times in self.shown.items() if times}


def settings(kind: str = "INNER", lower: int = -5, upper: int = 5, delay: int = 1_000, **more: Any) -> JoinSettings:
    keeps = (kind in ("LEFT", "FULL"), kind in ("RIGHT", "FULL"))
    watermark = WatermarkSettings(max_out_of_orderness=delay, idle_timeout=None)
    return JoinSettings(("k",), (("l0",), ("r0",)), lower, upper, keeps, watermark, **more)


def expected(rows: list[Row], joined: JoinSettings) -> set[tuple[int | None, int | None]]:
    numbered = list(enumerate(rows))
    left = [(n, k, t) for n, (side, k, t) in numbered if side == 0]
    right = [(n, k, t) for n, (side, k, t) in numbered if side == 1]
    pairs = {
        (a, b)
        for a, one, t in left
        for b, other, u in right
        if one is not None
        and one == other
        and joined.lower <= u - t <= joined.upper
        and (a < b or not joined.conditions)
    }
    alone = {(a, None) for a, _, _ in left if joined.keeps[0] and all(a != pair[0] for pair in pairs)}
    alone |= {(None, b) for b, _, _ in right if joined.keeps[1] and all(b != pair[1] for pair in pairs)}
    return pairs | alone


ROWS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["a", "b", None]), st.integers(0, 30)), max_size=14)


@given(
    ROWS,
    st.sampled_from(["INNER", "LEFT", "RIGHT", "FULL"]),
    st.tuples(st.integers(-8, 8), st.integers(0, 10)),
    st.lists(st.integers(1, 5), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_a_join_in_batches_is_the_join_of_all_rows(
    rows: list[Row], kind: str, bounds: tuple[int, int], sizes: list[int], flushes_between: bool, asks_more: bool
) -> None:
    condition = ("<", ("column", "l0"), ("column", "r0"))
    run = Run(settings(kind, bounds[0], bounds[0] + bounds[1], conditions=(condition,) if asks_more else ()))
    rest, turn = list(rows), 0
    while rest:
        size = sizes[turn % len(sizes)]
        run.batch(rest[:size], flush=flushes_between and turn == 1)
        rest, turn = rest[size:], turn + 1
    run.batch([], flush=True)
    assert run.pairs == expected(rows, run.settings)


@given(ROWS, st.sampled_from(["INNER", "LEFT", "FULL"]), st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_in_order_of_time_nothing_waits_longer_than_its_bound(rows: list[Row], kind: str, sizes: list[int]) -> None:
    rows = sorted(rows, key=lambda row: row[2])
    run = Run(settings(kind, delay=0))
    rest, turn = list(rows), 0
    while rest:
        size = sizes[turn % len(sizes)]
        run.batch(rest[:size])
        rest, turn = rest[size:], turn + 1
    run.batch([(0, "z", 100), (1, "z", 200)])
    last = (len(rows), len(rows) + 1)
    assert {pair for pair in run.pairs if not set(pair) & set(last)} == expected(rows, run.settings)
    assert run.batch([(0, "z", 300), (1, "z", 300)]).height >= 1


def test_a_row_that_comes_after_the_watermark_is_a_dead_letter() -> None:
    run = Run(settings(delay=0))
    run.batch([(0, "a", 50), (1, "b", 50)])
    run.batch([(0, "a", 49), (1, "a", 50)])
    assert run.classes["lost"] == 1
    lenient = Run(settings(delay=0, lateness=Lateness(10, LateStrategy.DROP)))
    lenient.batch([(0, "a", 50), (1, "b", 50)])
    assert lenient.batch([(1, "a", 46)]).height == 1


def test_state_goes_when_nothing_can_meet_it_any_more() -> None:
    run = Run(settings(delay=0))
    for time in range(0, 4_000, 10):
        run.batch([(0, "a", time), (1, "b", time)])
    assert len(run.store) < 60
    assert run.classes["unmatched"] > 700


def test_what_a_join_cannot_do_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="apart are none"):
        settings(lower=2, upper=1)
    with pytest.raises(InvalidPlan, match="process_all"):
        settings(lateness=Lateness(1, LateStrategy.PROCESS_ALL))


def test_records_of_two_files_may_stand_at_one_place() -> None:
    run = Run(settings("LEFT"))
    rows = frame([(0, "a", 1), (0, "b", 1), (1, "a", 1)]).with_columns(pl.lit(0, pl.Int64).alias("_offset"))
    told = Facts(tuple(progress_of(rows)), {"l": 1, "r": 1}, bounded=True, flush=True)
    outcome = JoinOperator(run.settings, run.store).process(rows, told)
    assert sorted(outcome.results.select("l0", "r0").iter_rows(), key=str) == [(0, 2), (1, None)]
    assert (outcome.stats.in_results, outcome.stats.open) == (3, 0)
