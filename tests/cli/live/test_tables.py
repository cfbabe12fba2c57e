"""Tables while they load, as a terminal and a log show them."""

from __future__ import annotations

import io

from velostream.cli.live.tables import bars, line, not_ready, size
from velostream.tables.progress import LOADING, REFRESHING, Progress


def loading() -> Progress:
    about = Progress("rates")
    about.begin(LOADING)
    about.started -= 2.0
    about.total_bytes, about.done_bytes, about.read = 4 << 20, 1 << 20, 5_000
    return about


def test_a_bar_shows_how_far_and_how_long() -> None:
    from rich.console import Console

    unknown = Progress("other")
    unknown.begin(LOADING)
    shown = io.StringIO()
    Console(file=shown, width=140).print(bars([loading(), unknown]))
    first, second = shown.getvalue().splitlines()
    assert "table rates  loading" in first
    assert "25 % of 4 MB, 5,000 records" in first
    assert "about 6.0s left" in first
    assert "━" in first
    assert "0 records" in second


def test_a_line_tells_the_end_and_what_is_wrong() -> None:
    about = loading()
    about.fail("there is no file 'rates.csv'")
    assert line(about) == "table rates failed: 25 % of 4 MB, 5,000 records; there is no file 'rates.csv'"
    about.begin(LOADING)
    about.started -= 3.0
    about.end(7_000)
    assert line(about) == "table rates ready: 7,000 rows in 3.0s"


def test_only_tables_that_jobs_wait_for_are_shown() -> None:
    ready, again = Progress("a"), Progress("b")
    ready.end(1)
    again.begin(REFRESHING)
    assert [about.name for about in not_ready([ready, again, loading()])] == ["rates"]


def test_sizes_are_short() -> None:
    assert [size(1023), size(1024), size(12.3 * 1024**2), size(5 * 1024**4)] == [
        "1.02e+03 B",
        "1 KB",
        "12.3 MB",
        "5 TB",
    ]
