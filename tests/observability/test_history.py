"""Every store gives back what it was given, forgets what is old, and keeps windows once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.observability.test_exposition import taken
from tests.postgres.server import Database

from velostream.observability.history.base import Store
from velostream.observability.history.parquet import MANY, ParquetStore
from velostream.observability.history.sqlite import SqliteStore
from velostream.observability.history.stores import PARQUET, POSTGRES, SQLITE, open_store
from velostream.observability.history.tables import JOBS, METRICS, PARTITIONS, TABLES, WINDOWS, rows_of

DAY = 86_400.0
NOW = 1_700_000_000.0
LINES = [[1, 0, 60_000_000, "final", 3, 1, 7, 4], [1, None, None, "change", 1, 2, 1, 4]]


def rows(at: float) -> dict[str, list[tuple[object, ...]]]:
    return rows_of(taken() | {"taken": at, "batch": 4}, LINES)


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
    jobs = store.table(JOBS).to_pylist()
    assert [row["at"].timestamp() for row in jobs] == [NOW - 40 * DAY, NOW]
    assert jobs[0] | {"at": None, "watermark": None} == {
        **{"at": None, "app": "shop", "job": "j", "state": "running", "batch": 4, "records_read": 7},
        **{"records_in_results": 0, "records_open": 0, "dead_letters": 2, "dropped": 1, "late": 0, "too_late": 0},
        **{"rows_emitted": 4, "watermark": None, "lag_seconds": 1.5, "open_windows": 0, "state_bytes": 0},
        **{"batch_p50": 0.5, "batch_p99": 0.5, "busy": 0.8, "pressure": "busy", "cause": "sink out"},
    }
    assert jobs[0]["watermark"].timestamp() == 1.0
    windows = store.table(WINDOWS).to_pylist()[:2]
    assert [(row["emission"], row["rows"], row["window_start"] is None) for row in windows] == [
        ("final", 3, False),
        ("change", 1, True),
    ]
    assert store.table(PARTITIONS).to_pylist()[0]["holds"] == 1
    assert {row["labels"] for row in store.table(METRICS).to_pylist()} >= {'{"k": "a"}', "{}"}
    store.forget(NOW - 30 * DAY)
    assert [store.table(table).num_rows for table in TABLES] == [1, 1, 2, 2, 4]


def test_many_small_files_of_a_day_are_made_one(tmp_path: Path) -> None:
    store = ParquetStore(tmp_path)
    for number in range(MANY + 2):
        store.add({"jobs": rows(NOW + number)["jobs"]})
    assert len(list((tmp_path / "jobs").glob("day=*/*.parquet"))) == 2
    assert store.table(JOBS).num_rows == MANY + 2


def test_a_reader_sees_what_a_writer_keeps(tmp_path: Path) -> None:
    writer, reader = SqliteStore(tmp_path / "h.sqlite"), SqliteStore(tmp_path / "h.sqlite")
    writer.add(rows(NOW))
    assert reader.table(JOBS).num_rows == 1
    writer.close()
    reader.close()
