"""Versions of tables on disk, and which of them a micro-batch sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from velostream.tables.newest import TIME
from velostream.tables.pins import Pins
from velostream.tables.store import About, TableStore, Version
from velostream.tables.view import TableView
from velostream.tables.writer import TableWriter


def table(*values: int) -> pa.Table:
    return pa.table({"v": pa.array(values, pa.int64()), TIME: pa.array([0] * len(values), pa.int64())})


def shown(view: TableView) -> list[int]:
    import pyarrow.parquet as pq

    files = sorted((view.folder / "base").iterdir())
    return [value for file in files for value in pq.read_table(file)["v"].to_pylist()]


def publish(store: TableStore, rows: pa.Table, **about: Any) -> Version:
    return TableWriter(store, ()).replace(rows, About(**about))


def pins(home: Path, store: TableStore) -> Pins:
    view = TableView(home / "job" / "tables" / "t", store, [("v", "BIGINT")])
    return Pins(home / "job" / "tables.json", {"t": view})


def test_a_version_is_read_as_it_was_written(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    version = publish(store, table(1, 2), offset={"files": {"a": [1, 2]}}, made_by="q/0")
    assert (version.number, version.rows, version.about.made_by) == (1, 2, "q/0")
    newest = store.newest()
    assert newest is not None
    assert newest.about.offset == {"files": {"a": [1, 2]}}
    assert newest.read()["v"].to_pylist() == [1, 2]


def test_a_table_without_rows_has_a_version_too(tmp_path: Path) -> None:
    assert publish(TableStore(tmp_path, "t"), table()).read().num_rows == 0


def test_what_was_cut_off_while_it_was_written_is_no_version(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    publish(store, table(1))
    (store.folder / ".000000002").mkdir()
    assert store.numbers() == [1]
    assert publish(store, table(2)).number == 2


def test_a_load_that_has_not_ended_is_not_seen(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    publish(store, table(1), complete=False)
    assert store.newest() is None
    assert store.newest(complete=False) is not None


def test_old_versions_go_unless_a_micro_batch_may_ask_for_them(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    for value in range(4):
        publish(store, table(value))
    store.forget(kept={2})
    assert store.numbers() == [2, 4]


def test_a_micro_batch_sees_the_version_that_was_newest_before_it(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    publish(store, table(1))
    job = pins(tmp_path, store)
    job.resume(0, begun=False)
    assert shown(job.views["t"]) == [1]
    publish(store, table(2))
    assert job.stale
    assert shown(job.views["t"]) == [1]
    job.advance(1)
    assert shown(job.views["t"]) == [2]
    assert not job.stale


def test_the_re_run_of_a_micro_batch_sees_what_it_saw(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    publish(store, table(1))
    pins(tmp_path, store).resume(0, begun=False)
    publish(store, table(2))
    pins(tmp_path, store).advance(1)
    again = pins(tmp_path, store)
    again.resume(0, begun=True)
    assert shown(again.views["t"]) == [1]
    assert again.held == {"t": {1}}


def test_a_start_after_all_was_done_sees_the_newest(tmp_path: Path) -> None:
    store = TableStore(tmp_path, "t")
    publish(store, table(1))
    pins(tmp_path, store).resume(0, begun=False)
    publish(store, table(2))
    again = pins(tmp_path, store)
    again.resume(1, begun=False)
    assert shown(again.views["t"]) == [2]


def test_the_re_run_of_a_micro_batch_sees_tables_that_its_statement_has_gained_and_none_that_it_has_lost(
    tmp_path: Path,
) -> None:
    store, other = TableStore(tmp_path, "t"), TableStore(tmp_path, "u")
    publish(store, table(1))
    pins(tmp_path, store).resume(0, begun=False)
    publish(other, table(7))
    view = TableView(tmp_path / "job" / "tables" / "u", other, [("v", "BIGINT")])
    again = Pins(tmp_path / "job" / "tables.json", {"u": view})
    again.resume(0, begun=True)
    assert shown(view) == [7]
