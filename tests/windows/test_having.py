import polars as pl
from tests.windows.driving import Record, Run, settings, short

from velostream.windows.assigners import Session, Tumbling
from velostream.windows.having import visible
from velostream.windows.lateness import Lateness

ROW = ("_window_start", "n", "_emission", "_revision")


def few(rows: pl.DataFrame) -> pl.Series:
    return rows["n"] < 2


def many(rows: pl.DataFrame) -> pl.Series:
    return rows["n"] >= 2


def test_a_row_that_no_longer_meets_having_withdraws_the_one_that_went_out() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(100), keeps_previous=True))
    run.batch(Record(3), Record(15))
    run.batch(Record(4))
    assert short(visible(run.outcomes[0].results, few).to_dicts(), *ROW) == [(0, 1, "final", 1)]
    assert short(visible(run.outcomes[1].results, few).to_dicts(), *ROW) == [(0, 1, "retract", 1)]


def test_what_was_never_visible_leaves_no_trace() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(100), keeps_previous=True))
    run.batch(Record(3), Record(15))
    run.batch(Record(4))
    assert visible(run.outcomes[0].results, many).is_empty()
    assert short(visible(run.outcomes[1].results, many).to_dicts(), *ROW) == [(0, 2, "late", 2)]


def test_a_withdrawn_session_goes_on_only_where_it_was_visible() -> None:
    run = Run(settings(Session(3), lateness=Lateness(100), keeps_previous=True))
    run.batch(Record(0), Record(5), Record(40))
    run.batch(Record(3))
    assert short(visible(run.outcomes[1].results, few).to_dicts(), *ROW) == [(0, 1, "retract", 1), (5, 1, "retract", 1)]
    assert short(visible(run.outcomes[1].results, many).to_dicts(), *ROW) == [(0, 3, "late", 2)]
