"""Tumbling, sliding and cumulating windows."""

import polars as pl
import pytest

from velostream.durations import MINUTE
from velostream.errors import InvalidWindow
from velostream.windows.assigners import ASSIGNERS, Cumulate, ParameterKind, Sliding, Tumbling
from velostream.windows.assigners.base import settings_of

Window = Tumbling | Sliding | Cumulate


def windows(window: Window, time: int) -> list[tuple[int, int]]:
    rows = pl.DataFrame({"_start": [time], "_end": [time]})
    return window.windows(window.place(rows, []), []).select("_window_start", "_window_end").rows()  # type: ignore[return-value]


def test_a_tumbling_window_begins_at_its_start_and_ends_before_its_end() -> None:
    assert windows(Tumbling(10), 10) == [(10, 20)]
    assert windows(Tumbling(10), 19) == [(10, 20)]
    assert windows(Tumbling(10), 20) == [(20, 30)]


def test_negative_times_are_floored() -> None:
    assert windows(Tumbling(10), -1) == [(-10, 0)]
    assert windows(Tumbling(10), -10) == [(-10, 0)]
    assert windows(Sliding(10, 5), -1) == [(-10, 0), (-5, 5)]


def test_an_offset_moves_all_bounds() -> None:
    assert windows(Tumbling(10, offset=3), 2) == [(-7, 3)]
    assert windows(Sliding(10, 5, offset=1), 13) == [(6, 16), (11, 21)]
    assert windows(Cumulate(5, 10, offset=-2), 0) == [(-2, 3), (-2, 8)]


def test_a_record_is_in_every_sliding_window_that_covers_it_oldest_first() -> None:
    #  0    5    10   15   20       a record at 13 falls in
    #       [---------)             5 to 15
    #            [---------)        10 to 20
    assert windows(Sliding(10, 5), 13) == [(5, 15), (10, 20)]
    assert windows(Sliding(10, 4), 0) == [(-8, 2), (-4, 6), (0, 10)]


def test_sliding_by_a_fifteenth_gives_fifteen_windows() -> None:
    assert len(windows(Sliding(15 * MINUTE, MINUTE), 7 * MINUTE + 1)) == 15


def test_the_pane_is_the_longest_stretch_that_no_bound_divides() -> None:
    assert Sliding(15 * MINUTE, MINUTE).pane == MINUTE
    assert Sliding(10, 4).pane == 2
    assert Sliding(10, 10).pane == 10


def test_cumulating_windows_grow_from_one_start() -> None:
    assert windows(Cumulate(5, 20), 7) == [(0, 10), (0, 15), (0, 20)]
    assert windows(Cumulate(20, 20), 7) == [(0, 20)]


@pytest.mark.parametrize(
    "window", [Tumbling(10, 3), Sliding(10, 5), Sliding(10, 4, 1), Sliding(7, 7), Cumulate(5, 20, 2)]
)
@pytest.mark.parametrize("time", [-23, -1, 0, 1, 13, 40])
def test_ends_horizon_and_lateness_agree_with_the_windows(window: Window, time: int) -> None:
    ends = [end for _, end in windows(window, time)]
    at = pl.lit(time, pl.Int64)
    found = pl.select(window.first_end(at).alias("first"), window.missed(at, 17).alias("missed")).row(0)
    assert found == (min(ends), sum(end <= 17 for end in ends))
    pane = pl.select(window.pane_of(at)).item()
    for moment in range(time - 30, time + 40):
        assert (pane < window.horizon(moment)) == (max(ends) <= moment)
        assert pl.select(window.outlived(at, moment)).item() == (max(ends) <= moment)


@pytest.mark.parametrize(
    ("build", "message", "hint"),
    [
        (lambda: Tumbling(0), "no extent", "size"),
        (lambda: Sliding(10, 0), "no extent", "advance"),
        (lambda: Sliding(10, 20), "leaves gaps", "TUMBLING"),
        (lambda: Sliding(86_400_000_000, 1), "panes", "lengthen"),
        (lambda: Cumulate(7, 20), "whole number of steps", "CUMULATE"),
    ],
)
def test_sizes_that_cannot_work_are_refused_with_a_way_out(build, message: str, hint: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidWindow, match=message) as refusal:
        build()
    assert hint in refusal.value.hint


def test_every_word_for_a_window_finds_its_class() -> None:
    assert ASSIGNERS["HOP"] is ASSIGNERS["HOPPING"] is Sliding
    assert ASSIGNERS["TUMBLE"] is Tumbling
    assert ASSIGNERS["CUMULATIVE"] is Cumulate


@pytest.mark.parametrize("member", sorted(set(ASSIGNERS.values()), key=lambda kind: kind.name))
def test_every_parameter_that_builds_is_an_argument_of_the_class(member: type) -> None:
    lengths = {
        p.name: 60 for p in member.parameters if p.builds and p.kind is ParameterKind.DURATION and p.name != "offset"
    }  # type: ignore[attr-defined]
    assert "60us" in settings_of(member(**lengths))
