import json
from pathlib import Path
from typing import Any

import pytest

from velostream.cli.main import main
from velostream.cli.run import summary

RECORDS = {
    "read": 10,
    "in_results": 5,
    "filtered": 1,
    "open": 1,
    "duplicates": 0,
    "unmatched": 0,
    "dead_lettered": {"too_late": 2},
    "dropped": {"late": 1},
}


def application(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    lines = [json.dumps({"k": "a", "at": 1_700_000_000_000 + n * 1_000}) for n in range(3)]
    (tmp_path / "in" / "0.jsonl").write_text("\n".join(lines))
    file = tmp_path / "app.sql"
    file.write_text(
        "CREATE STREAM s (k STRING, at BIGINT) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl', 'format' = 'jsonl',"
        " 'event.time.field' = 'at');\n"
        f"SELECT k FROM s INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{tmp_path}/out');\n"
    )
    return file


def velo(*arguments: str) -> int:
    return main(arguments)


def test_the_summary_adds_up_in_words() -> None:
    text = summary({"name": "x", "state": "done", "records": RECORDS})
    assert text == "x done: 10 read = 5 in results + 1 filtered + 1 open + 2 dead letters + 1 dropped"


def test_a_file_runs_until_its_input_ends(one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    options = ["--until-done", "--checkpoint", str(tmp_path / "state"), "--report", str(report), "--master", "local[2]"]
    assert velo("run", str(application(tmp_path)), *options) == 0
    [job] = json.loads(report.read_text())["jobs"]
    assert job["records"]["read"] == job["records"]["in_results"] == 3
    assert job["state"] == "done"
    assert "3 read = 3 in results" in capsys.readouterr().err


def test_a_file_is_watched_for_a_time(one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--duration", "8s", "--checkpoint", str(tmp_path / "state"), "--master", "local[2]"]
    assert velo("run", str(application(tmp_path)), *options) == 0
    shown = capsys.readouterr().err
    assert "stopped: 3 read = 3 in results" in shown
    assert "watermark none yet" in shown


def test_a_file_with_errors_is_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "app.sql"
    file.write_text("SELECT a FROM nowhere")
    assert velo("run", str(file), "--until-done") == 2
    assert "unknown-stream" in capsys.readouterr().err
