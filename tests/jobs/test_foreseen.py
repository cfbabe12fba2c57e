"""Files that are not there are said before Spark starts, unless somebody waits for them or writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from velostream.cli.main import main
from velostream.errors import VeloError
from velostream.jobs.foreseen import refuse_missing_files
from velostream.plan import plan
from velostream.validation import validate


def look(folder: Path, path: str, sink: str = "out.jsonl", more: str = "") -> None:
    text = (
        f"CREATE STREAM s (k STRING) WITH ('type' = 'file_source', 'path' = '{path}', 'format' = 'jsonl'{more});\n"
        f"SELECT k FROM s INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{sink}', 'out.format' = 'jsonl');"
    )
    answer = validate(text, "a.sql", folder=folder, variables={})
    assert answer.ok
    refuse_missing_files(plan(answer.bound, answer.library), folder / "state", folder)


@pytest.mark.parametrize("path", ["nope.jsonl", "in/*.jsonl", "in"])
def test_a_file_that_is_not_there_is_an_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(VeloError, match=f"there is no file '{path.replace('*', '[*]')}' for 's'"):
        look(tmp_path, path, "out/rows.jsonl")


def test_files_that_are_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "there.jsonl").touch()
    look(tmp_path, "there.jsonl")
    look(tmp_path, "*.jsonl")


@pytest.mark.parametrize(
    ("path", "sink"),
    [("made.jsonl", "made.jsonl"), ("made-*.jsonl", "made.jsonl"), ("made-1.jsonl", "made.jsonl"), ("a/*.jsonl", "a")],
)
def test_files_that_a_job_may_write_are_not_asked_for(tmp_path: Path, path: str, sink: str) -> None:
    look(tmp_path, path, sink)


def test_files_that_somebody_waits_for_and_those_of_an_earlier_run_are_not_asked_for(tmp_path: Path) -> None:
    look(tmp_path, "later.jsonl", more=", 'file.wait.timeout' = '30s'")
    with pytest.raises(VeloError):
        look(tmp_path, "gone.jsonl")
    taken = tmp_path / "state" / "query_1" / "sources" / "s.jsonl"
    taken.parent.mkdir(parents=True)
    taken.touch()
    look(tmp_path, "gone.jsonl")


def test_velo_run_says_so_and_starts_no_spark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("velostream.spark.session.spark_session", lambda *_, **__: pytest.fail("Spark was started"))
    file = tmp_path / "app.sql"
    file.write_text("CREATE STREAM s (k STRING) WITH ('type' = 'file_source', 'path' = 'x.csv'); SELECT k FROM s;")
    assert main(["run", str(file), "--until-done", "--checkpoint", str(tmp_path / "state")]) == 2
    assert "error[file-not-found]: there is no file 'x.csv' for 's'" in capsys.readouterr().err
