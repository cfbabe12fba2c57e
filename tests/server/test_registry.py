"""The registry, in SQLite and in a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from velostream.errors import VeloError
from velostream.server.registry.database import Database
from velostream.server.registry.deployment import RETIRED, Deployment
from velostream.server.registry.registry import KEPT, Registry


@pytest.fixture(params=["sqlite", "postgresql"])
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Registry]:
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgres").url
    database = Database(url, tmp_path / "registry.db")
    database.run("DELETE FROM deployments")
    database.run("DELETE FROM happenings")
    yield Registry(database)
    database.close()


def test_deployments_are_numbered_and_the_newest_active_one_speaks(registry: Registry) -> None:
    first = registry.add(Deployment("shop", 0, "1", "SELECT '?' AS a, '%s' AS b", ""))
    assert (first.number, first.state) == (1, "000001")
    registry.change(first, role=RETIRED, settings={"owners": {"a": [1]}})
    second = registry.add(Deployment("shop", 0, "2", "SELECT 2", first.state))
    assert registry.active("shop") == second
    assert second.number == 2
    kept = registry.deployments("shop")[0]
    assert kept.settings == {"owners": {"a": [1]}}
    assert kept.sql == "SELECT '?' AS a, '%s' AS b"
    assert registry.active("other") is None
    registry.forget("shop")
    assert registry.deployments() == []


def test_changes_belong_together_or_do_not_happen(registry: Registry) -> None:
    first = registry.add(Deployment("shop", 0, "1", "SELECT 1", ""))

    def half() -> None:
        with registry.together():
            registry.change(first, role=RETIRED)
            raise ValueError("in between")

    with pytest.raises(ValueError, match="in between"):
        half()
    assert registry.active("shop") == first


def test_what_happened_is_remembered_up_to_a_limit(registry: Registry) -> None:
    one = registry.add(Deployment("shop", 0, "1", "SELECT 1", ""))
    for number in range(3):
        registry.happened(one, "restart", str(number))
    assert [each["detail"] for each in registry.happenings("shop")] == ["2", "1", "0"]
    assert KEPT == 1_000


def test_what_is_kept_survives_another_start(tmp_path: Path) -> None:
    file = tmp_path / "r.db"
    database = Database(f"sqlite:///{file}", tmp_path / "unused.db")
    Registry(database).add(Deployment("shop", 0, "1", "SELECT 1", ""))
    database.close()
    again = Database("", file)
    assert Registry(again).deployments()[0].version == "1"
    again.close()


def test_a_registry_that_cannot_be_is_refused_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="cannot be in") as refusal:
        Database("mysql://me:hunter2@host/db", tmp_path / "r.db")
    assert "hunter2" not in refusal.value.message
    with pytest.raises(VeloError, match="cannot be reached") as refusal:
        Database("postgresql://me:hunter2@127.0.0.1:1/db", tmp_path / "r.db")
    assert "hunter2" not in refusal.value.message
    assert refusal.value.error_code == "registry-unreachable"
