"""The newest revision of every window does not depend on batches, order, partitions or buckets: stream equals batch."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, Run, newest, settings
from tests.windows.oracle import expected

from velostream.windows.assigners import Cumulate, Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import Emission, emission
from velostream.windows.lateness import Lateness
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
EXAMPLES = int(os.environ.get("VELO_EXAMPLES", "6"))
QUICK = hypothesis_settings(
    max_examples=EXAMPLES,
    deadline=None,
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


@pytest.mark.parametrize("how", EMISSIONS, ids=range(len(EMISSIONS)))
@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=runs)
def test_with_disorder_within_bounds_nothing_is_late(window: Any, how: Emission, batches: list[list[Record]]) -> None:
    run = check(window, how, batches, watermark=WatermarkSettings(max_out_of_orderness=FAR))
    assert run.total("late_events") == 0


@pytest.mark.parametrize("how", EMISSIONS, ids=range(len(EMISSIONS)))
@pytest.mark.parametrize("window", WINDOWS, ids=name)
@QUICK
@given(batches=runs)
def test_with_enough_lateness_corrections_lead_to_the_same(
    window: Any, how: Emission, batches: list[list[Record]]
) -> None:
    check(window, how, batches, lateness=Lateness(FAR))


DISCARDING = [
    emission(early=3, accumulation="discarding"),
    emission(on="alarm", fallback=4, accumulation="discarding"),
    emission(count=2, accumulation="discarding"),
]


@pytest.mark.parametrize("how", DISCARDING, ids=range(len(DISCARDING)))
@pytest.mark.parametrize("window", [w for w in WINDOWS if not isinstance(w, Session)], ids=name)
@QUICK
@given(batches=runs, lateness=st.sampled_from([0, FAR]))
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
