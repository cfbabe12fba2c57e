"""Which records come too late, against plain Python; and that every record has exactly one place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, Run, newest, settings
from tests.windows.oracle import result, with_lateness

from velostream.errors import InvalidProperty
from velostream.windows.assigners import Cumulate, Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.dedup import DedupSettings
from velostream.windows.emission import emission
from velostream.windows.lateness import Lateness, LateStrategy

ALIGNED: list[Any] = [Tumbling(10), Sliding(10, 5), Sliding(10, 4, offset=1), Cumulate(5, 15)]
EVERY: list[Any] = [*ALIGNED, Session(4), Session(4, max=9), Unbounded()]
records = st.builds(Record, time=st.integers(-30, 60), key=st.sampled_from(["a", "b", None]), value=st.integers(0, 3))
runs = st.lists(st.lists(records, max_size=6), max_size=6)
MODES = [emission("FINAL"), emission("CHANGES"), emission("CHANGES", granularity="batch"), emission(count=2)]
QUICK = hypothesis_settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate])


def numbered(batches: list[list[Record]]) -> list[list[Record]]:
    number = iter(range(10_000))
    return [[replace(record, offset=next(number)) for record in batch] for batch in batches]


@pytest.mark.parametrize("window", ALIGNED, ids=repr)
@QUICK
@given(batches=runs, allowed=st.sampled_from([0, 3, 12]), how=st.sampled_from(MODES))
def test_each_window_holds_what_came_while_it_was_retained(
    window: Any, batches: list[list[Record]], allowed: int, how: Any
) -> None:
    batches = numbered(batches)
    held, lost, missed = with_lateness(window, batches, allowed)
    run = Run(settings(window, emission=how, lateness=Lateness(allowed)))
    for batch in batches:
        run.batch(*batch)
    run.flush()
    assert newest(run.rows) == {group: result(own) for group, own in held.items()}
    assert {letter["_offset"] for letter in run.letters} == {record.offset for record in lost}
    assert run.total("allowed_lateness_violations") == missed
    assert run.total("dropped_after_lateness") == len(lost)
    assert run.outcomes[-1].stats.open == 0


@pytest.mark.parametrize("strategy", list(LateStrategy), ids=lambda s: s.value)
@QUICK
@given(batches=runs, window=st.sampled_from(EVERY), allowed=st.sampled_from([0, 7]), batched=st.booleans())
def test_every_record_has_exactly_one_place(
    window: Any, strategy: LateStrategy, batches: list[list[Record]], allowed: int, batched: bool
) -> None:
    batches = numbered(batches)
    how = (
        emission("CHANGES", granularity="batch")
        if batched and strategy is not LateStrategy.UPDATE_PREVIOUS
        else emission()
    )
    what = settings(
        window,
        lateness=Lateness(allowed, strategy),
        emission=how,
        max_clock_skew=45,
        dedup=DedupSettings(("value", "key")),
    )
    run = Run(what)
    for batch in batches:
        run.batch(*batch, now=0)
    run.flush()
    letters = [letter["_offset"] for letter in run.letters]
    assert len(letters) == len(set(letters))
    read = sum(map(len, batches))
    assert read == run.total("in_results") + run.total("duplicates") + len(letters)
    assert run.outcomes[-1].stats.open == 0


def test_a_negative_lateness_is_refused() -> None:
    with pytest.raises(InvalidProperty) as refusal:
        Lateness(-1)
    assert refusal.value.hint


def test_a_group_that_outlived_its_time_begins_anew() -> None:
    run = Run(settings(Unbounded(), emission=emission(windowed=False), ttl=10))
    run.batch(Record(0), Record(1))
    run.batch(Record(30, "b"))
    (row,) = run.batch(Record(31))
    assert (row["n"], row["_revision"]) == (1, 1)
