import polars as pl
import pytest

from velostream.errors import InvalidWindow
from velostream.windows.assigners import Session


def sessions(window: Session, *times: int, key: str = "a") -> list[tuple[int, int, int, str]]:
    rows = pl.DataFrame(
        {"key": [key] * len(times), "_start": list(times), "_end": list(times)},
        schema_overrides={"_start": pl.Int64, "_end": pl.Int64},
    )
    placed = window.place(rows, ["key"]).unique()
    found = window.windows(placed, ["key"])
    return sorted(set(found.select("_window_start", "_window_end", "_closes_at", "closed_by").rows()))


def test_events_within_the_gap_are_one_session_and_its_end_is_the_last_event_plus_the_gap() -> None:
    #  0  3  6 . . . . . 14
    #  [-----------)     [----)
    assert sessions(Session(gap=5), 3, 0, 6, 14) == [(0, 11, 12, "gap"), (14, 19, 20, "gap")]


def test_a_distance_equal_to_the_gap_joins_and_one_more_does_not() -> None:
    assert len(sessions(Session(gap=5), 0, 5)) == 1
    assert len(sessions(Session(gap=5), 0, 6)) == 2


def test_an_event_between_two_sessions_bridges_them() -> None:
    #  0         8      with 4 between, one session
    assert len(sessions(Session(gap=5), 0, 8)) == 2
    assert sessions(Session(gap=5), 0, 8, 4) == [(0, 13, 14, "gap")]


def test_max_closes_a_session_and_the_next_event_begins_a_new_one() -> None:
    #  0 4 8 12 16 20       gap 5, max 10
    #  [-----)              0 4 8, closed at 10 by max
    #        [------)       12 16 20
    assert sessions(Session(gap=5, max=10), 0, 4, 8, 12, 16, 20) == [(0, 10, 10, "max"), (12, 22, 22, "max")]


def test_an_event_exactly_at_start_plus_max_begins_a_new_session() -> None:
    assert sessions(Session(gap=5, max=10), 0, 5, 10) == [(0, 10, 10, "max"), (10, 15, 16, "gap")]


def test_a_late_event_cuts_the_chain_anew() -> None:
    assert [row[0] for row in sessions(Session(gap=5, max=10), 4, 8, 12, 16)] == [4, 16]
    assert [row[0] for row in sessions(Session(gap=5, max=10), 0, 4, 8, 12, 16)] == [0, 12]


def test_keys_have_their_own_sessions_null_too() -> None:
    rows = pl.DataFrame({"key": ["a", None, "a", None], "_start": [0, 1, 20, 3], "_end": [0, 1, 20, 3]})
    found = Session(gap=5).windows(rows, ["key"])
    assert set(found.select("key", "_window_start", "_window_end").rows()) == {("a", 0, 5), (None, 1, 8), ("a", 20, 25)}


def test_one_fragment_that_covers_another_keeps_its_end() -> None:
    rows = pl.DataFrame({"_start": [0, 2, 14], "_end": [10, 3, 14]})
    assert set(Session(gap=5).windows(rows, []).select("_window_start", "_window_end").rows()) == {(0, 19)}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gap": 0}, "no extent"),
        ({"gap": 10, "max": 5}, "closes before its gap"),
        ({"gap": 10, "max": 0}, "no extent"),
        ({"gap": 10, "offset": 5}, "takes no OFFSET"),
    ],
)
def test_what_cannot_work_is_refused_with_a_hint(settings: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidWindow, match=message) as refusal:
        Session(**settings)
    assert refusal.value.hint
