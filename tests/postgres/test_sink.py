"""Whole statements into a real PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.postgres.apps import SOURCE, letters, run, write_lines

if TYPE_CHECKING:
    from tests.postgres.server import Database

START = 1_700_000_040_000


def test_windows_are_corrected_in_place_and_a_run_again_changes_nothing(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    write_lines(tmp_path, "1.jsonl", [{"k": k, "v": 1, "at": START + n * 1000} for n in range(10) for k in "ab"])
    write_lines(tmp_path, "2.jsonl", [{"k": "a", "v": 5, "at": START + 200_000}])
    write_lines(tmp_path, "3.jsonl", [{"k": "b", "v": -100, "at": START + 30_000}, "{broken"])
    text = f"""{SOURCE}
        CREATE STREAM minutes AS SELECT k PRIMARY KEY, COUNT(*) AS n, SUM(v) AS total, COLLECT_LIST(v) AS all_v
        FROM s GROUP BY k WINDOW TUMBLING(1m) HAVING SUM(v) > 0 INTO bars WITH ('bars.type' = 'database_sink',
        'bars.url' = '{postgres.url}', 'bars.table' = 'minutes', 'bars.table.create' = 'true',
        'allowed.lateness' = '10m', 's.watermark.scope' = 'source');"""
    report = run(one_spark, tmp_path, text)
    assert report["records"]["dead_lettered"] == {"undecodable": 1}
    gone = {"early": 0, "final": 3, "late": 0, "change": 0, "retract": 1}
    assert report["emitted"] == gone, "the window of b was there, and was taken back"
    found = postgres.ask("SELECT k, n, total, all_v FROM minutes ORDER BY k, _window_start")
    assert [(k, n, total) for k, n, total, *_ in found] == [("a", 10, 10), ("a", 1, 5)]
    assert found[0][3] == [1] * 10
    assert report["circuit_breakers"]["bars"]["state"] == "closed"
    kinds = postgres.ask("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'minutes'")
    assert dict(kinds)["all_v"] == "jsonb"
    assert dict(kinds)["_window_start"] == "timestamp with time zone"
    [(batch,)] = postgres.ask("SELECT batch FROM velostream_batches WHERE sink = 'bars'")
    run(one_spark, tmp_path, text)
    assert postgres.ask("SELECT count(*), sum(total) FROM minutes") == [(2, 15)]
    assert postgres.ask("SELECT batch FROM velostream_batches WHERE sink = 'bars'")[0][0] >= batch


def test_windows_whose_start_is_selected_by_another_name_are_rows_of_their_own(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    write_lines(tmp_path, "1.jsonl", [{"k": "a", "v": v, "at": START + v * 60_000} for v in range(3)])
    write_lines(tmp_path, "2.jsonl", [{"k": "a", "v": 9, "at": START}])
    text = f"""{SOURCE}
        CREATE STREAM begun AS SELECT k PRIMARY KEY, _window_start AS began, SUM(v) AS total FROM s GROUP BY k
        WINDOW TUMBLING(1m) INTO db WITH ('db.type' = 'database_sink', 'db.url' = '{postgres.url}',
        'db.table' = 'begun', 'db.table.create' = 'true', 'allowed.lateness' = '10m',
        's.watermark.scope' = 'source');"""
    run(one_spark, tmp_path, text)
    assert postgres.ask("SELECT total, _revision FROM begun ORDER BY began") == [(9, 2), (1, 1), (2, 1)]


def test_a_row_that_the_table_refuses_is_a_dead_letter_and_the_rest_is_written(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    postgres.ask("CREATE TABLE positive (k text PRIMARY KEY, v int CHECK (v > 0))")
    write_lines(tmp_path, "1.jsonl", [{"k": f"k{n}", "v": n, "at": START} for n in range(50)])
    text = f"""{SOURCE}
        CREATE STREAM copied AS SELECT k PRIMARY KEY, v FROM s INTO db WITH ('db.type' = 'database_sink',
        'db.url' = '{postgres.url}', 'db.table' = 'positive');"""
    report = run(one_spark, tmp_path, text)
    assert postgres.ask("SELECT count(*), min(v) FROM positive") == [(49, 1)]
    assert report["records"]["in_results"] == 49
    assert report["records"]["dead_lettered"] == {"refused": 1}
    assert report["refused"] == 1
    [letter] = letters(tmp_path, "copied")
    assert letter["reason"] == "refused"
    assert "positive_v_check" in letter["error"]
    assert '"k0"' in letter["record"]
