from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, Run, frame, settings, short

from velostream.errors import EmissionConflict, InvalidWindow
from velostream.types import BIGINT, DOUBLE, Type, decimal
from velostream.windows.accumulators.base import Call
from velostream.windows.assigners import Session, Sliding, Tumbling
from velostream.windows.emission import emission
from velostream.windows.lateness import Lateness
from velostream.windows.settings import Fill
from velostream.windows.watermark import WatermarkSettings

ROW = ("_window_start", "n", "total", "_filled", "_emission", "_revision")


def run_of(fill: Fill, **more: Any) -> Run:
    return Run(settings(more.pop("window", Tumbling(10)), fill=fill, **more))


def points(*pairs: tuple[int, int]) -> list[Record]:
    return [Record(time, "a", value, offset=time) for time, value in pairs]


@pytest.mark.parametrize(
    ("fill", "values"),
    [(Fill.ZERO, [(0, 0), (0, 0)]), (Fill.FORWARD, [(1, 10), (1, 10)]), (Fill.LINEAR, [(1, 20), (1, 30)])],
)
def test_the_windows_between_two_are_said_when_the_later_one_fires(fill: Fill, values: list[tuple[int, int]]) -> None:
    run = run_of(fill)
    run.batch(*points((5, 10), (35, 40)))
    assert short(run.rows, "_window_start", "_filled") == [(0, False)]
    rows = run.batch(*points((90, 1)))
    assert short(rows, "_window_start", "n", "total", "_filled") == [
        (10, *values[0], True),
        (20, *values[1], True),
        (30, 1, 40, False),
    ]
    assert short(rows, "_event_count") == [(0,), (0,), (1,)]
    assert run.total("in_results") == 2


@pytest.mark.parametrize("step", [1, 5])
def test_a_gap_longer_than_the_time_to_live_is_left_empty(step: int) -> None:
    times = [5, 35, 66, 140]  # gaps of two windows, of two, of six; each record alone in a batch, or all in one
    run = run_of(Fill.ZERO, ttl=20)
    for first in range(0, len(times), step):
        run.batch(*points(*((time, 1) for time in times[first : first + step])))
    run.flush()
    assert [start for start, filled in short(run.rows, "_window_start", "_filled") if filled] == [10, 20, 40, 50]


def test_a_group_that_is_silent_for_longer_than_its_time_to_live_is_forgotten() -> None:
    run = run_of(Fill.ZERO, ttl=20)
    for time in range(1, 3_000, 10):
        run.batch(Record(time, f"only {time}", offset=time))
    held = run.outcomes[-1].stats.state_rows
    assert held < 50, held


@pytest.mark.parametrize(
    ("kind", "dtype", "ends", "middle"),
    [
        (decimal(12, 2), pl.Decimal(12, 2), (Decimal("1.00"), Decimal("2.01")), Decimal("1.51")),
        (decimal(38, 2), pl.Decimal(38, 2), (Decimal(10**36 - 1), Decimal(1 - 10**36)), Decimal("0.00")),
        (BIGINT, pl.Int64, (2**63 - 1, 2**63 - 1), 2**63 - 1),
        (BIGINT, pl.Int64, (2**53 + 1, 2**53 + 3), 2**53 + 2),
        (DOUBLE, pl.Float64, (1.0, 2.0), 1.5),
    ],
)
def test_what_lies_on_a_line_is_as_exact_as_its_type(
    kind: Type, dtype: Any, ends: tuple[Any, Any], middle: Any
) -> None:
    run = run_of(Fill.LINEAR, calls=(Call("most", "max", ("value",), (kind,)),))
    rows = frame(points((5, 0), (25, 0), (90, 0)))
    run.batch(more=rows.with_columns(pl.Series("value", [*ends, ends[0]], dtype=dtype)))
    assert short(run.rows, "_window_start", "most") == [(0, ends[0]), (10, middle), (20, ends[1])]


def test_nothing_is_filled_before_the_first_or_after_the_last() -> None:
    run = run_of(Fill.ZERO)
    run.batch(*points((55, 1)))
    run.batch(Record(200, "b"))
    run.flush()
    assert short(run.rows, "key", "_window_start") == [("a", 50), ("b", 200)]


def test_a_late_window_in_a_gap_takes_the_place_of_its_filled_row_and_corrects_those_around() -> None:
    run = run_of(Fill.LINEAR, lateness=Lateness(1_000))
    run.batch(*points((5, 0), (45, 40), (50, 0)))
    assert short(run.rows, "_window_start", "total") == [(0, 0), (10, 10), (20, 20), (30, 30), (40, 40)]
    rows = run.batch(*points((25, 100)))
    assert short(rows, *ROW) == [
        (10, 1, 50, True, "late", 2),
        (20, 1, 100, False, "late", 2),
        (30, 1, 70, True, "late", 2),
    ]
    assert short(run.batch(*points((26, 1))), *ROW)[1] == (20, 2, 101, False, "late", 3)


def test_fill_is_refused_where_there_is_nothing_between() -> None:
    with pytest.raises(InvalidWindow, match="fill"):
        run_of(Fill.ZERO, window=Session(5))
    with pytest.raises(EmissionConflict, match="fill"):
        run_of(Fill.ZERO, emission=emission("CHANGES"))


records = st.lists(st.lists(st.tuples(st.integers(0, 120), st.sampled_from("ab")), max_size=5), max_size=5)


@pytest.mark.parametrize("window", [Tumbling(10), Sliding(10, 5)], ids=["tumbling", "sliding"])
@hypothesis_settings(max_examples=15, phases=[Phase.generate])
@given(records, st.sampled_from(list(Fill)))
def test_the_newest_rows_do_not_depend_on_order(window: Any, batches: list[list[tuple[int, str]]], fill: Fill) -> None:
    def final(run: Run, parts: list[list[tuple[int, str]]]) -> dict[Any, Any]:
        for number, part in enumerate(parts):
            run.batch(*(Record(time, key, time, offset=number * 100 + n) for n, (time, key) in enumerate(part)))
        run.flush()
        newest: dict[Any, Any] = {}
        for row in run.rows:
            identity = (row["key"], row["_window_start"])
            assert identity not in newest or newest[identity][0] < row["_revision"]
            newest[identity] = (row["_revision"], row["n"], row["total"], row["_filled"])
        return {identity: row[1:] for identity, row in newest.items()}

    late = final(run_of(fill, window=window, lateness=Lateness(1_000)), batches)
    once = final(run_of(fill, window=window, watermark=WatermarkSettings(max_out_of_orderness=1_000)), batches)
    assert late == once
