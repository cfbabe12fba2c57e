"""Closed windows put away in files: exactly once, corrected, and asked afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from velostream.cli.main import main

APP = """CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'event.time.field' = 'at', 'files.per.batch' = '1');
CREATE STREAM minutes AS SELECT UPPER(k) AS name, SUM(v) AS total, COLLECT_LIST(v) AS all_v FROM s
    GROUP BY k WINDOW TUMBLING(1m) HAVING total >= 0 INTO out WITH ('out.type' = 'memory_sink',
    'state.cold.backend' = 'files', 'state.cold.location' = 'cold', 'allowed.lateness' = '1h');
"""


def give(home: Path, name: str, *records: tuple[str, int, str]) -> None:
    (home / "in").mkdir(exist_ok=True)
    lines = [json.dumps({"k": k, "v": v, "at": f"2026-01-01T{at}Z"}) for k, v, at in records]
    (home / "in" / name).write_text("\n".join(lines) + "\n")


def run(home: Path) -> dict[str, Any]:
    options = ["--until-done", "--checkpoint", str(home / "state"), "--master", "local[2]"]
    assert main(["run", str(home / "app.sql"), *options, "--report", str(home / "report.json")]) == 0
    [job] = json.loads((home / "report.json").read_text())["jobs"]
    return dict(job)


def windows(home: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["windows", "minutes", "--app", str(home / "app.sql"), "--format", "json", *more]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_windows_are_put_away_once_and_stand_corrected_after_a_stop_and_a_replay(
    one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.sql").write_text(APP)
    give(tmp_path, "0.jsonl", ("a", 1, "10:00:00"), ("b", 2, "10:00:01"))
    give(tmp_path, "1.jsonl", ("a", 3, "10:05:00"))
    report = run(tmp_path)
    assert report["windows"]["windows_pruned_total"] == 3
    first = windows(tmp_path, capsys)
    assert [(row["k"], row["name"], row["total"], row["_revision"]) for row in first] == [
        ("a", "A", 1, 1),
        ("b", "B", 2, 1),
        ("a", "A", 3, 1),
    ]
    assert {row["_event_count"] for row in first} == {1}
    give(tmp_path, "2.jsonl", ("a", 9, "10:00:30"), ("b", -9, "10:00:40"))
    run(tmp_path)
    kept = sorted((tmp_path / "cold").rglob("*.parquet"))
    commits = tmp_path / "state" / "minutes" / "spark" / "commits"
    last = max(commits.glob("[0-9]*"), key=lambda each: int(each.name))
    for file in (last, commits / f".{last.name}.crc"):
        file.unlink(missing_ok=True)
    run(tmp_path)
    assert set(kept) <= set((tmp_path / "cold").rglob("*.parquet")), "the last micro-batch was run again"
    assert [(row["name"], row["total"], row["_emission"]) for row in windows(tmp_path, capsys)] == [
        ("A", 10, "late"),
        ("A", 3, "final"),
    ], "HAVING has withdrawn that of b"
    said = windows(tmp_path, capsys, "--revisions", "--key", "b")
    assert [(row["_emission"], row["_revision"]) for row in said] == [("final", 1), ("retract", 1)]
    one = windows(tmp_path, capsys, "--key", "A", "--from", "2026-01-01T10:01", "--to", "2026-01-01T11:00")
    assert [row["all_v"] for row in one] == [[3]]
    question = """SELECT name, total, _revision, _event_count, size(all_v) AS n FROM minutes
        WHERE _window_end < TIMESTAMP '2026-01-01 10:02:00'"""
    options = ["--app", str(tmp_path / "app.sql"), "--master", "local[2]", "--format", "csv"]
    assert main(["query", question, *options]) == 0
    assert capsys.readouterr().out == "name,total,_revision,_event_count,n\nA,10,2,2,2\n"


def test_windows_of_large_micro_batches_are_put_away_by_workers(
    one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("velostream.jobs.writing.FEW", 0)
    monkeypatch.setattr("velostream.sinks.writers.batch.FEW", 0)
    (tmp_path / "app.sql").write_text(APP)
    give(tmp_path, "0.jsonl", ("a", 1, "10:00:00"), ("b", 2, "10:00:01"), ("a", 3, "10:00:02"))
    assert run(tmp_path)["windows"]["windows_pruned_total"] == 2
    found = windows(tmp_path, capsys)
    assert [(row["k"], row["name"], row["total"], row["_event_count"]) for row in found] == [
        ("a", "A", 4, 2),
        ("b", "B", 2, 1),
    ]
    assert {(row["_emission"], row["_revision"], row["_window_start"]) for row in found} == {
        ("final", 1, "2026-01-01 10:00:00+00:00")
    }


@pytest.mark.parametrize(
    ("job", "told"),
    [("minute", "there is no job 'minute'"), ("loud", "job 'loud' puts no closed windows away")],
)
def test_what_was_not_put_away_cannot_be_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], job: str, told: str
) -> None:
    (tmp_path / "app.sql").write_text(f"{APP}-- @name: loud\nSELECT k FROM s WHERE v > 1;\n")
    assert main(["windows", job, "--app", str(tmp_path / "app.sql")]) == 2
    assert told in capsys.readouterr().err


def test_a_time_that_is_none_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "app.sql").write_text(APP)
    assert main(["windows", "minutes", "--app", str(tmp_path / "app.sql"), "--from", "noon"]) == 2
    assert "'noon' is not a time" in capsys.readouterr().err
