"""Closed windows as they stand in the files of a cold tier, and how these are kept in order."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from velostream.durations import DAY, SECOND
from velostream.jobs import cold_files
from velostream.jobs.closed import closed
from velostream.jobs.closed_rows import Wanted, found, of_key
from velostream.jobs.cold import ColdPlace
from velostream.plan.cold import Cold
from velostream.sinks.writers.batch import BatchRows
from velostream.sinks.writers.files import write_parts
from velostream.sinks.writers.staging import Place

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
Said = tuple[str, int, int, str, int]
"""Symbol, minute after noon, count, emission, revision."""


@pytest.fixture
def place(tmp_path: Path) -> ColdPlace:
    return ColdPlace(Cold("bars", "files", "cold", 7 * DAY, (("k", "STRING"), ("n", "INT")), ("k",)), "app", tmp_path)


def put(place: ColdPlace, number: int, *said: Said, query: str = "q1", ago: float = 0.0) -> None:
    at = datetime.now(UTC) - timedelta(seconds=ago) + timedelta(microseconds=number)
    rows = [
        {
            **{"k": k, "n": n, "_window_start": NOON + timedelta(minutes=minute)},
            **{"_window_end": NOON + timedelta(minutes=minute + 1), "_emission": emission},
            **{"_revision": revision, "_event_count": n, "_closed_at": at},
        }
        for k, minute, n, emission, revision in said
    ]
    times = pa.timestamp("us", "UTC")
    schema = pa.schema(
        [
            *(("k", pa.string()), ("n", pa.int32()), ("_window_start", times), ("_window_end", times)),
            *(("_emission", pa.string()), ("_revision", pa.int64()), ("_event_count", pa.int64())),
            ("_closed_at", times),
        ]
    )
    table = pa.Table.from_pylist(rows, schema=schema)
    where = Place(place.folder, "closed", query, number)
    write_parts(where, BatchRows(None, table.num_rows, table), cold_files.ENCODING, 1 << 20)
    for file in place.folder.glob(f"{where.prefix}*"):
        os.utime(file, (at.timestamp(), at.timestamp()))


def shown(place: ColdPlace, **wanted: Any) -> list[tuple[Any, ...]]:
    rows = closed(place, Wanted(**wanted)).to_pylist()
    return [(row["k"], row["_window_start"].minute, row["n"], row["_emission"], row["_revision"]) for row in rows]


def test_nothing_was_put_away_yet(place: ColdPlace) -> None:
    assert shown(place) == []
    assert shown(place, key="A") == []


def test_a_window_is_as_it_was_said_last(place: ColdPlace) -> None:
    put(place, 1, ("A", 0, 5, "final", 1), ("B", 0, 2, "final", 1))
    put(place, 2, ("A", 0, 5, "retract", 1), ("A", 0, 6, "late", 2), ("B", 0, 2, "retract", 1))
    assert shown(place) == [("A", 0, 6, "late", 2)], "that of B was withdrawn"
    said = shown(place, revisions=True, key="a")
    assert said == [("A", 0, 5, "final", 1), ("A", 0, 5, "retract", 1), ("A", 0, 6, "late", 2)]


def test_a_micro_batch_that_runs_again_takes_the_place_of_itself(place: ColdPlace) -> None:
    put(place, 1, ("A", 0, 5, "final", 1))
    put(place, 1, ("A", 0, 5, "final", 1))
    assert len([*place.folder.glob("*.parquet")]) == 1
    assert len(shown(place, revisions=True)) == 1


def test_a_newer_run_over_the_same_windows_is_what_stands(place: ColdPlace) -> None:
    put(place, 9, ("A", 0, 5, "final", 1), ("A", 0, 6, "late", 2), ago=60)
    put(place, 1, ("A", 0, 7, "final", 1), query="q2")
    assert shown(place) == [("A", 0, 7, "final", 1)]


def test_windows_are_found_by_key_and_time(place: ColdPlace) -> None:
    put(place, 1, *((k, minute, 1, "final", 1) for k in "AB" for minute in range(4)))
    assert [row[:2] for row in shown(place, key="b", begin=NOON + timedelta(minutes=2))] == [("B", 2), ("B", 3)]
    assert [row[:2] for row in shown(place, key="A", end=NOON + timedelta(minutes=1))] == [("A", 0)]


def test_a_key_is_one_part_of_the_group_or_all_of_it_whatever_its_letters() -> None:
    rows = pa.table({"k": ["Straße", "b|c", None, "x"], "n": [1, 2, 3, 4]})
    named = {
        key: of_key(rows, ("k", "n"), key)["n"].to_pylist() for key in ("STRASSE|1", "b|c|2", "3", "null|3", "b", "x|1")
    }
    assert named == {"STRASSE|1": [1], "b|c|2": [2], "3": [3], "null|3": [3], "b": [], "x|1": []}
    assert of_key(rows, (), "x").num_rows == 0


def test_of_very_many_windows_the_newest_are_read_each_with_all_that_was_said(place: ColdPlace) -> None:
    for minute in range(10):
        put(place, minute + 1, *((key, minute, 1, "final", 1) for key in "ABC"))
    put(place, 11, ("B", 8, 2, "late", 2), ("B", 2, 2, "late", 2))
    _, oldest = found(place, Wanted(most=4))
    assert oldest == NOON + timedelta(minutes=8), "4 rows are not all of two windows, so that all of both are read"
    assert [row[:3] for row in shown(place, most=4)] == [
        *(("A", 8, 1), ("B", 8, 2), ("C", 8, 1), ("A", 9, 1), ("B", 9, 1), ("C", 9, 1)),
    ]
    assert found(place, Wanted(key="b", most=20))[1] is None, "all of one key are few"


def test_windows_beyond_their_retention_are_gone(place: ColdPlace) -> None:
    put(place, 1, ("A", 0, 1, "final", 1), ago=8 * DAY / SECOND)
    put(place, 2, ("A", 1, 1, "final", 1), ago=6 * DAY / SECOND)
    assert [row[1] for row in shown(place)] == [1], "they are not shown"
    cold_files.forget(place.folder, place.oldest)
    assert [file.name.split("-")[3] for file in place.folder.glob("*.parquet")] == ["000000002"]


def test_small_files_become_one_and_what_may_be_written_again_is_left(
    place: ColdPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cold_files, "MANY", 3)
    for number in range(5):
        put(place, number, ("A", number, 1, "final", 1), ago=100 - number)
    put(place, 1, ("B", 0, 1, "final", 1), query="q2")
    before = shown(place)
    cold_files.join(Place(place.folder, "closed", "q1", 4))
    assert sorted(file.name for file in place.folder.iterdir()) == [
        "part-closed-q1-000000003-00000.parquet",
        "part-closed-q1-000000004-00000.parquet",
        "part-closed-q2-000000001-00000.parquet",
    ]
    assert shown(place) == before
    joined = place.folder / "part-closed-q1-000000003-00000.parquet"
    assert 90 < time.time() - joined.stat().st_mtime < 110, "as old as its newest row"


def test_the_name_of_a_table_needs_no_quotes_and_is_one_job_s_only(tmp_path: Path) -> None:
    def table(app: str, job: str) -> str:
        return ColdPlace(Cold(job, "postgres", "", 1, (), ()), app, tmp_path).table

    assert table("shop", "bars") == "velo_windows_shop_bars"
    names = {table("shop", "Bars"), table("shop", "bars"), table("shop", "bars" * 30), table("shop", "bars" * 31)}
    assert len(names) == 4
    assert all(len(name) <= 63 for name in names)
