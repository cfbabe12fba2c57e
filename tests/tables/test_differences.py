"""What of the changes to a base is new."""

import pyarrow as pa

from velostream.tables.differences import added, deletions
from velostream.tables.newest import GONE, TIME


def changes(*given: tuple[str | None, int | None, bool]) -> pa.Table:
    keys, values, gone = zip(*given, strict=True)
    return pa.table({"k": pa.array(keys, pa.string()), "v": pa.array(values, pa.int64()), GONE: list(gone)})


def test_changes_that_are_as_they_were_are_left_out() -> None:
    before = changes(("a", 1, False), ("b", 2, False), ("c", None, True), (None, 4, False))
    after = changes(("a", 1, False), ("b", 3, False), ("c", None, False), (None, 4, False), ("d", 5, True))
    assert added(before, after, ["k"])["k"].to_pylist() == ["b", "c", "d"]
    assert added(None, after, ["k"]) is after


def test_values_that_cannot_be_compared_are_taken_for_new() -> None:
    nested = pa.table({"k": ["a"], "v": [[1]], GONE: [False]})
    assert added(nested, nested, ["k"]) is nested


def test_deletions_have_the_columns_of_other_changes() -> None:
    like = pa.table({"key": pa.array(["x"]), "v": pa.array([1], pa.int32()), TIME: pa.array([1], pa.int64())})
    made = deletions({"key": pa.chunked_array([["a", "b"]])}, like)
    assert made.to_pylist() == [{"key": key, "v": None, TIME: None, GONE: True} for key in ("a", "b")]
