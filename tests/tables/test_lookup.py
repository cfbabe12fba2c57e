"""Looking rows up by key from Python."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pytest

from velostream.errors import VeloError
from velostream.tables.lookup import TableLookup
from velostream.tables.newest import TIME
from velostream.tables.store import About, TableStore
from velostream.tables.writer import TableWriter


def writer(home: Path, key: tuple[str, ...] = ("k",)) -> TableWriter:
    return TableWriter(TableStore(home, "t"), key)


def rows(*given: tuple[int, str]) -> pa.Table:
    keys, names = [one[0] for one in given], [one[1] for one in given]
    return pa.table({"k": pa.array(keys, pa.int64()), "name": names, TIME: pa.array([0] * len(given), pa.int64())})


def test_rows_come_in_the_order_of_the_keys_with_nulls_where_there_is_none(tmp_path: Path) -> None:
    writer(tmp_path).replace(rows((1, "one"), (2, "two")), About())
    table = TableLookup(tmp_path, "t")
    assert table.rows([2, 9, 1, 2])["name"].to_pylist() == ["two", None, "one", "two"]
    assert table.rows({"k": [1]}).to_pylist() == [{"k": 1, "name": "one"}]
    assert table.row(2) == {"k": 2, "name": "two"}
    assert table.row(9) is None
    assert (table.key, table.version) == (("k",), 1)


def test_newer_rows_are_seen_soon(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.replace(rows((1, "one")), About())
    table = TableLookup(tmp_path, "t", fresh=0.0)
    assert table.row(1) == {"k": 1, "name": "one"}
    made.change(rows((1, "uno")), About())
    assert table.row(1) == {"k": 1, "name": "uno"}


def test_keys_of_several_columns_are_given_by_name(tmp_path: Path) -> None:
    writer(tmp_path, ("k", "name")).replace(rows((1, "a"), (1, "b")), About())
    table = TableLookup(tmp_path, "t")
    assert table.rows(pa.table({"name": ["b"], "k": [1]})).num_rows == 1
    assert table.row(1, "c") is None
    with pytest.raises(VeloError, match="cannot be looked up by 1 column") as refusal:
        table.rows([1])
    assert "k, name" in refusal.value.hint
    with pytest.raises(VeloError, match="cannot be looked up by 1 column"):
        table.row(1)


def test_a_table_that_was_never_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="table 't' has no rows"):
        TableLookup(tmp_path, "t").row(1)


def test_a_million_keys_are_looked_up_in_about_a_second(tmp_path: Path) -> None:
    count = 200_000
    table = pa.table(
        {"k": pa.array(range(count), pa.int64()), "v": range(count), TIME: pa.array([0] * count, pa.int64())}
    )
    writer(tmp_path).replace(table, About())
    looked = TableLookup(tmp_path, "t")
    wanted = [(7 * number) % (2 * count) for number in range(1_000_000)]
    keys = pa.table({"k": pa.array(wanted, pa.int64())})
    looked.row(1)
    began = time.process_time()
    found = looked.rows(keys)
    assert time.process_time() - began < 2.0
    assert found.num_rows == 1_000_000
    assert found["v"].null_count == sum(key >= count for key in wanted)
