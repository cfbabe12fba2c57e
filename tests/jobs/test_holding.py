"""A checkpoint belongs to one process at a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import velostream
from velostream.cli.main import main
from velostream.errors import VeloError
from velostream.jobs.holding import LOCK, held


def test_a_folder_that_is_held_is_refused_with_who_holds_it_and_free_afterwards(tmp_path: Path) -> None:
    with held(tmp_path / "state"):
        told = rf"another application of this process \({os.getpid()}\) runs with the checkpoint"
        with pytest.raises(VeloError, match=told) as refusal, held(tmp_path / "state"):
            pass
        assert "--checkpoint" in refusal.value.hint
    with held(tmp_path / "state"):
        pass


def test_a_second_velo_run_on_a_checkpoint_is_refused_and_starts_no_spark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("velostream.spark.session.spark_session", lambda *_, **__: pytest.fail("Spark was started"))
    file, state = tmp_path / "app.sql", tmp_path / "state"
    (tmp_path / "in.jsonl").write_text('{"k": "a"}\n')
    file.write_text("CREATE STREAM s (k STRING) WITH ('type' = 'file_source', 'path' = 'in.jsonl'); SELECT k FROM s;")
    with held(state):
        (state / LOCK).write_text('{"pid": 1}')
        code = main(["run", str(file), "--until-done", "--checkpoint", str(state)])
    said = capsys.readouterr().err
    assert "error[checkpoint-unreadable]: another process (1) runs" in said
    assert "stop it, or take another --checkpoint" in said
    assert code == 3


def test_neither_run_nor_deploy_of_a_program_takes_a_checkpoint_that_another_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("velostream.api.engine.Engine.session", lambda *_: pytest.fail("Spark was started"))
    file, state = tmp_path / "app.sql", tmp_path / "state"
    file.write_text("CREATE STREAM s (k STRING) WITH ('type' = 'datagen_source'); SELECT k FROM s;")
    with velostream.connect(app=file, checkpoint=str(state)) as velo, held(state):
        for start in (velo.run, velo.deploy):
            with pytest.raises(VeloError, match="runs with the checkpoint"):
                start()
