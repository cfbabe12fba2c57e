"""`velo properties`: a list, those with a prefix, those of a connector."""

import pytest
from tests.cli.conftest import Velo

from velostream.catalog.properties import groups


def test_all_are_listed_by_group(velo: Velo) -> None:
    answer = velo("properties")
    assert answer.code == 0
    for group in groups():
        assert group.title in answer.out
        assert all(f"  {declared.name}  " in answer.out for declared in group.properties)


def test_a_prefix_narrows_the_list(velo: Velo) -> None:
    answer = velo("properties", "watermark.")
    assert answer.code == 0
    assert "  watermark.idle_timeout  duration, default 1m\n" in answer.out
    assert "allowed.lateness" not in answer.out


@pytest.mark.parametrize("spelling", ["WATERMARK_IDLE-TIMEOUT", "scan.watermark.idle-timeout"])
def test_another_spelling_finds_it_too(velo: Velo, spelling: str) -> None:
    assert "  watermark.idle_timeout  " in velo("properties", spelling).out


def test_a_connector_shows_its_own(velo: Velo) -> None:
    answer = velo("properties", "kafka_source")
    assert answer.code == 0
    assert "  topic  " in answer.out
    assert "watermark.strategy" not in answer.out


def test_a_choice_shows_its_words(velo: Velo) -> None:
    assert "one of partition, source, default partition" in velo("properties", "watermark.scope").out


def test_an_unknown_one_names_the_nearest(velo: Velo) -> None:
    answer = velo("properties", "watermrk.scope")
    assert answer.code == 2
    assert answer.err.startswith("error[unknown-property]: no property or group begins with 'watermrk.scope'\n")
    assert "'watermark.scope'" in answer.err
    assert "groups: " in velo("properties", "zzzzzz").err
