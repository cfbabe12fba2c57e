import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.errors import VeloError
from velostream.windows import state
from velostream.windows.state import Ledger, decode, encode
from velostream.windows.store import MemoryStore


def summed(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    return frame.group_by("_cell", "key").agg(pl.col("n").sum())


def rows(*cells: tuple[int, str, int]) -> pl.DataFrame:
    return pl.DataFrame(list(cells), schema={"_cell": pl.Int64, "key": pl.String, "n": pl.Int64}, orient="row")


def content(ledger: Ledger, ranges: list[tuple[int, int]] | None = None) -> dict[tuple[int, str], int]:
    found = ledger.read(ranges)
    return {} if found is None else {(cell, key): n for cell, key, n in summed(found, True).iter_rows()}


def test_a_blob_begins_with_its_version_and_others_are_refused() -> None:
    frame = rows((1, "a", 2))
    assert encode(frame)[0] == state.FORMAT
    assert decode(encode(frame)).equals(frame)
    with pytest.raises(VeloError, match="format 99"):
        decode(bytes([99]) + encode(frame)[1:])
    with pytest.raises(VeloError, match="format none"):
        decode(b"")


def test_a_batch_writes_one_blob_and_a_read_loads_only_what_it_touches() -> None:
    store = MemoryStore()
    ledger = Ledger("t", store, summed)
    for cell in range(5):
        ledger.append(rows((cell * 10, "a", 1), (cell * 10 + 1, "b", 2)))
    assert store.writes == 5
    ledger = Ledger("t", store, summed, ledger.snapshot())
    assert content(ledger, [(10, 11)]) == {(10, "a"): 1, (11, "b"): 2}
    assert content(ledger, [(11, 11)]) == {(11, "b"): 2}
    assert store.reads == 1
    assert content(ledger, [(100, 200)]) == {}
    ledger.append(rows())
    assert store.writes == 5


def test_many_rows_are_cut_between_cells() -> None:
    ledger = Ledger("t", MemoryStore(), summed)
    ledger.append(pl.DataFrame({"_cell": [n // 10_000 for n in range(80_000)], "key": "a", "n": 1}))
    assert [(s.low, s.high) for s in ledger.segments] == [(0, 1), (2, 3), (4, 5), (6, 7)]


def test_rows_below_the_floor_are_gone_even_before_their_blob_is() -> None:
    ledger = Ledger("t", MemoryStore(), summed)
    ledger.append(rows((1, "a", 1), (5, "a", 1)))
    ledger.append(rows((1, "b", 1)))
    ledger.drop_below(3)
    ledger.drop_below(2)
    assert content(ledger) == {(5, "a"): 1}
    assert len(ledger.segments) == 1


def test_a_missing_blob_is_said_and_not_skipped() -> None:
    store = MemoryStore()
    ledger = Ledger("t", store, summed)
    ledger.append(rows((1, "a", 1)))
    store.clear()
    ledger = Ledger("t", store, summed, ledger.snapshot())
    with pytest.raises(VeloError, match="t/0"):
        ledger.read()


def test_what_is_rewritten_grows_with_the_rows_and_not_with_the_batches() -> None:
    store = MemoryStore()
    ledger = Ledger("t", store, summed)
    for number in range(256):
        ledger.append(rows((0, f"k{number}", 1)))
        ledger.tidy()
    assert len(ledger.segments) < state.DEPTH
    assert content(ledger) == {(0, f"k{n}"): 1 for n in range(256)}
    assert store.writes < 256 * 4


batches = st.lists(
    st.lists(st.tuples(st.integers(-3, 20), st.sampled_from("abc"), st.integers(1, 9)), max_size=6), max_size=30
)


@given(batches, st.integers(-3, 20))
def test_joining_blobs_and_restarting_lose_nothing(run: list[list[tuple[int, str, int]]], floor: int) -> None:
    store = MemoryStore()
    ledger = Ledger("t", store, summed)
    expected: dict[tuple[int, str], int] = {}
    for batch in run:
        ledger.append(rows(*batch))
        ledger.tidy()
        for cell, key, n in batch:
            expected[cell, key] = expected.get((cell, key), 0) + n
        ledger = Ledger("t", store, summed, ledger.snapshot())
    assert content(ledger) == expected
    assert content(ledger, [(0, 4), (9, 9)]) == {k: n for k, n in expected.items() if 0 <= k[0] <= 4 or k[0] == 9}
    wanted = pl.Series([-2, 0, 3, 4, 19], dtype=pl.Int64)
    found = ledger.look_up(wanted)
    alone = {} if found is None else {(cell, key): n for cell, key, n in summed(found, True).iter_rows()}
    assert alone == {k: n for k, n in expected.items() if k[0] in (-2, 0, 3, 4, 19)}
    ledger.drop_below(floor)
    assert content(ledger) == {k: n for k, n in expected.items() if k[0] >= floor}
    assert set(store) == {f"t/{s.number}" for s in ledger.segments}


def test_of_a_key_the_newest_version_counts_and_tombstones_go_when_nothing_older_is_left() -> None:
    reduce = state.newest(["key"], "_version")
    frame = pl.DataFrame({"key": ["a", "a", "b", "b"], "_version": [1, 2, 1, 3], "_gone": [False, False, False, True]})
    assert sorted(reduce(frame, False).rows()) == [("a", 2, False), ("b", 3, True)]
    assert reduce(frame, True).rows() == [("a", 2, False)]


def test_decoded_blobs_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MEMORY_ROWS", 3)
    ledger = Ledger("t", MemoryStore(), summed)
    ledger.append(rows((1, "a", 1), (2, "a", 1)))
    ledger.append(rows((3, "a", 1), (4, "a", 1)))
    assert list(ledger.decoded) == [1]
    ledger.append(rows(*((n, "a", 1) for n in range(5))))
    assert list(ledger.decoded) == []
    assert len(content(ledger)) == 5
