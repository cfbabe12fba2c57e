"""Jars of connectors: from where they come, and what is said where they cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from velostream.errors import VeloError
from velostream.spark.jars import KAFKA, cache_folder, jars_of


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VELO_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("VELO_JARS", raising=False)


def filled(folder: Path, names: list[str]) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()
    return folder


def test_connectors_of_spark_itself_need_no_jars() -> None:
    assert jars_of(["file_source", "kafka_sink"]) == ()


def test_jars_in_the_cache_are_taken_and_nothing_is_said() -> None:
    folder = filled(cache_folder() / "jars", [jar.file for jar in KAFKA])
    said: list[str] = []
    assert jars_of(["kafka_source", "kafka_source"], say=said.append) == tuple(folder / jar.file for jar in KAFKA)
    assert said == []


def test_a_folder_of_ones_own_takes_the_place_of_the_cache_in_whatever_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{jar.artifact}-9.9.jar" for jar in KAFKA] + ["kafka-clients-extra.jar", "notes.txt"]
    folder = filled(tmp_path / "own", names)
    wanted = tuple(sorted(folder / name for name in names if name.endswith(".jar")))
    assert jars_of(["kafka_source"], [str(folder)]) == wanted
    monkeypatch.setenv("VELO_JARS", str(folder))
    assert jars_of(["kafka_source"]) == wanted


def test_jars_that_cannot_be_fetched_are_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "ivysettings.xml"
    nowhere = f'<filesystem name="none"><artifact pattern="{tmp_path}/none/[artifact].[ext]"/></filesystem>'
    settings.write_text(
        f'<ivysettings><settings defaultResolver="none"/><resolvers>{nowhere}</resolvers></ivysettings>'
    )
    monkeypatch.setenv("VELO_IVY_SETTINGS", str(settings))
    said: list[str] = []
    with pytest.raises(
        VeloError, match=r"'org\.apache\.spark:spark-sql-kafka-0-10_2\.13:.*cannot be fetched"
    ) as failure:
        jars_of(["kafka_source"], say=said.append)
    assert failure.value.error_code == "missing-jars"
    assert all(str(jar) in failure.value.hint for jar in KAFKA)
    assert "--jars DIR" in failure.value.hint
    assert said[0].startswith(f"fetching {KAFKA[0].file} (1 of 4, once)")


def test_a_place_without_jars_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="is not there"):
        jars_of([], [str(tmp_path / "none")])
    with pytest.raises(VeloError, match="has no jars"):
        jars_of([], [str(tmp_path)])
