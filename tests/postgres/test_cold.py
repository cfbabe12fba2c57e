"""Closed windows put away in a real PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.postgres.apps import SOURCE, run, runner_of, write_lines

from velostream.jobs.asking import ask, refuse_streams
from velostream.jobs.closed import asked, closed
from velostream.jobs.closed_rows import Wanted
from velostream.jobs.cold import place_of_job
from velostream.jobs.written import asked_for
from velostream.plan import plan
from velostream.validation import validate

if TYPE_CHECKING:
    from tests.postgres.server import Database

START = 1_700_000_040_000


def test_windows_are_put_away_in_a_table_once_and_are_asked_as_they_stand(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    text = f"""{SOURCE}
        CREATE STREAM minutes AS SELECT CAST(SUM(v) AS DECIMAL(12, 2)) AS total, COLLECT_LIST(v) AS all_v FROM s
        GROUP BY k WINDOW TUMBLING(1m) INTO out WITH ('out.type' = 'memory_sink', 'state.cold.backend' = 'postgres',
        'state.cold.location' = '{postgres.url}', 'state.cold.retention' = '2d', 'allowed.lateness' = '1h');"""
    write_lines(tmp_path, "1.jsonl", [{"k": k, "v": 1, "at": START} for k in ("a", "b", None)])
    report = run(one_spark, tmp_path, text)
    assert report["windows"]["windows_pruned_total"] == 3
    write_lines(tmp_path, "2.jsonl", [{"k": "a", "v": 5, "at": START + 1_000}])
    run(one_spark, tmp_path, text)
    commits = tmp_path / "checkpoint" / "minutes" / "spark" / "commits"
    last = max(commits.glob("[0-9]*"), key=lambda each: int(each.name))
    for file in (last, commits / f".{last.name}.crc"):
        file.unlink(missing_ok=True)
    run(one_spark, tmp_path, text)
    assert postgres.ask("SELECT count(*) FROM velo_windows_test_minutes") == [(4,)], "a replay has added nothing"
    runner = runner_of(one_spark, tmp_path, text)
    found = asked(runner.plan, "minutes", tmp_path, Wanted()).to_pylist()
    assert [(row["k"], str(row["total"]), row["all_v"], row["_emission"]) for row in found] == [
        ("a", "6.00", [1, 5], "late"),
        ("b", "1.00", [1], "final"),
        (None, "1.00", [1], "final"),
    ]
    question = "SELECT total + 1 AS more, all_v[1] AS second FROM minutes WHERE k = 'a'"
    written = asked_for(runner.plan, question, tmp_path)
    answer = validate(f"{text}\n{written['minutes'].declaration}\n{question}", "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    planned = plan(answer.bound, answer.library)
    refuse_streams(planned.jobs[-1])
    rows = ask(planned, planned.jobs[-1], one_spark, tmp_path / "checkpoint", written).to_pylist()
    assert [(str(row["more"]), row["second"]) for row in rows] == [("7.00", 5)]


def test_windows_beyond_their_retention_are_deleted(one_spark: Any, tmp_path: Path, postgres: Database) -> None:
    text = f"""{SOURCE}
        CREATE STREAM hours AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1h) INTO out
        WITH ('out.type' = 'memory_sink', 'state.cold.backend' = 'postgres', 'state.cold.location' = '{postgres.url}',
        'state.cold.retention' = '2d');"""
    write_lines(tmp_path, "1.jsonl", [{"k": "a", "v": 1, "at": START}])
    run(one_spark, tmp_path, text)
    plan_of = runner_of(one_spark, tmp_path, text).plan
    place = place_of_job(plan_of.jobs[0], plan_of, tmp_path)
    assert place is not None
    assert closed(place).num_rows == 1
    old = datetime.now(UTC) - timedelta(days=3)
    postgres.ask(f"UPDATE velo_windows_test_hours SET _closed_at = '{old.isoformat()}'")
    assert closed(place).num_rows == 0
    write_lines(tmp_path, "2.jsonl", [{"k": "b", "v": 1, "at": START + 7_200_000}])
    run(one_spark, tmp_path, text)
    assert postgres.ask("SELECT k FROM velo_windows_test_hours") == [("b",)]
