"""Every source says what it gives and whether it ends."""

from pathlib import Path

import pytest
from tests.config.asking import Asked, source

from velostream.config.connections.address import Address
from velostream.config.settings import Settings
from velostream.errors import InvalidProperty
from velostream.sources import SOURCES, Extent, source_at
from velostream.sources.file import matching

WORKING: dict[str, dict[str, str]] = {
    "kafka_source": {"topic": "t", "bootstrap.servers": "h:9092"},
    "file_source": {"path": "a.csv"},
    "s3_source": {"path": "s3://bucket/a.csv"},
    "database_source": {"url": "postgresql://h/db", "table": "t"},
    "http_source": {"url": "https://h/p"},
    "datagen_source": {},
}


def settings(name: str, **more: str) -> Settings:
    given = {"s.type": name} | {f"s.{key}": text for key, text in (WORKING[name] | more).items()}
    asked = Asked(given, source("s"))
    assert not asked.problems, asked.problems
    return asked.resolved["s"]


def test_there_are_the_sources_that_are_promised() -> None:
    assert set(SOURCES) == set(WORKING)


@pytest.mark.parametrize("name", WORKING)
def test_a_source_works_with_what_it_needs(name: str) -> None:
    settings(name)


@pytest.mark.parametrize("name", sorted(set(WORKING) - {"datagen_source"}))
def test_a_source_without_what_it_needs_is_refused(name: str) -> None:
    asked = Asked({"s.type": name}, source("s"))
    assert set(asked.codes) == {"missing-property"}


@pytest.mark.parametrize(
    ("name", "more", "extent"),
    [
        ("kafka_source", {}, Extent.UNBOUNDED),
        ("http_source", {}, Extent.UNBOUNDED),
        ("file_source", {}, Extent.EITHER),
        ("file_source", {"watch": "false"}, Extent.BOUNDED),
        ("s3_source", {"watch": "true"}, Extent.UNBOUNDED),
        ("database_source", {}, Extent.BOUNDED),
        ("database_source", {"incremental.column": "id"}, Extent.EITHER),
        ("datagen_source", {}, Extent.UNBOUNDED),
        ("datagen_source", {"rows": "10"}, Extent.BOUNDED),
    ],
)
def test_whether_a_source_ends(name: str, more: dict[str, str], extent: Extent) -> None:
    assert SOURCES[name].extent(settings(name, **more)) is extent


def test_only_messages_and_made_up_records_have_a_time_of_their_own() -> None:
    assert {name for name, one in SOURCES.items() if one.record_time} == {"kafka_source", "datagen_source"}


def test_system_columns_of_a_source() -> None:
    kafka = set(SOURCES["kafka_source"].record_columns)
    assert {
        "_timestamp",
        "_event_time",
        "_processing_time",
        "_key",
        "_headers",
        "_offset",
        "_partition",
        "_topic",
    } == kafka
    assert "_headers" not in SOURCES["file_source"].record_columns
    assert "_topic" not in SOURCES["database_source"].record_columns


def test_an_address_of_an_unknown_system_is_read_by_nothing() -> None:
    with pytest.raises(InvalidProperty, match="nothing reads"):
        source_at(Address("carrier-pigeon", (), "x"))


def test_files_are_found_by_path_folder_and_glob_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "_tmp.csv", ".hidden.csv", "deep/er/c.csv", "odd[1].csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")

    def found(path: str) -> list[str]:
        return [file.relative_to(tmp_path).as_posix() for file in matching(path, tmp_path)]

    assert found("a.csv") == ["a.csv"]
    assert found("*.csv") == ["a.csv", "b.csv", "odd[1].csv"]
    assert found("odd[1].csv") == ["odd[1].csv"]
    assert found("**/*.csv") == ["a.csv", "b.csv", "deep/er/c.csv", "odd[1].csv"]
    assert found("deep/er") == ["deep/er/c.csv"]
    assert found(".") == ["a.csv", "b.csv", "odd[1].csv"]
    assert found("none.csv") == []
    assert found(f"file://{tmp_path}/a.csv") == ["a.csv"]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        (
            "kafka_source",
            {"start.time": "2026-01-31T00:00:00Z", "auto.offset.reset": "latest"},
            "'start.time' has no effect with 'auto.offset.reset' = 'latest'",
        ),
        ("database_source", {"poll.interval": "1s"}, "'poll.interval' needs 'incremental.column'"),
    ],
)
def test_a_setting_that_would_have_no_effect_beside_others_is_refused(
    name: str, given: dict[str, str], said: str
) -> None:
    every = {"s.type": name} | {f"s.{key}": text for key, text in (WORKING[name] | given).items()}
    [(_, message)] = Asked(every, source("s")).problems
    assert message == f"source 's': {said}"
