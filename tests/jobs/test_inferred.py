"""Columns that nobody declared are sampled once, kept, and waited for."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from velostream.errors import VeloError
from velostream.jobs.inferred import settled
from velostream.validation import Validated, validate

QUERY = "SELECT k, v FROM s WHERE v > 0"


def settle(folder: Path, query: str = QUERY, columns: str = "", **more: str) -> tuple[Validated, list[str]]:
    settings = {"type": "file_source", "path": "*.jsonl", "file.retry.interval": "10ms", **more}
    written = ", ".join(f"'{key}' = '{value}'" for key, value in settings.items())
    text = f"CREATE STREAM s {columns} WITH ({written});\n{query}"
    said: list[str] = []

    def check(overrides: Mapping[str, str]) -> Validated:
        return validate(text, "a.sql", folder=folder, variables={}, overrides=overrides)

    return settled(check, lambda answer: folder / "home", folder, said.append), said


def columns_of(answer: Validated) -> str:
    relation = answer.bound.relations["s"]
    return ", ".join(f"{column.name} {column.type}" for column in relation.schema)


def test_columns_are_sampled_shown_and_kept(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text('{"k": "a", "v": 1}\n{"k": "b", "odd one": true}\n')
    answer, said = settle(tmp_path)
    assert answer.ok
    assert said == ["s has the columns k STRING, v BIGINT, `odd one` BOOLEAN"]
    (tmp_path / "0.jsonl").write_text('{"k": "a", "v": "now a text", "w": 1}\n')
    again, said = settle(tmp_path)
    assert again.ok
    assert said == []
    assert columns_of(again) == "k STRING, v BIGINT, odd one BOOLEAN"


def test_a_column_that_no_record_has_is_an_error_and_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text('{"k": "a", "v": 1}\n')
    answer, said = settle(tmp_path, "SELECT kk FROM s")
    [error] = answer.findings.errors
    assert (error.code, said) == ("unknown-column", [])
    assert "k, v" in error.hint
    assert not (tmp_path / "home").exists()


def test_declared_columns_are_not_sampled(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text('{"k": "a", "v": 1}\n')
    answer, said = settle(tmp_path, columns="(k STRING, v INT)")
    assert (columns_of(answer), said) == ("k STRING, v INT", [])


def test_a_source_without_records_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").touch()
    with pytest.raises(VeloError, match="the files of 's' are empty"):
        settle(tmp_path)
    later = threading.Timer(0.2, lambda: (tmp_path / "0.jsonl").write_text('{"k": "a", "v": 1}\n'))
    later.start()
    answer, _ = settle(tmp_path, **{"file.wait.timeout": "20s"})
    later.join()
    assert columns_of(answer) == "k STRING, v BIGINT"
    assert json.loads((tmp_path / "home" / "schemas.json").read_text()) == {"s": "k STRING, v BIGINT"}


def test_a_source_without_files_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="there is no file"):
        settle(tmp_path)
