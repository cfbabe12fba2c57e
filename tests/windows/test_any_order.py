"""The newest revision of every window does not depend on batches, order, partitions or buckets: stream equals batch."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, Run, frame, newest, settings
from tests.windows.oracle import expected

from velostream.windows import state
from velostream.windows.assigners import Cumulate, Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.combining import combined
from velostream.windows.emission import Emission, emission
from velostream.windows.facts import Facts, progress_of
from velostream.windows.lateness import Lateness
from velostream.windows.operator import Operator
from velostream.windows.store import MemoryStore
from velostream.windows.watermark import WatermarkSettings

WINDOWS: list[Any] = [
    Tumbling(10),
    Tumbling(7, offset=3),
    Sliding(10, 5),
    Sliding(10, 4, offset=1),
    Cumulate(5, 15),
    Session(4),
    Session(4, max=9),
    Unbounded(),
]
EMISSIONS = [
    emission("FINAL"),
    emission("CHANGES"),
    emission("CHANGES", granularity="batch"),
    emission(early=3),
    emission(on="alarm", fallback=4),
    emission(count=2),
    emission(accumulation="retracting"),
    emission("CHANGES", accumulation="retracting"),
    emission(early=2, accumulation="retracting"),
]

records = st.builds(
    Record,
    time=st.integers(-40, 60),
    key=st.sampled_from(["a", "b", None]),
    value=st.one_of(st.none(), st.integers(-5, 5)),
    partition=st.integers(0, 2),
    alarm=st.booleans(),
)
runs = st.lists(st.lists(records, max_size=8), max_size=6)
FAR = 1_000
EXAMPLES = int(os.environ.get("VELO_EXAMPLES", "12"))
QUICK = hypothesis_settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
"""Without shrinking: these cases are small enough to read. VELO_EXAMPLES asks for more of them."""


def numbered(batches: list[list[Record]]) -> list[list[Record]]:
    number = iter(range(10_000))
    return [[replace(record, offset=next(number)) for record in batch] for batch in batches]


def play(run: Run, batches: list[list[Record]]) -> None:
    for number, batch in enumerate(batches):
        run.batch(*batch, now=number * 2)
    run.flush(now=100)


def check(window: Any, how: Emission, batches: list[list[Record]], **more: Any) -> Run:
    batches = numbered(batches)
    run = Run(settings(window, emission=how, **more))
    play(run, batches)
    everything = [record for batch in batches for record in batch]
    assert newest(run.rows, by_start=isinstance(window, Session)) == expected(window, everything)
    assert run.outcomes[-1].stats.open == 0
    assert run.total("in_results") == len(everything)
    assert run.letters == []
    return run


def name(value: Any) -> str:
    return repr(value).replace("ClassVar", "")[:60]


@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=runs, how=st.sampled_from(EMISSIONS))
def test_with_disorder_within_bounds_nothing_is_late(window: Any, how: Emission, batches: list[list[Record]]) -> None:
    run = check(window, how, batches, watermark=WatermarkSettings(max_out_of_orderness=FAR))
    assert run.total("late_events") == 0


@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=runs, how=st.sampled_from(EMISSIONS))
def test_with_enough_lateness_corrections_lead_to_the_same(
    window: Any, how: Emission, batches: list[list[Record]]
) -> None:
    check(window, how, batches, lateness=Lateness(FAR))


@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=st.lists(st.lists(records, min_size=1, max_size=5), max_size=8), how=st.sampled_from(EMISSIONS))
def test_windows_that_are_let_go_stay_as_they_were_said(
    window: Any, how: Emission, batches: list[list[Record]]
) -> None:
    steps = [
        [replace(record, time=12 * number - 45 + (record.time or 0) % 15) for record in batch]
        for number, batch in enumerate(batches)
    ]
    check(window, how, steps, lateness=Lateness(16))


DISCARDING = [
    emission(early=3, accumulation="discarding"),
    emission(on="alarm", fallback=4, accumulation="discarding"),
    emission(count=2, accumulation="discarding"),
]


@pytest.mark.parametrize("window", [w for w in WINDOWS if not isinstance(w, Session)], ids=name)
@QUICK
@given(batches=runs, lateness=st.sampled_from([0, FAR]), how=st.sampled_from(DISCARDING))
def test_discarding_rows_add_up(window: Any, how: Emission, batches: list[list[Record]], lateness: int) -> None:
    batches = numbered(batches)
    time = WatermarkSettings(max_out_of_orderness=0 if lateness else FAR)
    run = Run(settings(window, emission=how, watermark=time, lateness=Lateness(lateness)))
    play(run, batches)
    sums: dict[tuple[Any, ...], int] = {}
    for row in run.rows:
        assert row["_emission"] != "retract"
        group = (row["key"], row["_window_start"], row["_window_end"])
        sums[group] = sums.get(group, 0) + row["n"]
    everything = [record for batch in batches for record in batch]
    assert sums == {group: n for group, (n, _, _) in expected(window, everything).items()}


def spread(
    window: Any, how: Emission, batches: list[list[Record]], buckets: int, *, folded: bool
) -> list[dict[str, Any]]:
    """The same records over several buckets of keys, each with its own operator, all with the same facts."""
    what = settings(window, emission=how, watermark=WatermarkSettings(max_out_of_orderness=20), lateness=Lateness(FAR))
    stores = [MemoryStore() for _ in range(buckets)]
    rows: list[dict[str, Any]] = []
    for number, batch in enumerate([*batches, []]):
        everything = frame(batch)
        facts = Facts(tuple(progress_of(everything)), now=number, flush=number == len(batches))
        bucket = pl.col("key").fill_null("?").str.to_integer(base=36, strict=False).fill_null(7).mod(buckets)
        hashed = everything.with_columns(bucket.alias("_hash").cast(pl.Int32))
        for place, store in enumerate(stores):
            operator = Operator(what, store)
            own = hashed.filter(pl.col("_hash") == place)
            early = None
            if folded:
                before = operator.watermark.value
                fine = pl.lit(value=True) if before is None else pl.col("_event_time") >= before
                early = combined(what, own.filter(fine))
                own = own.filter(~fine)
            rows += operator.process(own, facts, early).results.to_dicts()
    return rows


BY_BATCH = [emission("FINAL"), emission("CHANGES", granularity="batch"), emission(count=2)]


@pytest.mark.parametrize("folded", [False, True], ids=["rows", "combined"])
@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=runs, buckets=st.integers(1, 4), how=st.sampled_from(BY_BATCH))
def test_buckets_and_combining_change_nothing(
    window: Any, how: Emission, batches: list[list[Record]], buckets: int, folded: bool
) -> None:
    batches = numbered(batches)
    rows = spread(window, how, batches, buckets, folded=folded)
    everything = [record for batch in batches for record in batch]
    assert newest(rows, by_start=isinstance(window, Session)) == expected(window, everything)


@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=runs, how=st.sampled_from(EMISSIONS), late=st.booleans())
def test_small_blobs_that_are_joined_all_the_time_change_nothing(
    window: Any, how: Emission, batches: list[list[Record]], late: bool
) -> None:
    time = WatermarkSettings(max_out_of_orderness=0 if late else 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "TARGET_ROWS", 2)
        patch.setattr(state, "DEPTH", 2)
        check(window, how, batches, watermark=time, lateness=Lateness(FAR))
