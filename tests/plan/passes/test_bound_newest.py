from __future__ import annotations

import pytest
from tests.plan.asking import around
from tests.plan.test_read_back import FILES, LATE, kept

from velostream.plan.passes.bound_newest import bound_newest

MINUTES = "SELECT symbol, _window_start AS started, COUNT(*) AS n, {} FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"
WITH = "WITH ('kept.read.from.sink' = 'true'{})"
FOR_EVER = "- state: a row of each key, kept for ever"


def states(reader: str, more: str = "") -> tuple[str, str]:
    """How long newest rows are kept, before and after the pass."""
    sql = kept(MINUTES.format("_event_time AS happened"), FILES, LATE, f"{reader} {WITH.format(more)}")
    outlines = around(bound_newest, sql, "state")
    before, after = (
        next(line.strip() for line in text.splitlines() if "a row of each key" in line) for text in outlines
    )
    return before, after


@pytest.mark.parametrize(
    ("window", "lasts"),
    [("TUMBLING(1h)", "1h10m"), ("SLIDING(2h, 1h)", "2h10m"), ("SESSION(5m, MAX 30m)", "40m")],
)
def test_newest_rows_are_kept_as_long_as_a_window_takes_their_corrections(window: str, lasts: str) -> None:
    before, after = states(f"SELECT symbol, SUM(n) AS n FROM kept GROUP BY symbol WINDOW {window}")
    assert (before, after) == (FOR_EVER, f"- state: a row of each key, kept {lasts} after the last record")


@pytest.mark.parametrize(
    "rows",
    [
        "(SELECT symbol, n FROM kept WHERE n > 1)",
        "(SELECT symbol, n FROM kept UNION ALL SELECT symbol, quantity AS n FROM trades)",
        "(SELECT k.symbol, k.n FROM kept k JOIN limits l ON k.symbol = l.symbol)",
    ],
)
def test_conditions_and_tables_on_the_way_to_the_window_change_nothing(rows: str) -> None:
    reader = f"SELECT symbol, SUM(n) AS n FROM {rows} t GROUP BY symbol WINDOW TUMBLING(1h)"
    assert states(reader)[1].endswith("kept 1h10m after the last record")


@pytest.mark.parametrize(
    "reader",
    [
        "SELECT symbol, n FROM kept",
        "SELECT symbol, SUM(n) AS n FROM kept GROUP BY symbol",
        "SELECT symbol, SUM(n) AS n FROM kept GROUP BY symbol WINDOW SESSION(5m)",
        "SELECT symbol, SUM(n) AS n FROM kept GROUP BY symbol WINDOW TUMBLING(started, 1h)",
        "SELECT symbol, SUM(n) AS n FROM (SELECT DISTINCT symbol, n FROM kept) t GROUP BY symbol WINDOW TUMBLING(1h)",
    ],
)
def test_where_no_window_ends_them_only_a_time_to_live_does(reader: str) -> None:
    assert states(reader) == (FOR_EVER, FOR_EVER)
    lives = "- state: a row of each key, kept 1d after the last record"
    assert states(reader, ", 'state.ttl' = '1d'") == (lives, lives)
