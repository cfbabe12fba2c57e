import polars as pl

from velostream.windows.sessions import joined


def bounds(*fragments: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    frame = pl.DataFrame(fragments, schema={"key": pl.String, "_start": pl.Int64, "_end": pl.Int64}, orient="row")
    return sorted(joined(frame, ["key"], 5).rows())


def test_fragments_that_follow_one_another_within_the_gap_are_one_chain() -> None:
    #  0   5   10  15  20          gap 5
    #  [---]   [---]               they touch: one chain
    #                  [-]         16 to 20 is within the gap too
    assert bounds(("a", 0, 4), ("a", 8, 15), ("a", 20, 22)) == [("a", 0, 22)] * 3
    assert bounds(("a", 0, 4), ("a", 10, 15)) == [("a", 0, 4), ("a", 10, 15)]


def test_a_fragment_within_another_does_not_end_the_chain_early() -> None:
    #  0        50       100 103
    #  [------------------]        the long one reaches on,
    #      [-]                     although the short one comes after it
    #                       [--]
    assert bounds(("a", 0, 100), ("a", 10, 20), ("a", 103, 130)) == [("a", 0, 130)] * 3


def test_keys_are_apart_where_their_times_meet() -> None:
    assert bounds(("a", 0, 4), ("b", 1, 2), ("a", 30, 31), ("b", 33, 34)) == [
        ("a", 0, 4),
        ("a", 30, 31),
        ("b", 1, 2),
        ("b", 33, 34),
    ]
