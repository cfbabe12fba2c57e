"""Where rows stand by their keys."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.tables.positions import Positions

KEYS = st.lists(st.tuples(st.integers(0, 99) | st.none(), st.text("ab|\\", max_size=3) | st.none()), max_size=60)
COLUMNS = {"n": pl.Int64, "t": pl.String}


def frame(rows: list[tuple[int | None, str | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


@given(KEYS, KEYS)
def test_every_key_is_found_where_it_stands_and_no_other(
    held: list[tuple[int | None, str | None]], asked: list[tuple[int | None, str | None]]
) -> None:
    keys = list(dict.fromkeys(held))
    places = {key: place for place, key in enumerate(keys)}
    found = Positions.of(frame(keys)).find(frame([*asked, *keys]))
    assert found.to_list() == [places.get(key) for key in [*asked, *keys]]


def test_keys_whose_hashes_are_alike_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def alike(keys: pl.DataFrame) -> pl.Series:
        return pl.Series(np.where(keys["n"].to_numpy() < 50, 7, 8), dtype=pl.UInt64)

    monkeypatch.setattr(pl.DataFrame, "hash_rows", alike)
    keys = [(number, "") for number in range(60)]
    found = Positions.of(frame(keys)).find(frame([*reversed(keys), (70, ""), (3, "b")]))
    assert found.to_list() == [*reversed(range(60)), None, None]
