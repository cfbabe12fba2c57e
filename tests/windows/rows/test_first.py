"""The first rows: of each partition by event time, and of all that come."""

from __future__ import annotations

from functools import partial

import pytest
from tests.windows.driving import Record, frame, short

from velostream.windows.dedup import DedupOperator, DedupSettings
from velostream.windows.facts import Facts, progress_of
from velostream.windows.rows import RowCall, RowFunction, RowSettings
from velostream.windows.rows.first import FirstRows
from velostream.windows.rows.limiting import LimitOperator
from velostream.windows.store import MemoryStore
from velostream.windows.watermark import WatermarkSettings


def test_the_first_of_a_partition_goes_out_behind_the_watermark_and_the_others_count_too() -> None:
    settings = RowSettings(("key",), (RowCall("number", RowFunction.ROW_NUMBER),))
    store, rows, counted = MemoryStore(), [], 0
    for batch in ([Record(5, value=1), Record(2, value=2)], [Record(9, "b", 3), Record(8, value=4)], None):
        table = frame(batch or [])
        facts = Facts(tuple(progress_of(table)), flush=batch is None)
        outcome = FirstRows(settings, 1, store).process(table, facts)
        rows += outcome.results.to_dicts()
        counted += outcome.stats.in_results
    assert short(rows, "key", "value") == [("a", 2), ("b", 3)]
    assert counted == 4


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1), (5,), (2, 3)])
def test_a_limit_lets_exactly_so_many_rows_through_and_says_when_it_is_done(sizes: tuple[int, ...]) -> None:
    store, passed, number = MemoryStore(), [], 0
    for size in sizes:
        records = [Record(number + place, value=number + place, offset=number + place) for place in range(size)]
        number += size
        outcome = LimitOperator(3, WatermarkSettings(), store).process(frame(records), Facts())
        passed += outcome.results["value"].to_list()
        assert outcome.stats.in_results == size
        assert outcome.done == (len(passed) == 3)
    assert passed == [0, 1, 2]


def test_nothing_passes_a_limit_of_zero() -> None:
    outcome = LimitOperator(0, WatermarkSettings(), MemoryStore()).process(frame([Record(1)]), Facts())
    assert outcome.results.is_empty()
    assert outcome.done


def test_deduplication_as_a_step_passes_first_records_on_and_the_watermark_as_it_is() -> None:
    step, store = partial(DedupOperator, DedupSettings(("value",)), WatermarkSettings()), MemoryStore()
    records = frame([Record(9, value=1), Record(4, value=1), Record(2, value=None), Record(3, value=None)])
    outcome = step(store).process(records, Facts(tuple(progress_of(records))))
    assert outcome.results["_event_time"].to_list() == [2, 3, 4]
    assert (outcome.stats.duplicates, outcome.stats.in_results, outcome.stats.watermark) == (1, 3, 9)
    again = step(store).process(frame([Record(20, value=1)]), Facts())
    assert again.results.is_empty()
    assert again.stats.duplicates == 1


def test_distinct_takes_nulls_for_equal() -> None:
    step, store = (
        partial(DedupOperator, DedupSettings(("value",), nulls_equal=True), WatermarkSettings()),
        MemoryStore(),
    )
    for expected in (1, 0):
        outcome = step(store).process(frame([Record(2, value=None), Record(3, value=None)]), Facts())
        assert outcome.results.height == expected
