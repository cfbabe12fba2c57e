"""The newest row per key, out of what was and what has come."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from velostream.tables.newest import GONE, TIME, newest


def rows(*given: tuple[str, int, int], gone: list[bool] | None = None) -> pa.Table:
    """Rows of key, value and time."""
    columns: dict[str, Any] = {
        "k": pa.array([one[0] for one in given], pa.string()),
        "v": pa.array([one[1] for one in given], pa.int64()),
        TIME: pa.array([one[2] for one in given], pa.int64()),
    }
    return pa.table(columns | ({GONE: pa.array(gone)} if gone is not None else {}))


def values(table: pa.Table) -> dict[str, int]:
    return dict(zip(table["k"].to_pylist(), table["v"].to_pylist(), strict=True))


def test_the_last_row_of_a_key_wins() -> None:
    assert values(newest(None, rows(("a", 1, 0), ("b", 2, 0), ("a", 3, 0)), ["k"])) == {"b": 2, "a": 3}


def test_an_older_row_that_comes_later_does_not_replace_a_newer_one() -> None:
    assert values(newest(rows(("a", 1, 10)), rows(("a", 2, 5)), ["k"])) == {"a": 1}


def test_of_one_time_the_last_to_come_wins() -> None:
    assert values(newest(rows(("a", 1, 10)), rows(("a", 2, 10)), ["k"])) == {"a": 2}


def test_a_deletion_takes_what_is_not_later_than_it() -> None:
    before = rows(("a", 1, 10), ("b", 2, 10))
    assert values(newest(before, rows(("a", 0, 10), ("b", 0, 9), gone=[True, True]), ["k"])) == {"b": 2}


def test_a_row_that_comes_after_its_deletion_stays() -> None:
    changes = rows(("a", 1, 10), ("a", 2, 10), gone=[True, False])
    assert values(newest(rows(("a", 1, 10)), changes, ["k"])) == {"a": 2}


def test_without_a_key_every_row_stays() -> None:
    assert newest(rows(("a", 1, 0)), rows(("a", 1, 0)), []).num_rows == 2


def test_rows_that_are_too_old_go() -> None:
    assert values(newest(rows(("a", 1, 0)), rows(("b", 2, 100)), ["k"], keeps=50)) == {"b": 2}


def test_rows_that_hold_maps_keep_their_type() -> None:
    kind = pa.map_(pa.string(), pa.int64())
    table = pa.table({"k": ["a"], "m": pa.array([[("x", 1)]], kind), TIME: pa.array([0], pa.int64())})
    assert newest(table, table, ["k"]).schema.field("m").type == kind
