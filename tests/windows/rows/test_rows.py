"""Row windows by example, and against plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, frame, short

from velostream.errors import InvalidWindow
from velostream.types import BIGINT
from velostream.windows.accumulators.base import Call, Sort
from velostream.windows.facts import Facts, progress_of
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.outcome import Outcome
from velostream.windows.rows import (
    BufferOperator,
    Emit,
    Frame,
    OverOperator,
    RowCall,
    RowFunction,
    RowSettings,
    Unit,
)
from velostream.windows.store import MemoryStore
from velostream.windows.watermark import WatermarkSettings

F = RowFunction
SUM = (Call("total", "sum", ("value",), (BIGINT,)), Call("n", "count"))
LOOKING = (F.LAG, F.LEAD, F.FIRST_VALUE, F.LAST_VALUE, F.NTH_VALUE)
ALL = (
    *(RowCall(f.value.lower(), f, "value", 2 if f in (F.NTH_VALUE, F.NTILE) else 1) for f in F),
    *(RowCall(f"{f.value.lower()}_known", f, "value", 2, ignore_nulls=True) for f in LOOKING),
)
STANDARD = tuple(call for call in ALL if not call.function.needs_all)
QUICK = hypothesis_settings(max_examples=30, phases=[Phase.explicit, Phase.generate])


class Job:
    def __init__(self, settings: RowSettings) -> None:
        self.settings, self.store, self.outcomes = settings, MemoryStore(), list[Outcome]()

    def batch(self, *records: Record, **facts: Any) -> list[dict[str, Any]]:
        rows = frame(records)
        kind = OverOperator if self.settings.buffer is None else BufferOperator
        timed = rows.filter(pl.col("_event_time").is_not_null())
        outcome = kind(self.settings, self.store).process(rows, Facts(tuple(progress_of(timed)), **facts))
        before = self.outcomes[-1].stats.open if self.outcomes else 0
        assert outcome.stats.read == outcome.stats.accounted + outcome.stats.open - before
        self.outcomes.append(outcome)
        return outcome.results.to_dicts()

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for outcome in self.outcomes for row in outcome.results.to_dicts()]


def points(*pairs: tuple[int, int], key: str = "a") -> list[Record]:
    return [Record(time, key, value, offset=time) for time, value in pairs]


def test_standard_over_waits_for_the_watermark_and_answers_in_event_order() -> None:
    job = Job(RowSettings(("key",), (RowCall("before", F.LAG, "value"),)))
    assert job.batch(*points((5, 50), (3, 30))) == short_rows(job, (3, 30, None))
    assert job.batch(*points((9, 90), (6, 60))) == short_rows(job, (5, 50, 30), (6, 60, 50))
    assert job.batch(flush=True) == short_rows(job, (9, 90, 60))


def short_rows(job: Job, *expected: tuple[Any, ...]) -> list[dict[str, Any]]:
    rows = job.outcomes[-1].results.to_dicts()
    assert short(rows, "_event_time", "value", "before") == list(expected)
    return rows


def test_lead_waits_for_the_next_row_or_the_flush() -> None:
    job = Job(RowSettings(("key",), (RowCall("next", F.LEAD, "value"),)))
    job.batch(*points((1, 10), (2, 20), (3, 30)))
    assert short(job.rows, "value", "next") == [(10, 20)]
    job.batch(*points((4, 40)))
    assert short(job.rows, "value", "next") == [(10, 20), (20, 30)]
    job.batch(flush=True)
    assert short(job.rows, "value", "next")[-2:] == [(30, 40), (40, None)]


def test_a_row_that_comes_after_its_place_is_too_late() -> None:
    job = Job(RowSettings(("key",), (RowCall("number", F.ROW_NUMBER),)))
    job.batch(*points((5, 1)))
    job.batch(*points((4, 1)))
    assert job.outcomes[-1].stats.dead_lettered == {"too_late": 1}
    assert job.outcomes[-1].letters["_lateness"].to_list() == [1]
    job.batch(flush=True)
    job.batch(*points((5, 1)))
    assert job.outcomes[-1].letters["_event_time"].to_list() == [5]


def test_a_default_stands_where_there_is_no_row() -> None:
    job = Job(RowSettings(("key",), (RowCall("before", F.LAG, "value", 1, "value"),)))
    job.batch(*points((1, 10), (2, 20)))
    job.batch(flush=True)
    assert short(job.rows, "before") == [(10,), (10,)]


def test_a_buffer_answers_at_arrival_over_its_last_rows() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=2))
    assert short(job.batch(*points((1, 10), (2, 20), (3, 30))), "total", "n") == [(10, 1), (30, 2), (50, 2)]
    assert short(job.batch(*points((4, 40))), "total", "n") == [(70, 2)]
    assert job.outcomes[-1].stats.state_rows <= 4


def test_a_row_older_than_the_whole_buffer_is_late_and_one_within_takes_its_place() -> None:
    job = Job(RowSettings(("key",), (RowCall("before", F.LAG, "value"),), SUM, buffer=3))
    job.batch(*points((10, 1), (20, 2), (30, 3)))
    assert short(job.batch(*points((25, 9))), "total", "before") == [(14, 2)]
    job.batch(*points((15, 7)))
    assert job.outcomes[-1].stats.dead_lettered == {"too_late": 1}
    assert short(job.batch(*points((40, 1))), "total") == [(13,)]


def test_late_rows_may_be_dropped_by_choice() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=1, lateness=Lateness(0, LateStrategy.DROP)))
    job.batch(*points((10, 1)))
    job.batch(*points((5, 1)))
    assert job.outcomes[-1].stats.dropped == {"too_late": 1}


def test_rows_expire_by_event_time() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=10, expire_after=5))
    assert short(job.batch(*points((0, 1), (5, 2), (6, 4), (20, 8))), "total") == [(1,), (3,), (6,), (8,)]


def test_on_buffer_full_says_nothing_until_then() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=3, emit=Emit.ON_BUFFER_FULL))
    job.batch(*points((1, 1), (2, 2)))
    assert job.rows == []
    assert job.outcomes[-1].stats.open == 2
    assert short(job.batch(*points((3, 4))), "total") == [(7,)]
    assert job.outcomes[-1].stats.open == 0


def test_what_expires_before_the_buffer_is_full_was_dropped_by_choice() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=3, expire_after=5, emit=Emit.ON_BUFFER_FULL))
    job.batch(*points((1, 1), (2, 2)))
    job.batch(*points((100, 1)))
    assert job.outcomes[-1].stats.dropped == {"buffer_expired": 2}


def test_a_key_that_stays_silent_lets_go_of_what_waits_for_a_full_buffer() -> None:
    #  0    5    10        a is heard of at 2 and expires after 5: nobody sees its rows once the watermark is at 12
    #    a              b
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=3, expire_after=5, emit=Emit.ON_BUFFER_FULL))
    job.batch(*points((1, 1), (2, 2)))
    job.batch(*points((13, 1), key="b"))
    assert job.outcomes[-1].stats.dropped == {}
    job.batch(*points((14, 1), key="b"))
    assert job.outcomes[-1].stats.dropped == {"buffer_expired": 2}
    assert job.outcomes[-1].stats.open == 2
    assert short(job.batch(*points((15, 1), key="b")), "total") == [(3,)]


def test_keys_that_stay_silent_take_no_room_whatever_they_waited_for() -> None:
    waiting = (
        RowSettings(("key",), aggregates=SUM, buffer=3, expire_after=5, emit=Emit.ON_BUFFER_FULL),
        RowSettings(("key",), aggregates=SUM, buffer=3, ttl=10, emit=Emit.ON_BUFFER_FULL),
        RowSettings(("key",), (RowCall("next", F.LEAD, "value"),), ttl=10),
    )
    for settings in waiting:
        job = Job(settings)
        for time in range(300):
            job.batch(*points((time, 1), key=f"k{time}"))
        stats = job.outcomes[-1].stats
        assert stats.open < 15
        assert stats.state_rows < 100


def test_a_row_that_waits_for_the_next_one_is_dropped_with_its_silent_key() -> None:
    job = Job(RowSettings(("key",), (RowCall("next", F.LEAD, "value"),), ttl=10))
    job.batch(*points((1, 1)))
    job.batch(*points((20, 1), key="b"))
    assert job.outcomes[-1].outgoing == 1
    job.batch(*points((21, 1), key="b"))
    assert job.outcomes[-1].stats.dropped == {"state_ttl": 1}
    assert (job.outcomes[-1].stats.expired_groups, job.outcomes[-1].outgoing) == (1, 20)


def test_state_of_a_time_before_silence_was_looked_for_is_let_go_too() -> None:
    settings = RowSettings(("key",), aggregates=SUM, buffer=3, emit=Emit.ON_BUFFER_FULL)
    job = Job(settings)
    job.batch(*points((1, 1), (2, 2)))
    job.settings = replace(settings, expire_after=5)
    job.batch(*points((30, 1), key="b"))
    job.batch(*points((31, 1), key="b"))
    assert job.outcomes[-1].stats.dropped == {"buffer_expired": 2}


def test_a_record_without_a_time_is_a_dead_letter() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=3))
    job.batch(Record(None), Record(1))
    assert job.outcomes[-1].stats.dead_lettered == {"no_event_time": 1}


def test_an_overflow_fails_its_row_alone() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=2))
    most = (1 << 63) - 1
    rows = job.batch(*points((1, most), (2, 1), (3, 2)))
    assert short(rows, "_event_time", "total") == [(1, most), (3, 3)]
    assert job.outcomes[-1].failures["_event_time"].to_list() == [2]
    assert (job.outcomes[-1].stats.in_results, job.outcomes[-1].stats.dead_lettered) == (2, {"failed_group": 1})


@pytest.mark.parametrize(
    "wrong",
    [
        {"buffer": 0},
        {"buffer": 5, "expire_after": 0},
        {"calls": (RowCall("x", F.NTILE),)},
        {"frame": Frame(Unit.ROWS, -1, 1), "aggregates": SUM},
        {"expire_after": 5},
        {"emit": Emit.ON_BUFFER_FULL},
        {"by_time": False},
        {"lateness": Lateness(5)},
        {"lateness": Lateness(0, LateStrategy.PROCESS_ALL)},
    ],
)
def test_what_a_stream_cannot_answer_is_refused_with_a_way_out(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidWindow) as refusal:
        RowSettings(("key",), **wrong)
    assert refusal.value.hint
    assert refusal.value.error_code == "row-window"


def test_a_frame_that_ends_before_it_begins_and_a_number_below_one_are_refused() -> None:
    with pytest.raises(InvalidWindow, match="ends before"):
        Frame(Unit.ROWS, 1, -1)
    with pytest.raises(InvalidWindow, match="at least 1"):
        RowCall("x", F.LAG, "value", 0)


# ---- against plain Python -----------------------------------------------------------------------------------------


def answers(
    seen: Sequence[Record], at: int, frame: Frame | None, calls: Sequence[RowCall], *, whole: bool
) -> dict[str, Any]:
    """All functions of the row `at` among sorted rows, one by one."""
    me = seen[at]
    low, high = bounds(seen, at, frame, whole=whole)
    inside = list(seen[low : high + 1]) if low <= high else []
    smaller = [r for r in seen if r.time < me.time]  # type: ignore[operator]
    same = [r for r in seen if r.time == me.time]
    values = [r.value for r in inside if r.value is not None]
    table: dict[F, Callable[[RowCall], Any]] = {
        F.LAG: lambda c: nth(seen[:at], -c.number, c),
        F.LEAD: lambda c: nth(seen[at + 1 :], c.number - 1, c),
        F.ROW_NUMBER: lambda c: at + 1,
        F.RANK: lambda c: len(smaller) + 1,
        F.DENSE_RANK: lambda c: len({r.time for r in smaller}) + 1,
        F.PERCENT_RANK: lambda c: len(smaller) / (len(seen) - 1) if len(seen) > 1 else 0.0,
        F.CUME_DIST: lambda c: (len(smaller) + len(same)) / len(seen),
        F.NTILE: lambda c: tile(len(seen), c.number, at),
        F.FIRST_VALUE: lambda c: nth(inside, 0, c),
        F.LAST_VALUE: lambda c: nth(inside, -1, c),
        F.NTH_VALUE: lambda c: nth(inside, c.number - 1, c),
    }
    found = {call.result: table[call.function](call) for call in calls}
    return {**found, "total": sum(values) if values else None, "n": len(inside)}


def nth(rows: Sequence[Record], place: int, call: RowCall) -> int | None:
    values = [r.value for r in rows if r.value is not None or not call.ignore_nulls]
    return values[place] if -len(values) <= place < len(values) else None


def tile(rows: int, tiles: int, at: int) -> int:
    sizes = [rows // tiles + (1 if number < rows % tiles else 0) for number in range(tiles)]
    return next(number + 1 for number in range(tiles) if at < sum(sizes[: number + 1]))


def bounds(seen: Sequence[Record], at: int, frame: Frame | None, *, whole: bool) -> tuple[int, int]:
    last = len(seen) - 1
    if frame is None:
        if whole:
            return 0, last
        frame = Frame(Unit.RANGE, None, 0)
    if frame.unit is Unit.ROWS:
        low = 0 if frame.start is None else max(0, at + frame.start)
        return low, last if frame.end is None else min(last, at + frame.end)
    time = seen[at].time
    inside = [
        number
        for number, row in enumerate(seen)
        if (frame.start is None or row.time >= time + frame.start)
        and (frame.end is None or row.time <= time + frame.end)  # type: ignore[operator]
    ]
    return (inside[0], inside[-1]) if inside else (1, 0)


def position(record: Record) -> tuple[Any, ...]:
    return (record.time, record.partition, record.offset)


records = st.builds(
    Record,
    time=st.integers(0, 20),
    key=st.sampled_from(["a", "b", None]),
    value=st.one_of(st.none(), st.integers(0, 9)),
)
runs = st.lists(st.lists(records, max_size=7), max_size=5)
frames = st.sampled_from(
    [
        None,
        Frame(Unit.ROWS, None, 0),
        Frame(Unit.ROWS, -2, 0),
        Frame(Unit.ROWS, -3, -1),
        Frame(Unit.ROWS, None, -2),
        Frame(Unit.RANGE, -4, 0),
        Frame(Unit.RANGE, -6, -2),
        Frame(Unit.RANGE, None, -3),
    ]
)


def numbered(batches: list[list[Record]]) -> list[list[Record]]:
    number = iter(range(10_000))
    return [[replace(record, offset=next(number)) for record in batch] for batch in batches]


def check(row: dict[str, Any], expected: dict[str, Any]) -> None:
    assert {name: row[name] for name in expected} == pytest.approx(expected)


@QUICK
@given(runs, frames)
def test_standard_over_equals_batch(batches: list[list[Record]], window: Frame | None) -> None:
    batches = numbered(batches)
    late = WatermarkSettings(max_out_of_orderness=8)
    job = Job(RowSettings(("key",), STANDARD, SUM, window, watermark=late))
    for batch in batches:
        job.batch(*batch)
    job.batch(flush=True)
    lost = {
        letter for outcome in job.outcomes if outcome.letters.height for letter in outcome.letters["_offset"].to_list()
    }
    by_key: dict[Any, list[Record]] = defaultdict(list)
    for record in sorted((r for batch in batches for r in batch if r.offset not in lost), key=position):
        by_key[record.key].append(record)
    rows = {row["_offset"]: row for row in job.rows}
    assert len(rows) == len(job.rows) == sum(map(len, by_key.values()))
    for own in by_key.values():
        for at, record in enumerate(own):
            check(rows[record.offset], answers(own, at, window, STANDARD, whole=False))


whole_frames = st.sampled_from(
    [None, Frame(Unit.ROWS, -2, 0), Frame(Unit.ROWS, -1, 1), Frame(Unit.RANGE, -4, 0), Frame(Unit.RANGE, 0, None)]
)


@QUICK
@given(runs, whole_frames, st.sampled_from([None, 3, 6]))
def test_a_buffer_equals_a_list_in_plain_python(
    batches: list[list[Record]], window: Frame | None, expiry: int | None
) -> None:
    batches = numbered(batches)
    job = Job(RowSettings(("key",), ALL, SUM, window, buffer=3, expire_after=expiry))
    held: dict[Any, list[Record]] = defaultdict(list)
    for batch in batches:
        before = job.outcomes[-1].stats.watermark if job.outcomes else None
        if expiry is not None and before is not None:  # keys that were silent for twice as long are forgotten
            for key in [key for key, own in held.items() if own[-1].time <= before - 2 * expiry]:  # type: ignore[operator]
                del held[key]
        rows = {row["_offset"]: row for row in job.batch(*batch)}
        letters = job.outcomes[-1].letters
        lost = set(letters["_offset"].to_list()) if letters.height else set()
        for record in sorted(batch, key=position):
            own = sorted([*held[record.key], record], key=position)[-3:]
            own = [r for r in own if expiry is None or r.time >= own[-1].time - expiry]  # type: ignore[operator]
            held[record.key] = own
            assert (record.offset in lost) == (record not in own)
            if record in own:
                check(rows[record.offset], answers(own, own.index(record), window, ALL, whole=True))


def test_each_function_has_its_own_frame() -> None:
    two, all_rows = Frame(Unit.ROWS, -1, 0), Frame(Unit.ROWS, None, 0)
    calls = (RowCall("first", F.FIRST_VALUE, "value"),)
    job = Job(RowSettings(("key",), calls, SUM, frames={"total": two, "n": all_rows, "first": two}))
    job.batch(*points((1, 10), (2, 20), (3, 30)))
    job.batch(flush=True)
    assert short(job.rows, "total", "n", "first") == [(10, 1, 10), (30, 2, 10), (50, 3, 20)]


def test_rows_of_one_time_are_ordered_by_what_else_is_said() -> None:
    down = (Sort("value", BIGINT, descending=True),)
    job = Job(RowSettings(("key",), (RowCall("rank", F.RANK), RowCall("before", F.LAG, "value")), order=down))
    job.batch(Record(1, value=5, offset=1), Record(1, value=9, offset=2), Record(1, value=9, offset=3))
    job.batch(flush=True)
    by_offset = sorted(job.rows, key=lambda row: row["_offset"])
    assert short(by_offset, "rank", "before") == [(3, 9), (1, None), (1, 9)]


def test_a_row_that_waits_for_a_later_one_holds_the_watermark_that_is_given_on() -> None:
    job = Job(RowSettings(("key",), (RowCall("next", F.LEAD, "value"),)))
    job.batch(*points((1, 10), (5, 20)))
    assert job.outcomes[-1].outgoing == 1
    job.batch(*points((8, 30)))
    assert job.outcomes[-1].outgoing == 5
    job.batch(flush=True)
    assert job.outcomes[-1].outgoing == 8


def test_a_key_that_is_silent_for_its_time_to_live_begins_anew() -> None:
    job = Job(RowSettings(("key",), (RowCall("number", F.ROW_NUMBER),), ttl=10))
    job.batch(*points((1, 1)), Record(5, "b", offset=5))
    job.batch(Record(30, "b", offset=30))
    job.batch(*points((31, 1)), Record(32, "b", offset=32))
    job.batch(flush=True)
    assert [(row["key"], row["_event_time"], row["number"]) for row in job.rows][-2:] == [("a", 31, 1), ("b", 32, 2)]


def test_a_silent_key_whose_rows_have_expired_leaves_the_state() -> None:
    job = Job(RowSettings(("key",), aggregates=SUM, buffer=3, expire_after=5))
    for number in range(1000, 1060):  # keys that are silent after their first row
        job.batch(Record(100 * number, f"key {number}", offset=number))
    bytes_kept = [outcome.stats.state_bytes for outcome in job.outcomes]
    assert max(bytes_kept[30:]) <= max(bytes_kept[:30])


@QUICK
@given(runs, st.sampled_from([None, Frame(Unit.ROWS, -1, 0), Frame(Unit.RANGE, -2, 1), Frame(Unit.RANGE, 0, None)]))
def test_a_buffer_may_have_another_order_than_that_of_time(batches: list[list[Record]], window: Frame | None) -> None:
    batches = numbered(batches)
    by_value = (Sort("value", BIGINT),)
    job = Job(RowSettings(("key",), ALL, SUM, window, buffer=3, order=by_value, by_time=False))
    held: dict[Any, list[Record]] = defaultdict(list)
    for batch in batches:
        rows = {row["_offset"]: row for row in job.batch(*batch)}
        for record in sorted(batch, key=position):
            own = held[record.key] = sorted([*held[record.key], record], key=position)[-3:]
            if record in own:
                ranked = sorted(own, key=lambda r: (-99 if r.value is None else r.value, position(r)))
                as_times = [replace(r, time=-99 if r.value is None else r.value) for r in ranked]
                check(rows[record.offset], answers(as_times, ranked.index(record), window, ALL, whole=True))
