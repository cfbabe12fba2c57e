"""Reading a stream with revisions: a row replaces what its origin contributed before, and never adds to it."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.windows.driving import Record, Run, frame, newest, settings, short
from tests.windows.oracle import expected

from velostream.windows.assigners import Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import Emission, emission
from velostream.windows.lateness import Lateness
from velostream.windows.watermark import WatermarkSettings

Update = tuple[str, int, int, bool]
"""Origin, time, value, withdrawn."""


def upstream(*rows: tuple[str, Record, int, bool]) -> pl.DataFrame:
    table = frame(record for _, record, _, _ in rows)
    return table.with_columns(
        pl.Series("_origin", [origin for origin, _, _, _ in rows], dtype=pl.String),
        pl.Series("_origin_revision", [revision for _, _, revision, _ in rows], dtype=pl.Int64),
        pl.Series("_origin_gone", [gone for _, _, _, gone in rows], dtype=pl.Boolean),
    )


def test_a_newer_revision_replaces_the_older_one() -> None:
    run = Run(settings(Tumbling(10), replaces=True, lateness=Lateness(100)))
    run.batch(more=upstream(("x", Record(3, value=5), 1, False), ("y", Record(4, value=1), 1, False)))
    run.batch(more=upstream(("z", Record(15), 1, False)))
    run.batch(more=upstream(("x", Record(3, value=7), 2, False)))
    assert short(run.rows, "n", "total", "_emission", "_revision") == [(2, 6, "final", 1), (2, 8, "late", 2)]


def test_an_older_revision_that_comes_again_changes_nothing() -> None:
    run = Run(settings(Tumbling(10), replaces=True))
    run.batch(more=upstream(("x", Record(3, value=7), 2, False)))
    run.batch(more=upstream(("x", Record(3, value=5), 1, False)))
    assert short(run.batch(more=upstream(), flush=True), "n", "total") == [(1, 7)]


def test_a_group_whose_last_contribution_is_withdrawn_is_withdrawn_too() -> None:
    run = Run(settings(Tumbling(10), replaces=True, keeps_previous=True, lateness=Lateness(100)))
    run.batch(more=upstream(("x", Record(3, value=5), 1, False), ("z", Record(15), 1, False)))
    rows = run.batch(more=upstream(("x", Record(3, value=5), 1, True)))
    assert short(rows, "n", "total", "_emission", "_revision") == [(1, 5, "retract", 1)]


origins = st.tuples(st.sampled_from("uvwx"), st.integers(0, 30), st.integers(0, 9), st.booleans())
runs = st.lists(st.lists(origins, max_size=5), max_size=6)
WINDOWS: list[Any] = [Tumbling(10), Sliding(10, 5), Session(4), Session(4, max=9), Unbounded()]
EMISSIONS = [emission("FINAL"), emission("CHANGES"), emission("CHANGES", granularity="batch"), emission(early=2)]


@pytest.mark.parametrize("window", WINDOWS, ids=repr)
@hypothesis_settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate])
@given(batches=runs, late=st.booleans(), how=st.sampled_from(EMISSIONS))
def test_only_the_newest_contribution_of_every_origin_counts(
    window: Any, how: Emission, batches: list[list[Update]], late: bool
) -> None:
    time = WatermarkSettings(max_out_of_orderness=0 if late else 1_000)
    run = Run(
        settings(window, emission=how, replaces=True, keeps_previous=True, watermark=time, lateness=Lateness(1_000))
    )
    held: dict[str, tuple[Record, int]] = {}
    number = 0
    for clock, batch in enumerate(batches):
        rows: list[tuple[str, Record, int, bool]] = []
        for origin, when, value, gone in batch:
            number += 1
            if origin in held:
                rows.append((origin, *held.pop(origin), True))
            if not gone:
                held[origin] = (Record(when, "ab"[value % 2], value, offset=number), number)
                rows.append((origin, *held[origin], False))
        run.batch(more=upstream(*rows), now=clock)
    run.batch(more=upstream(), flush=True, now=99)
    living = [record for record, _ in held.values()]
    assert newest(run.rows, by_start=isinstance(window, Session)) == expected(window, living)
