from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, Run, frame, settings, short

from velostream.errors import InvalidProperty
from velostream.windows.assigners import Tumbling
from velostream.windows.dedup import Dedup, DedupSettings
from velostream.windows.lateness import Lateness
from velostream.windows.store import MemoryStore


def test_the_first_by_arrival_wins_and_within_a_batch_the_smallest_position() -> None:
    dedup = Dedup(DedupSettings(("value",)), MemoryStore(), None)
    first, again = dedup.split(
        frame([Record(9, value=1, offset=1), Record(4, value=1, offset=2), Record(5, value=2)]), None
    )
    assert first["_event_time"].to_list() == [4, 5]
    assert again["_event_time"].to_list() == [9]
    first, again = dedup.split(frame([Record(1, value=1), Record(2, value=3)]), None)
    assert (first["value"].to_list(), again["value"].to_list()) == ([3], [1])


def test_null_keys_are_never_duplicates() -> None:
    dedup = Dedup(DedupSettings(("value",)), MemoryStore(), None)
    for _ in range(2):
        first, again = dedup.split(frame([Record(1, value=None), Record(2, value=None)]), None)
        assert (first.height, again.height) == (2, 0)


def test_a_key_is_forgotten_when_the_watermark_is_beyond_its_time_to_live() -> None:
    dedup = Dedup(DedupSettings(("value",), ttl=10), MemoryStore(), None)
    dedup.split(frame([Record(5, value=1)]), None)
    assert dedup.split(frame([Record(6, value=1)]), 14)[0].is_empty()
    assert dedup.split(frame([Record(20, value=1)]), 15)[0].height == 1


def test_duplicates_are_counted_before_lateness_is_judged_and_move_the_watermark() -> None:
    run = Run(settings(Tumbling(10), dedup=DedupSettings(("value",)), lateness=Lateness(0)))
    run.batch(Record(3, value=1), Record(4, value=2))
    run.batch(Record(25, value=2))
    assert run.total("duplicates") == 1
    assert short(run.rows, "_window_start", "n") == [(0, 2)]
    run.batch(Record(1, value=1))
    assert run.total("duplicates") == 2
    assert run.letters == []


@pytest.mark.parametrize("wrong", [{"keys": ()}, {"keys": ("a",), "ttl": 0}])
def test_settings_that_cannot_work_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidProperty) as refusal:
        DedupSettings(**wrong)  # type: ignore[arg-type]
    assert refusal.value.hint


@hypothesis_settings(max_examples=25)
@given(st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=6), max_size=12), st.booleans())
def test_it_agrees_with_a_set_in_plain_python(batches: Sequence[list[tuple[int, int]]], hashed: bool) -> None:
    store = MemoryStore()
    dedup = Dedup(DedupSettings(("value",), ttl=8), store, None)
    seen: dict[int, int] = {}
    watermark = -100
    for batch in batches:
        expected: list[tuple[int, int]] = []
        for time, value in sorted(batch):
            now = [known for _, known in expected]
            if value not in now and (value not in seen or seen[value] <= watermark - 8):
                seen[value] = time
                expected.append((time, value))
        rows = frame([Record(time, value=value, offset=n) for n, (time, value) in enumerate(batch)])
        rows = rows.with_columns((pl.col("value") % 3).alias("_dedup_hash")) if hashed else rows
        first, again = dedup.split(rows, watermark)
        assert sorted(first.select("_event_time", "value").rows()) == sorted(expected)
        assert first.height + again.height == len(batch)
        dedup.ledger.tidy()
        dedup = Dedup(dedup.settings, store, dedup.ledger.snapshot())
        watermark = max([watermark, *(time for time, _ in batch)])
