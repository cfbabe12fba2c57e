"""Every store gives back what it was given, forgets what is old, and keeps windows once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from tests.observability.test_exposition import taken
from tests.postgres.server import Database

from velostream.errors import VeloError
from velostream.observability.history import parquet
from velostream.observability.history.base import Store, arrow
from velostream.observability.history.parquet import MANY, ParquetStore
from velostream.observability.history.recording import _Kept
from velostream.observability.history.sqlite import SqliteStore
from velostream.observability.history.stores import PARQUET, POSTGRES, SQLITE, open_store
from velostream.observability.history.tables import JOBS, METRICS, PARTITIONS, TABLES, WINDOWS, rows_of

DAY = 86_400.0
NOW = 1_700_000_000.0
LINES = [[1, 0, 60_000_000, "final", 3, 1, 7, 4], [1, None, None, "change", 1, 2, 1, 4]]


def rows(at: float, app: str = "shop") -> dict[str, list[tuple[object, ...]]]:
    return rows_of(taken() | {"taken": at, "batch": 4, "app": app}, LINES)


@pytest.fixture(params=[SQLITE, PARQUET, POSTGRES])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    place = str(tmp_path / "history")
    server = None
    if request.param == POSTGRES:
        server = Database()
        place = server.url
    opened = open_store(request.param, place)
    yield opened
    opened.close()
    if server is not None:
        server.close()


def test_what_is_kept_comes_back(store: Store) -> None:
    store.add(rows(NOW - 40 * DAY))
    store.add(rows(NOW))
    store.add(rows(NOW - 40 * DAY, "other"))
    jobs = store.table(JOBS, "shop").to_pylist()
    assert [row["at"].timestamp() for row in jobs] == [NOW - 40 * DAY, NOW]
    assert jobs[0] | {"at": None, "watermark": None} == {
        **{"at": None, "app": "shop", "job": "j", "state": "running", "batch": 4, "records_read": 7},
        **{"records_in_results": 0, "records_open": 0, "dead_letters": 2, "dropped": 1, "late": 0, "too_late": 0},
        **{"rows_emitted": 4, "watermark": None, "lag_seconds": 1.5, "open_windows": 0, "state_bytes": 0},
        **{"batch_p50": 0.5, "batch_p99": 0.5, "busy": 0.8, "pressure": "busy", "cause": "sink out"},
        **{"behind_seconds": None},
    }
    assert jobs[0]["watermark"].timestamp() == 1.0
    windows = store.table(WINDOWS, "shop").to_pylist()[:2]
    assert [(row["emission"], row["rows"], row["window_start"] is None) for row in windows] == [
        ("final", 3, False),
        ("change", 1, True),
    ]
    assert store.table(PARTITIONS, "shop").to_pylist()[0]["holds"] == 1
    assert {row["labels"] for row in store.table(METRICS, "shop").to_pylist()} >= {'{"k": "a"}', "{}"}
    assert [row[0] for row in store.rows(JOBS, "shop", NOW - DAY)] == [NOW]
    store.forget("shop", "j", NOW - 30 * DAY)
    assert [store.table(table, "shop").num_rows for table in TABLES] == [1, 1, 2, 2, 4]
    assert store.table(JOBS, "other").num_rows == 1, "what others keep there is theirs to forget"


def test_many_small_files_of_a_day_are_made_one(tmp_path: Path) -> None:
    store = ParquetStore(tmp_path)
    for number in range(MANY + 2):
        store.add({"jobs": rows(NOW + number)["jobs"]})
    assert len(list((tmp_path / "jobs").glob("day=*/*.parquet"))) == 2
    assert store.table(JOBS, "shop").num_rows == MANY + 2


def test_files_that_are_made_one_have_each_row_once_wherever_that_is_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MANY", 5)
    store = ParquetStore(tmp_path)
    for number in range(5):
        store.add({"jobs": rows(NOW + number)["jobs"]})
    others = sorted((tmp_path / "jobs").glob("day=*/*.parquet"))
    removed: list[Path] = []
    unlink = Path.unlink

    def killed_at_the_third(file: Path, *, missing_ok: bool = False) -> None:
        assert ParquetStore(tmp_path).table(JOBS, "shop").num_rows == 6, "while they go"
        if len(removed) == 2:
            raise KeyboardInterrupt
        removed.append(file)
        unlink(file, missing_ok=missing_ok)

    with monkeypatch.context() as killing:
        killing.setattr(Path, "unlink", killed_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            store.add({"jobs": rows(NOW + 5)["jobs"]})
    assert removed == others[:2]
    assert ParquetStore(tmp_path).table(JOBS, "shop").num_rows == 6, "after a restart"
    for number in range(6, 9):
        store.add({"jobs": rows(NOW + number)["jobs"]})
    left = list((tmp_path / "jobs").glob("day=*/*.parquet"))
    assert len(left) < 5, "what was left of the others is gone"
    assert ParquetStore(tmp_path).table(JOBS, "shop").num_rows == 9
    hidden = left[0].with_name(f".{left[0].name}")
    hidden.touch()
    store.forget("shop", str(rows(NOW)["jobs"][0][2]), NOW + 3 * DAY)
    assert not list((tmp_path / "jobs").glob("day=*/.*"))
    assert ParquetStore(tmp_path).table(JOBS, "shop").num_rows == 0


def test_a_reader_looks_again_where_a_file_goes_that_it_has_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MANY", 3)
    store = ParquetStore(tmp_path)
    for number in range(3):
        store.add({"jobs": rows(NOW + number)["jobs"]})
    counting = parquet._counting
    seen: list[int] = []

    def meanwhile(files: list[Path]) -> list[Path]:
        found = counting(files)
        seen.append(len(found))
        if len(seen) == 1:
            store.add({"jobs": rows(NOW + 3)["jobs"]})
        return found

    monkeypatch.setattr(parquet, "_counting", meanwhile)
    assert ParquetStore(tmp_path).table(JOBS, "shop").num_rows == 4
    assert seen[0] == 3
    assert seen[-1] == 1


def test_a_reader_sees_what_a_writer_keeps(tmp_path: Path) -> None:
    writer, reader = SqliteStore(tmp_path / "h.sqlite"), SqliteStore(tmp_path / "h.sqlite")
    writer.add(rows(NOW))
    assert reader.table(JOBS, "shop").num_rows == 1
    writer.close()
    reader.close()


def test_what_an_older_version_has_begun_is_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "h.sqlite"
    with closing(sqlite3.connect(file)) as older:
        older.execute("CREATE TABLE jobs (at, app, job, state)")
        older.execute("INSERT INTO jobs VALUES (?, 'shop', 'j', 'running')", (NOW - DAY,))
        older.commit()
    store = SqliteStore(file)
    store.add(rows(NOW))
    found = store.table(JOBS, "shop").to_pylist()
    assert [(row["state"], row["records_read"]) for row in found] == [("running", None), ("running", 7)]
    store.close()
    folder = tmp_path / "jobs" / "day=2023-11-14"
    folder.mkdir(parents=True)
    older_rows = arrow(JOBS, rows(NOW)["jobs"]).drop_columns(["behind_seconds"])
    pq.write_table(older_rows, folder / "1-1-000001,shop,j.parquet")
    assert ParquetStore(tmp_path).table(JOBS, "shop")["behind_seconds"].to_pylist() == [None]


def test_a_store_that_cannot_be_opened_is_named_without_its_password() -> None:
    with pytest.raises(VeloError, match=r"'postgresql://me:\*\*\*\*@127.0.0.1:1/x' cannot be opened") as refusal:
        open_store(POSTGRES, "postgresql://me:secret@127.0.0.1:1/x")
    assert refusal.value.error_code == "database-unreachable"


def test_a_series_is_kept_when_its_value_has_changed() -> None:
    kept = _Kept(SimpleNamespace(), SimpleNamespace(), 1.0, 1.0)  # type: ignore[arg-type]
    first = rows(NOW)["metrics"]
    assert kept.changed(first) == first
    moved = [(*row[:5], row[5] + 1) if place == 0 else row for place, row in enumerate(rows(NOW + 10)["metrics"])]  # type: ignore[operator]
    assert kept.changed(moved) == moved[:1]
