"""Looking rows up by key from Python."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from decimal import Decimal
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
    with pytest.raises(VeloError, match="'1' is not a key of table 't'"):
        table.row(1)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (pa.array([Decimal("1.20")], pa.decimal128(10, 2)), "1.2"),
        (pa.array([datetime(2026, 1, 1, 9, 30, tzinfo=UTC)], pa.timestamp("us", "UTC")), "2026-01-01T09:30:00Z"),
        (pa.array([date(2026, 1, 2)]), "2026-01-02"),
        (pa.array([True]), "true"),
        (pa.array([5]), "5"),
    ],
)
def test_texts_are_read_as_the_type_of_the_key_is_written(tmp_path: Path, values: pa.Array, text: str) -> None:
    kept = pa.table({"k": values, TIME: pa.array([0], pa.int64())})
    writer(tmp_path).replace(kept, About())
    table = TableLookup(tmp_path, "t")
    assert table.row(text) == {"k": values[0].as_py()}
    with pytest.raises(VeloError, match="a value for 'k' of table 't' is not of its type"):
        table.row("nonsense")


def test_a_table_that_was_never_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="table 't' is not loaded yet"):
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


def test_names_are_taken_in_any_letter_case_as_in_sql(tmp_path: Path) -> None:
    writer(tmp_path, ("k", "name")).replace(rows((1, "a")), About())
    table = TableLookup(tmp_path, "T")
    assert table.rows({"NAME": ["a"], "K": [1]}).to_pylist() == [{"k": 1, "name": "a"}]
    with pytest.raises(VeloError) as refusal:
        table.rows({"nam": ["a"], "k": [1]})
    assert "'nam' is not 'name'" in refusal.value.hint


def test_a_table_that_is_not_there_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    TableWriter(TableStore(tmp_path, "limits"), ("k",)).replace(rows((1, "a")), About())
    with pytest.raises(VeloError, match="limit") as refusal:
        TableLookup(tmp_path, "limit").row(1)
    assert "did you mean 'limits'" in refusal.value.hint
