"""Joins with tables in which rows wait: for a version, for a row that is to come; and what goes on when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from velostream.errors import VeloError
from velostream.windows.facts import Facts, Progress
from velostream.windows.outcome import Outcome
from velostream.windows.store import MemoryStore
from velostream.windows.waiting_join import FROM, GONE, HIT, ORDER, WaitingJoin, WaitingSettings

Version = tuple[str, str, int, bool]


@dataclass
class Table:
    """A table of key and name; with times for those who ask about one."""

    versions: Sequence[Version] = ()
    known: int | None = None

    def watermark(self) -> int | None:
        return self.known

    def rows(self, hashed: int) -> pl.DataFrame:
        schema = {"t0": pl.String, "r0": pl.String, FROM: pl.Int64, GONE: pl.Boolean}
        frame = pl.DataFrame(list(self.versions), schema=schema, orient="row")
        return frame.with_columns(pl.int_range(pl.len()).alias(ORDER)).sort(FROM, ORDER)


class Join:
    """A join over a table that changes; every batch is processed by a new operator over the same store."""

    def __init__(self, table: Table, **settings: Any) -> None:
        self.table = table
        self.settings = WaitingSettings(("k",), ("t0",), ("k",), ("r0",), **settings)
        self.store = MemoryStore()
        self.offset = 0

    def batch(self, *records: tuple[str | None, int], now: int = 0, **facts: Any) -> Outcome:
        rows = pl.DataFrame(
            {
                "k": [key for key, _ in records],
                "at": [time for _, time in records],
                "_event_time": [time for _, time in records],
                "_source": ["s"] * len(records),
                "_partition": [0] * len(records),
                "_offset": range(self.offset, self.offset + len(records)),
                "_hash": [7] * len(records),
                "_record": ["{}"] * len(records),
            },
            schema={
                "k": pl.String, "at": pl.Int64, "_event_time": pl.Int64, "_source": pl.String, "_partition": pl.Int32,
                "_offset": pl.Int64, "_hash": pl.Int64, "_record": pl.String,
            },
        )  # fmt: skip
        self.offset += len(records)
        seen = (Progress("s", 0, max(time for _, time in records)),) if records else ()
        join = WaitingJoin(self.settings, self.table, self.store)
        return join.process(rows, Facts(progress=seen, now=now, **facts))


def found(outcome: Outcome) -> list[tuple[str, str | None]]:
    frame = outcome.results
    return list(frame.select("k", "r0").iter_rows()) if "r0" in frame.columns else []


def test_a_row_that_finds_nothing_waits_until_the_table_has_it() -> None:
    join = Join(Table(), tries=3, delay=10)
    first = join.batch(("a", 1), now=100)
    assert (found(first), first.stats.open, first.next_tick) == ([], 1, 110)
    join.table.versions = [("a", "Alpha", 0, False)]
    assert found(join.batch(now=109)) == []
    last = join.batch(now=110)
    assert (found(last), last.stats.open, last.stats.in_results) == ([("a", "Alpha")], 0, 1)
    assert first.stats.joined + last.stats.joined == {"retried": 1, "matched": 1}


@pytest.mark.parametrize(("outer", "rows"), [(True, [("a", None)]), (False, [])])
def test_after_the_last_try_a_row_goes_as_the_join_says(outer: bool, rows: list[tuple[str, None]]) -> None:
    join = Join(Table(), tries=2, delay=10, outer=outer, counts="" if outer else "skipped")
    for now in (0, 10):
        assert found(join.batch(*([("a", 1)] if not now else []), now=now)) == []
    last = join.batch(now=20)
    assert found(last) == rows
    assert (last.stats.in_results, last.stats.unmatched, last.stats.open) == ((1, 0, 0) if outer else (0, 1, 0))
    assert +last.stats.joined == {"missing": 1} | ({} if outer else {"skipped": 1})


def test_a_flush_lets_all_go_that_wait() -> None:
    join = Join(Table(), tries=5, delay=1_000, outer=True)
    join.batch(("a", 1), now=0)
    assert found(join.batch(now=1, flush=True)) == [("a", None)]


def test_rows_that_wait_hold_what_is_above_them() -> None:
    join = Join(Table([("b", "Beta", 0, False)]), tries=1, delay=10)
    first = join.batch(("a", 5), ("b", 50), now=0)
    assert (first.stats.watermark, first.outgoing) == (50, 5)
    assert join.batch(now=10).outgoing == 50


def test_a_row_takes_the_version_that_held_at_its_time() -> None:
    table = Table([("a", "old", 10, False), ("a", "new", 20, False), ("a", "", 30, True)], known=100)
    join = Join(table, as_of="at", outer=True)
    outcome = join.batch(("a", 9), ("a", 10), ("a", 19), ("a", 20), ("a", 30), (None, 20))
    assert found(outcome) == [("a", None), ("a", "old"), ("a", "old"), ("a", "new"), (None, None), ("a", None)]
    assert outcome.results[HIT].to_list() == [False, True, True, True, False, False]
    assert +outcome.stats.joined == {"matched": 3, "missing": 3}


def test_of_two_versions_of_one_time_the_later_one_holds() -> None:
    table = Table([("a", "first", 10, False), ("a", "second", 10, False)], known=100)
    assert found(Join(table, as_of="at").batch(("a", 15))) == [("a", "second")]


def test_a_row_waits_until_the_table_has_come_to_its_time() -> None:
    join = Join(Table([("a", "old", 10, False)], known=15), as_of="at")
    first = join.batch(("a", 12), ("a", 30))
    assert (found(first), first.stats.open, first.outgoing) == ([("a", "old")], 1, 30)
    join.table = Table([*join.table.versions, ("a", "new", 25, False)], known=29)
    assert found(join.batch()) == []
    join.table.known = 30
    assert found(join.batch()) == [("a", "new")]


def test_where_the_input_ends_nothing_waits_for_the_table() -> None:
    join = Join(Table([("a", "old", 10, False)]), as_of="at")
    assert found(join.batch(("a", 12), bounded=True)) == [("a", "old")]


def test_a_row_that_meets_several_is_counted_once() -> None:
    table = Table([("a", "one", 0, False), ("a", "two", 0, False)])
    outcome = Join(table, tries=1, delay=1).batch(("a", 1))
    assert found(outcome) == [("a", "one"), ("a", "two")]
    assert (outcome.stats.in_results, outcome.stats.multiplied, outcome.stats.joined["matched"]) == (2, 1, 1)


def test_conditions_decide_whether_a_row_is_found() -> None:
    condition = ("<>", ("column", "r0"), ("value", "Alpha"))
    join = Join(Table([("a", "Alpha", 0, False)]), tries=1, delay=10, conditions=(condition,))
    assert found(join.batch(("a", 1))) == []
    join.table.versions = [("a", "Alpha", 0, False), ("a", "Alef", 0, False)]
    assert found(join.batch(now=10)) == [("a", "Alef")]


def test_a_row_that_must_be_found_is_named() -> None:
    with pytest.raises(VeloError, match="the join with 't' found no row for 'b'") as failure:
        Join(Table([("a", "Alpha", 0, False)], known=10), as_of="at", fails="t").batch(("a", 1), ("b", 2))
    assert failure.value.error_code == "no-match"


def test_state_of_another_join_is_refused() -> None:
    join = Join(Table(), tries=1, delay=10)
    join.batch(("a", 1))
    other = WaitingSettings(("k",), ("t0",), ("k",), ("r0",), as_of="at")
    with pytest.raises(VeloError, match="versions was 'by newest version' and is 'by time' now"):
        WaitingJoin(other, join.table, join.store)
