"""Savepoints, with drivers that need no Spark: what is kept, what begins with it, and what is refused."""

from __future__ import annotations

import pytest
from tests.server.conftest import SQL, until

from velostream.errors import VeloError
from velostream.server.deploying import Wish, deploy
from velostream.server.plane import Plane
from velostream.server.savepoints import listed, remove, take

OTHER = SQL.replace("TUMBLING(2s)", "TUMBLING(4s)")


@pytest.fixture
def shop(plane: Plane) -> Plane:
    """A version that runs, and has something in its state."""
    first = deploy(plane.control, Wish("shop", SQL, "1"))
    state = plane.folders.state("shop", first.state)
    state.mkdir(parents=True, exist_ok=True)
    (state / "watermark").write_text("2026-01-01T00:00:10+00:00")
    until(lambda: plane.control.app("shop").state == "running")
    return plane


def test_a_version_begins_with_a_savepoint_as_often_as_wanted(shop: Plane) -> None:
    taken = take(shop.control, "totals", "monday")
    assert (taken.app, taken.version, taken.jobs) == ("shop", "1", ("totals",))
    first = shop.control.app("shop").deployment
    (shop.folders.state("shop", first.state) / "watermark").write_text("2026-01-01T00:00:50+00:00")
    for version in ("2", "3"):
        new = deploy(shop.control, Wish("shop", SQL, version, savepoint="monday"))
        assert new.state not in (first.state, "000001")
        until(lambda number=new.number: shop.control.app("shop").deployment.number == number)  # type: ignore[misc]
        until(lambda: shop.control.app("shop").jobs[0].get("watermark") == "2026-01-01T00:00:10+00:00")
        (shop.folders.state("shop", new.state) / "watermark").write_text("2026-01-01T00:00:20+00:00")
    shop.control.stop("shop")
    take(shop.control, "shop", "tuesday")
    assert [one.name for one in listed(shop.control, "shop")] == ["tuesday", "monday"]
    remove(shop.control, "shop", "tuesday")
    assert [one.name for one in listed(shop.control, "shop")] == ["monday"]


def test_what_does_not_fit_a_savepoint_is_refused_with_the_reason(shop: Plane) -> None:
    take(shop.control, "shop", "monday")
    with pytest.raises(VeloError, match="has a savepoint 'monday' already"):
        take(shop.control, "shop", "monday")
    with pytest.raises(VeloError, match="cannot be the name"):
        take(shop.control, "shop", "../other")
    with pytest.raises(VeloError, match="no savepoint 'mondy'") as refusal:
        deploy(shop.control, Wish("shop", SQL, "2", savepoint="mondy"))
    assert "monday" in refusal.value.hint
    with pytest.raises(VeloError, match="does not fit"):
        deploy(shop.control, Wish("shop", OTHER, "2", savepoint="monday"))
    with pytest.raises(VeloError, match="takes the place of the version before"):
        Wish("shop", SQL, "2", "BLUE_GREEN", savepoint="monday")
    deploy(shop.control, Wish("shop", SQL, "2", "CANARY", 10))
    with pytest.raises(VeloError, match="on the move"):
        take(shop.control, "shop", "tuesday")
