"""The columns of a file source are learnt from its files."""

from pathlib import Path

import pytest
from tests.config.asking import Asked, source

from velostream.config.settings import Settings
from velostream.errors import InvalidSchema
from velostream.sources.sampling import sampled_columns


def settings(**given: str) -> Settings:
    asked = Asked({f"s.{key}": text for key, text in given.items()}, source("s"))
    return asked.resolved["s"]


def test_columns_come_from_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id;name\n1;x\n")
    (tmp_path / "b.csv").write_text("id;name\n2.5;\\N\n")
    found = sampled_columns(
        settings(type="filesystem", path="*.csv", **{"csv.delimiter": ";", "csv.null": "\\N"}), tmp_path
    )
    assert found is not None
    assert [(field.name, str(field.type), field.nullable) for field in found] == [
        ("id", "DOUBLE", False),
        ("name", "STRING", True),
    ]


def test_the_format_is_told_by_the_settings_or_by_the_files_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"x": 1}\n')
    (tmp_path / "plain").write_text('{"x": 1}\n')
    for given in ({"path": "in"}, {"path": "plain", "format": "jsonl"}):
        found = sampled_columns(settings(type="file_source", **given), tmp_path)
        assert found is not None
        assert found[0].name == "x"


def test_a_format_that_nothing_tells_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    with pytest.raises(InvalidSchema) as refusal:
        sampled_columns(settings(type="file_source", path="data"), tmp_path)
    assert "'s.format'" in refusal.value.hint


def test_nothing_is_learnt_without_files_or_from_another_source(tmp_path: Path) -> None:
    assert sampled_columns(settings(type="file_source", path="*.csv"), tmp_path) is None
    assert sampled_columns(settings(type="file_source"), tmp_path) is None
    assert sampled_columns(settings(type="datagen_source"), tmp_path) is None
