import polars as pl
from tests.windows.driving import Record, Run, settings, short

from velostream.windows.assigners import Session, Tumbling
from velostream.windows.emission import Accumulation, Emission
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


def test_a_row_that_retracting_withdraws_is_not_withdrawn_again() -> None:
    retracting = Emission(accumulation=Accumulation.RETRACTING)
    run = Run(settings(Tumbling(10), lateness=Lateness(100), keeps_previous=True, emission=retracting))
    run.batch(Record(3), Record(15))
    run.batch(Record(4))
    assert short(visible(run.outcomes[1].results, few).to_dicts(), *ROW) == [(0, 1, "retract", 1)]
    assert short(visible(run.outcomes[1].results, many).to_dicts(), *ROW) == [(0, 2, "late", 2)]


def short_ones(rows: pl.DataFrame) -> pl.Series:
    return rows["_window_end"] - rows["_window_start"] < 5


def test_a_session_that_became_too_long_for_having_is_withdrawn_as_it_was() -> None:
    run = Run(settings(Session(3), lateness=Lateness(100), keeps_previous=True))
    run.batch(Record(0), Record(40))
    run.batch(Record(3))
    assert short(visible(run.outcomes[0].results, short_ones).to_dicts(), *ROW, "_window_end") == [
        (0, 1, "final", 1, 3)
    ]
    gone = visible(run.outcomes[1].results, short_ones).to_dicts()
    assert short(gone, *ROW, "_window_end", "closed_by") == [(0, 1, "retract", 1, 3, "gap")]


def test_what_retracting_withdraws_of_a_session_has_the_end_that_it_had() -> None:
    retracting = Emission(accumulation=Accumulation.RETRACTING)
    run = Run(settings(Session(3), lateness=Lateness(100), emission=retracting))
    run.batch(Record(0), Record(5), Record(40))
    run.batch(Record(2))
    assert short(run.outcomes[1].results.to_dicts(), *ROW, "_window_end", "closed_by") == [
        (5, 1, "retract", 1, 8, "gap"),
        (0, 1, "retract", 1, 3, "gap"),
        (0, 3, "late", 2, 8, "gap"),
    ]
