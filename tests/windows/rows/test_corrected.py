"""Row windows over rows that are corrected: what a reader holds at the end is what a batch query answers."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.windows.driving import Record, frame, short
from tests.windows.rows.standing import Job, Row
from tests.windows.rows.test_rows import ALL, QUICK, STANDARD, SUM, F, answers, check, frames

from velostream.types import BIGINT
from velostream.windows.accumulators.base import Sort
from velostream.windows.facts import Facts, progress_of
from velostream.windows.lateness import Lateness
from velostream.windows.rows import (
    CorrectedBuffer,
    CorrectingOver,
    Due,
    Emit,
    Frame,
    RowCall,
    RowSettings,
    Standing,
    StandingSettings,
    Unit,
    WholePartition,
)
from velostream.windows.store import MemoryStore

BEFORE = (RowCall("before", F.LAG, "value"),)
ROW = ("_origin", "value", "before", "_emission", "_revision")
NO_LEAD = tuple(call for call in STANDARD if call.function is not F.LEAD)


def standing(what: RowSettings, **more: Any) -> Job:
    answer = CorrectedBuffer(what) if what.buffer is not None else WholePartition(what)
    return Job(partial(Standing, StandingSettings(answer, ("key", "value"), ("key",), **more)))


def correcting(allowed: int, calls: Any = BEFORE, aggregates: Any = (), frame: Frame | None = None) -> Job:
    what = RowSettings(("key",), calls, aggregates, frame, corrects=True, lateness=Lateness(allowed))
    return Job(partial(CorrectingOver, what, ("key", "value"), ""))


def test_rows_that_may_be_corrected_are_forgotten_after_their_time_to_live() -> None:
    what = RowSettings(("key",), BEFORE, corrects=True, ttl=10)
    job = Job(partial(CorrectingOver, what, ("key", "value"), ""))
    job.batch(Row("a", 1, 10), Row("b", 2, 20), watermark=5)
    job.batch(Row("c", 9, 30), Row("x", 9, 1, key="other"), watermark=12)
    job.batch(Row("y", 22, 2, key="other"), watermark=25)
    job.batch(Row("d", 31, 40), Row("z", 32, 3, key="other"), watermark=33)
    job.batch(flush=True)
    said = {row["_origin"]: row["before"] for row in job.rows}
    assert said == {"a": None, "b": 10, "c": 20, "d": None, "x": None, "y": 1, "z": 2}


def test_a_correction_in_a_buffer_is_said_again_with_the_rows_that_looked_at_it() -> None:
    job = standing(RowSettings(("key",), BEFORE, buffer=2, corrects=True))
    job.batch(Row("a", 1, 10), Row("b", 2, 20))
    assert short(job.batch(Row("a", 1, 11, revision=2)), *ROW) == [
        ("a", 11, None, "change", 2),
        ("b", 20, 11, "change", 2),
    ]
    assert short(job.batch(Row("a", 1, 11, revision=2, gone=True)), *ROW) == [
        ("a", 11, None, "retract", 2),
        ("b", 20, None, "change", 3),
    ]


def test_what_comes_after_a_whole_buffer_is_late_and_so_is_a_correction_far_back() -> None:
    job = standing(RowSettings(("key",), BEFORE, buffer=1, corrects=True))
    job.batch(Row("b", 2, 2), Row("c", 3, 3), Row("d", 4, 4))
    assert job.batch(Row("a", 1, 1)) == []
    assert job.outcomes[-1].stats.dead_lettered == {"too_late": 1}
    assert short(job.batch(Row("c", 3, 9, revision=2)), "value", "_revision") == [(9, 2)]
    assert job.batch(Row("b", 2, 9, revision=2)) == []
    assert job.outcomes[-1].stats.dead_lettered == {"too_late": 1}


def test_a_buffer_that_is_not_full_says_nothing_and_what_is_withdrawn_makes_it_so() -> None:
    job = standing(RowSettings(("key",), aggregates=SUM, buffer=2, emit=Emit.ON_BUFFER_FULL, corrects=True))
    assert job.batch(Row("a", 1, 1)) == []
    assert short(job.batch(Row("b", 2, 2)), "total") == [(3,)]
    assert short(job.batch(Row("a", 1, 1, gone=True)), "total", "_emission") == [(3, "retract")]


@pytest.mark.parametrize("flush", [False, True])
def test_over_corrects_what_went_out(flush: bool) -> None:
    job = correcting(5)
    job.batch(Row("a", 1, 10), Row("c", 3, 30), watermark=4, flush=flush)
    assert short(job.rows, *ROW) == [("a", 10, None, "change", 1), ("c", 30, 10, "change", 1)]
    assert short(job.batch(Row("b", 2, 20)), *ROW) == [("b", 20, 10, "change", 1), ("c", 30, 20, "late", 2)]
    assert short(job.batch(Row("b", 2, 20, gone=True), watermark=8), *ROW) == [
        ("b", 20, 10, "retract", 1),
        ("c", 30, 10, "late", 3),
    ]
    job.batch(Row("d", 2, 1))
    assert job.outcomes[-1].stats.dead_lettered == {"too_late": 1}


def test_the_order_of_a_buffer_may_be_another_than_that_of_time() -> None:
    by_value = (Sort("value", BIGINT, descending=True),)
    what = RowSettings(
        ("key",), (RowCall("place", F.RANK), *BEFORE), buffer=3, order=by_value, by_time=False, corrects=True
    )
    job = standing(what)
    job.batch(Row("a", 1, 5), Row("b", 2, 9), Row("c", 3, 7))
    assert short(job.rows, "value", "place", "before") == [(5, 1, None), (9, 1, None), (7, 2, 9)]


changes = st.lists(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.one_of(st.none(), st.integers(0, 9)), st.booleans()), max_size=5
    ),
    max_size=6,
)
KEYS: dict[str, str | None] = dict(zip("abcdefgh", ["x", "y", None, "x", "x", "y", None, "x"], strict=True))
TIMES = dict(zip("abcdefgh", [1, 3, 2, 4, 4, 9, 7, 6], strict=True))


def play(
    job: Job, batches: list[list[tuple[str, int | None, bool]]], watermarks: bool = True
) -> dict[Any, list[Record]]:
    """Sends corrections; the rows that stand at the end, by key and in order."""
    stands: dict[str, int | None] = {}
    for number, batch in enumerate(batches, start=1):
        latest = {origin: (value, gone) for origin, value, gone in batch}
        rows = [Row(o, TIMES[o], value, KEYS[o], number, gone) for o, (value, gone) in latest.items()]
        job.batch(*rows, watermark=number * 2 if watermarks else None)
        for origin, (value, gone) in latest.items():
            stands.pop(origin, None)
            if not gone:
                stands[origin] = value
    job.batch(flush=True)
    by_key: dict[Any, list[Record]] = defaultdict(list)
    for origin in sorted(stands, key=lambda o: (TIMES[o], o)):
        by_key[KEYS[origin]].append(Record(TIMES[origin], KEYS[origin], stands[origin], offset=ord(origin)))
    return by_key


def compare(job: Job, by_key: dict[Any, list[Record]], frame: Frame | None, calls: Any) -> None:
    held = {ord(origin): row for origin, row in job.held().items()}
    assert len(held) == sum(map(len, by_key.values()))
    for own in by_key.values():
        for at, record in enumerate(own):
            check(held[record.offset], answers(own, at, frame, calls, whole=False))


@QUICK
@given(changes, frames)
def test_over_equals_batch(batches: list[list[Any]], frame: Frame | None) -> None:
    job = correcting(1_000, NO_LEAD, SUM, frame)
    compare(job, play(job, batches), frame, NO_LEAD)


@QUICK
@given(changes, st.sampled_from([None, Frame(Unit.ROWS, -1, 1), Frame(Unit.ROWS, 0, None), Frame(Unit.RANGE, -2, 3)]))
def test_a_whole_partition_equals_batch(batches: list[list[Any]], frame: Frame | None) -> None:
    job = standing(RowSettings(("key",), ALL, SUM, frame, whole=True, corrects=True))
    compare(job, play(job, batches), frame, ALL)


@QUICK
@given(changes, st.sampled_from([None, 3]))
def test_a_buffer_equals_batch_over_the_rows_that_end_with_each(batches: list[list[Any]], expiry: int | None) -> None:
    job = standing(RowSettings(("key",), ALL, SUM, buffer=3, expire_after=expiry, corrects=True))
    by_key = play(job, batches)
    held = {ord(origin): row for origin, row in job.held().items()}
    lost = sum(outcome.stats.dead_lettered["too_late"] for outcome in job.outcomes)
    if lost:
        return
    for own in by_key.values():
        for at, record in enumerate(own):
            seen = [r for r in own[max(0, at - 2) : at + 1] if expiry is None or r.time >= record.time - expiry]  # type: ignore[operator]
            check(held[record.offset], answers(seen, len(seen) - 1, None, ALL, whole=True))


def test_rows_of_a_closed_window_are_answered_together() -> None:
    what = RowSettings(
        ("key",), (RowCall("share", F.CUME_DIST),), order=(Sort("value", BIGINT),), by_time=False, whole=True
    )
    job = standing(what, due=Due.AT_CLOSE, close="_window_end")
    assert job.batch(Row("a", 1, 5), Row("b", 2, 1), watermark=9) == []
    assert short(job.batch(watermark=10), "value", "share", "_emission") == [(1, 0.5, "final"), (5, 1.0, "final")]


def test_records_that_stand_at_one_place_of_several_files_are_not_taken_for_one() -> None:
    what = RowSettings(("key",), BEFORE, corrects=True, lateness=Lateness(100))
    store, rows = MemoryStore(), []
    for batch in ([Record(1, value=1), Record(5, value=3)], [Record(2, value=2)]):
        table = frame(batch)
        outcome = CorrectingOver(what, ("key", "value"), "", store).process(
            table, Facts(tuple(progress_of(table)), flush=True)
        )
        rows += outcome.results.to_dicts()
    assert short(rows, "value", "before", "_emission") == [
        (1, None, "change"),
        (3, 1, "change"),
        (2, 1, "change"),
        (3, 2, "late"),
    ]
