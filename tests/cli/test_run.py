"""`velo run` from the command line: what it answers, and that it never shows a stack trace."""

import json
from pathlib import Path
from typing import Any

import pytest

from velostream.cli.main import main

SOURCE = "'type' = 'file_source', 'path' = 'in/*.jsonl', 'format' = 'jsonl', 'event.time.field' = 'at'"


def application(home: Path, query: str = "SELECT k FROM s INTO out WITH (@sink);") -> Path:
    (home / "in").mkdir()
    lines = [json.dumps({"k": "a", "at": 1_700_000_000_000 + n * 1_000}) for n in range(3)]
    (home / "in" / "0.jsonl").write_text("\n".join(lines))
    file = home / "app.sql"
    sink = "'out.type' = 'file_sink', 'out.path' = 'out'"
    stream = f"CREATE STREAM s (k STRING, at BIGINT) WITH ({SOURCE});\n"
    file.write_text(stream + query.replace("@sink", sink))
    return file


def velo(home: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    report = home / "report.json"
    options = ["--checkpoint", str(home / "state"), "--report", str(report), "--master", "local[2]"]
    code = main(["run", str(home / "app.sql"), *options, *arguments])
    return code, json.loads(report.read_text())


def test_a_file_runs_until_its_input_ends(one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    application(tmp_path)
    code, report = velo(tmp_path, "--until-done")
    assert code == 0
    [job] = report["jobs"]
    assert job["records"]["read"] == job["records"]["in_results"] == 3
    assert job["state"] == "done"
    said = capsys.readouterr().err
    assert "done: 3 read = 3 in results" in said
    assert f"out: {tmp_path / 'out'}" in said
    assert "checkpoint: " in said
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 1


def test_a_file_is_watched_for_a_time(one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    application(tmp_path)
    code, report = velo(tmp_path, "--duration", "8s")
    assert code == 0
    assert report["jobs"][0]["state"] == "stopped"
    shown = capsys.readouterr().err
    assert "stopped: 3 read = 3 in results" in shown
    assert "watermark none yet" in shown


def test_a_file_with_errors_is_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "app.sql"
    file.write_text("SELECT a FROM nowhere")
    assert main(["run", str(file), "--until-done"]) == 2
    assert "unknown-stream" in capsys.readouterr().err


def test_a_sink_that_cannot_be_run_is_shown_at_its_place(
    one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    application(tmp_path, "SELECT k FROM s INTO out WITH (@sink, 'out.compression' = 'snappy');")
    assert main(["run", str(tmp_path / "app.sql"), "--until-done"]) == 2
    said = capsys.readouterr().err
    assert "error[unsupported]: sink 'out' cannot compress text by snappy" in said
    assert "app.sql:2:" in said


def test_a_job_that_fails_names_itself_and_the_others_stop(
    one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "CREATE STREAM bad AS SELECT k FROM s INTO out WITH (@sink);\n-- @name: fine\nSELECT k FROM s;"
    file = application(tmp_path, query)
    file.write_text(file.read_text().replace("'out.path' = 'out'", "'out.path' = 'app.sql/out'"))
    code, report = velo(tmp_path, "--until-done")
    said = capsys.readouterr().err
    assert code == 3
    assert "error[file-unusable]: job 'bad' (line 2) failed: 'out' cannot be written: " in said
    assert "\tat " not in said
    assert "Traceback" not in said
    states = {job["name"]: job["state"] for job in report["jobs"]}
    assert states["bad"] == "failed"
    assert states["fine"] != "failed"
    [failed] = [job for job in report["jobs"] if job["state"] == "failed"]
    assert "failed: " in failed["error"]
