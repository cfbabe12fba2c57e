"""Moves of keys between versions, with drivers that need no Spark: which steps are taken, and what is asked of whom."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from tests.server.conftest import SQL, until

from velostream.errors import VeloError
from velostream.jobs.letters import Wanted
from velostream.server.deploying import Wish, deploy
from velostream.server.driver.task import Task
from velostream.server.letters import letters, replay
from velostream.server.models.asking import ReplayRequest
from velostream.server.moving import moves, phases
from velostream.server.moving.movable import check_movable
from velostream.server.plane import Plane
from velostream.server.planning import planned
from velostream.server.registry.deployment import Deployment
from velostream.server.returning import rollback
from velostream.sinks.letters import letter, store_of

BIGGER = SQL.replace("SUM(amount) AS total", "SUM(amount) AS total, MAX(amount) AS most")
OTHER = SQL.replace("TUMBLING(2s)", "TUMBLING(4s)")
STATELESS = SQL.replace("SUM(amount) AS total FROM orders GROUP BY customer WINDOW TUMBLING(2s)", "amount FROM orders")
GROUPED = SQL.replace(" WINDOW TUMBLING(2s)", "")
SESSIONS = SQL.replace("TUMBLING(2s)", "SESSION(2s)")
KEYLESS = SQL.replace("customer, SUM(amount)", "SUM(amount)").replace("GROUP BY customer ", "")
OTHER_SOURCE = STATELESS.replace("orders", "sales")
KEYED = STATELESS.replace("SELECT customer", "SELECT customer PRIMARY KEY")
FILES = STATELESS.replace("'datagen_source'", "'file_source', 'orders.path' = 'in', 'orders.format' = 'jsonl'")
DATABASE = STATELESS.replace(
    "'datagen_source'", "'database_source', 'orders.url' = 'postgresql://h/d', 'orders.table' = 'orders'"
)
HIDDEN = SQL.replace("customer, SUM", "SUM")
DISTINCT = STATELESS.replace("SELECT customer", "SELECT DISTINCT customer")
JOINED = (
    """CREATE TABLE regions (customer STRING PRIMARY KEY, region STRING)
WITH ('regions.type' = 'file_source', 'regions.path' = 'regions.csv', 'regions.format' = 'csv');"""
    + STATELESS.replace("SELECT customer, amount FROM orders", "SELECT r.region PRIMARY KEY, o.amount FROM orders o")
).replace("orders o INTO", "orders o JOIN regions r ON o.customer = r.customer INTO")
CANARY = {"strategy": "CANARY", "percent": 5}
VARYING = {
    name: sql.replace(was, now)
    for name, sql, was, now in (
        ("NOW", KEYED, "customer PRIMARY", "CONCAT(customer, NOW()) AS customer PRIMARY"),
        ("UUID", KEYED, "customer PRIMARY", "UUID() AS customer PRIMARY"),
        ("RAND", SQL, "GROUP BY customer", "GROUP BY CONCAT(customer, RAND())"),
        ("CURRENT_DATE", GROUPED, "GROUP BY customer", "GROUP BY CONCAT(customer, CURRENT_DATE)"),
    )
}
VARYING = {name: sql.replace("SELECT customer,", "SELECT") for name, sql in VARYING.items()}
WIDER = SQL.replace("customer STRING,", "customer STRING, more INT,")
TIMED = SQL.replace("GROUP BY customer", "GROUP BY customer, at")
SECOND = 1_000_000
START = 1_767_225_600 * SECOND


def time_of(plane: Plane, seconds: int, *numbers: int) -> None:
    """Sets the watermark that deployments report."""
    for one in plane.control.registry.deployments("shop"):
        if not numbers or one.number in numbers:
            folder = plane.folders.state("shop", one.state)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "watermark").write_text(f"2026-01-01T00:00:{seconds:02d}+00:00")


def of(plane: Plane, number: int) -> Deployment:
    return next(one for one in plane.control.registry.deployments("shop") if one.number == number)


def phase(plane: Plane, number: int = 2) -> str:
    return str(of(plane, number).settings.get("move", {}).get("phase", ""))


def told(plane: Plane, number: int) -> list[str]:
    file = plane.folders.driver("shop", number).root / "told.jsonl"
    return [json.loads(line)[0] for line in file.read_text().splitlines()] if file.exists() else []


def ranges(plane: Plane, number: int) -> list[list[int]]:
    owned: list[list[int]] = of(plane, number).settings["owners"]["totals"]["ranges"]
    return [[after - START, low, high] for after, low, high in owned]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move is looked after so often that nobody waits for it."""
    monkeypatch.setattr(moves, "LOOK", 0.05)


@pytest.fixture
def shop(plane: Plane) -> Plane:
    """A version that runs, ten seconds into its events."""
    first = deploy(plane.control, Wish("shop", SQL, "1"))
    time_of(plane, 10)
    until(lambda: plane.control.app("shop").jobs[0].get("watermark"))
    assert first.number == 1
    return plane


def test_blue_green_moves_all_keys_at_a_time_beyond_all_windows_with_records(shop: Plane) -> None:
    deploy(shop.control, Wish("shop", BIGGER, "2", "BLUE_GREEN"))
    until(lambda: phase(shop) == phases.MOVING)
    assert ranges(shop, 1) == [[12 * SECOND, 100, 100]]
    assert ranges(shop, 2) == [[12 * SECOND, 0, 100]]
    assert told(shop, 1) == ["pause", "resume", "pause", "meet", "switch", "resume"]
    assert told(shop, 2) == ["pause", "meet", "switch", "resume"]
    assert of(shop, 2).state != of(shop, 1).state
    time_of(shop, 13, 2)
    until(lambda: phase(shop) == phases.DRAINING)
    assert shop.control.app("shop").deployment.version == "1"
    time_of(shop, 13, 1)
    until(lambda: shop.control.registry.active("shop").version == "2")  # type: ignore[union-attr]
    assert (of(shop, 1).role, of(shop, 1).wanted) == ("retired", "stopped")
    assert of(shop, 2).share == 100
    until(lambda: len(shop.control.beside("shop")) == 1)
    assert told(shop, 1)[6:8] == ["pause", "meet"]
    assert told(shop, 2)[4:] == ["pause", "meet", "switch", "resume"]
    assert of(shop, 2).settings["owners"]["totals"]["letters"] == {"before": [0, 100], "ranges": []}
    assert ranges(shop, 2) == [[12 * SECOND, 0, 100]]


def late(plane: Plane, number: int, batch: int, offset: int) -> None:
    """Writes a dead letter of a deployment."""
    home = plane.folders.state("shop", of(plane, number).state)
    written = [letter(reason="too_late", source="orders", record="{}", offset=offset)]
    store = store_of("", "totals", home / "totals" / "dead-letters", home)
    store.write(f"query-{number}-of-this", batch, written)


def offsets(plane: Plane) -> list[int]:
    found = letters(plane.control, Wanted(), 100, 0)
    assert len({one.id for one in found.items}) == found.total
    return sorted(one.offset for one in found.items if one.offset is not None)


@pytest.mark.parametrize("fresh", [False, True])
def test_the_dead_letters_of_both_versions_are_seen_once_during_a_move_and_after_it(shop: Plane, fresh: bool) -> None:
    late(shop, 1, 3, 1)
    deploy(shop.control, Wish("shop", BIGGER, "2", "BLUE_GREEN", fresh=fresh))
    until(lambda: phase(shop) not in ("copying", phases.WARMING) or fresh)
    late(shop, 1, 4, 2)
    late(shop, 2, 4, 3)
    assert offsets(shop) == [1, 2, 3]
    asked = ReplayRequest(app="shop", job="totals", all=True)
    with pytest.raises(VeloError, match="are shared with version '2'") as caught:
        replay(shop.control, asked)
    assert caught.value.error_code == "job-state"
    for seconds, goal in ((10, phases.MOVING), (30, phases.DRAINING)):
        time_of(shop, seconds, 2)
        until(lambda goal=goal: phase(shop) == goal)  # type: ignore[misc]
    time_of(shop, 30)
    until(lambda: shop.control.app("shop").deployment.version == "2")
    assert offsets(shop) == [1, 2, 3]


def test_keys_move_only_when_no_batch_is_half_written(shop: Plane, monkeypatch: pytest.MonkeyPatch) -> None:
    original = moves.Moves._tell
    seen: list[tuple[int, str]] = []

    def cut_once(self: moves.Moves, one: Any, command: Any) -> Any:
        answer = original(self, one, command)
        seen.append((one.deployment.number, command.verb))
        if seen == [(1, "pause"), (1, "resume"), (1, "pause")]:
            (shop.folders.state("shop", of(shop, 1).state) / "cut").touch()
            until(lambda: not shop.control.app("shop").jobs[0].get("whole"))
        return answer

    monkeypatch.setattr(moves.Moves, "_tell", cut_once)
    deploy(shop.control, Wish("shop", BIGGER, "2", "BLUE_GREEN"))
    until(lambda: phase(shop) == phases.MOVING)
    verbs = [verb for number, verb in seen if number == 1]
    assert verbs[:4] == ["pause", "resume", "pause", "resume"]
    assert verbs[-4:] == ["pause", "meet", "switch", "resume"]
    assert verbs.count("switch") == 1
    assert ranges(shop, 2) == [[12 * SECOND, 0, 100]]


def test_a_canary_stays_at_its_share_until_it_is_promoted(shop: Plane) -> None:
    deploy(shop.control, Wish("shop", BIGGER, "2", "CANARY", 20))
    until(lambda: phase(shop) == phases.MOVING)
    time_of(shop, 20)
    until(lambda: phase(shop) == phases.SETTLED)
    assert (of(shop, 1).share, of(shop, 2).share) == (80, 20)
    with pytest.raises(VeloError, match="runs beside 'shop' already"):
        deploy(shop.control, Wish("shop", SQL + "-- other", "3"))
    deploy(shop.control, Wish("shop", BIGGER, "2", "BLUE_GREEN"))
    until(lambda: phase(shop) == phases.MOVING)
    assert ranges(shop, 2) == [[12 * SECOND, 0, 20], [22 * SECOND, 0, 100]]
    assert ranges(shop, 1) == [[12 * SECOND, 20, 100], [22 * SECOND, 100, 100]]


def test_a_rollback_gives_the_keys_back(shop: Plane) -> None:
    deploy(shop.control, Wish("shop", BIGGER, "2", "CANARY", 30))
    until(lambda: phase(shop) == phases.MOVING)
    time_of(shop, 15)
    until(lambda: phase(shop) == phases.SETTLED)
    rollback(shop.control, "shop")
    until(lambda: phase(shop) == phases.MOVING)
    assert ranges(shop, 2)[-1] == [17 * SECOND, 0, 0]
    assert ranges(shop, 1)[-1] == [17 * SECOND, 0, 100]
    time_of(shop, 18)
    until(lambda: of(shop, 2).role == "retired")
    assert shop.control.app("shop").deployment.version == "1"
    assert of(shop, 1).share == 100


def test_a_rollback_before_anything_moved_ends_the_new_version(shop: Plane) -> None:
    deploy(shop.control, Wish("shop", OTHER, "2", "BLUE_GREEN", fresh=True))
    until(lambda: phase(shop) == phases.WARMING)
    assert rollback(shop.control, "shop").version == "1"
    until(lambda: of(shop, 2).role == "retired")
    until(lambda: len(shop.control.beside("shop")) == 1)


@pytest.fixture
def looked_at(plane: Plane) -> Iterator[None]:
    """Somebody looks all the time, as requests do: a step that held the registry and waited for a look would hang."""
    ended = Event()

    def look() -> None:
        while not ended.wait(0.001):
            plane.control.supervisor.look()

    thread = Thread(target=look, daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join(10)


@pytest.mark.usefixtures("looked_at")
def test_rolling_goes_step_by_step_and_only_while_the_new_version_is_healthy(shop: Plane) -> None:
    deploy(shop.control, Wish("shop", BIGGER, "2", "ROLLING"))
    until(lambda: phase(shop) == phases.MOVING)
    assert of(shop, 2).share == 10
    ill = shop.control.registry.change(of(shop, 2), restarts=1)
    time_of(shop, 20)
    shop.moves.look()
    assert phase(shop) == phases.MOVING
    shop.control.registry.change(ill, restarts=0)
    until(lambda: of(shop, 2).share == 25)
    for seconds, share in ((30, 50), (40, 100)):
        time_of(shop, seconds)
        until(lambda share=share: of(shop, 2).share == share)  # type: ignore[misc]
    assert [high for _, _, high in ranges(shop, 2)] == [10, 25, 50, 100]


def test_a_control_plane_that_is_killed_during_a_switch_leaves_it_to_the_next(
    opened: Callable[..., Plane], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened()
    deploy(first.control, Wish("shop", SQL, "1"))
    time_of(first, 10)
    until(lambda: first.control.app("shop").jobs[0].get("watermark"))
    original = moves.Moves._tell
    told_to: list[str] = []

    def killed(self: moves.Moves, one: Any, command: Any) -> Any:
        told_to.append(command.verb)
        if command.verb == "switch":
            self._closed.set()
            raise VeloError("killed here", code="job-state")
        return original(self, one, command)

    monkeypatch.setattr(moves.Moves, "_tell", killed)
    deploy(first.control, Wish("shop", BIGGER, "2", "BLUE_GREEN"))
    until(lambda: "switch" in told_to)
    first.close()
    monkeypatch.setattr(moves.Moves, "_tell", original)
    second = opened()
    until(lambda: phase(second) == phases.MOVING)
    assert ranges(second, 2) == [[12 * SECOND, 0, 100]]
    assert told(second, 1)[-2:] == ["switch", "resume"]
    until(lambda: second.control.app("shop").state == "running")


@pytest.mark.parametrize(
    ("old", "new", "wish", "said"),
    [
        (STATELESS, STATELESS, {"strategy": "CANARY", "percent": 5}, None),
        (STATELESS, STATELESS, {"strategy": "BLUE_GREEN", "fresh": True}, "goes on where the old one stands"),
        (STATELESS, OTHER_SOURCE, {"strategy": "BLUE_GREEN"}, r"orders \(datagen_source\) → sales \(datagen_source\)"),
        (KEYED, KEYED.replace("customer PRIMARY", "UPPER(customer) AS customer PRIMARY"), CANARY, "cannot be shared"),
        (KEYED, STATELESS, CANARY, "orders.customer STRING → none"),
        *((sql, sql, CANARY, rf"is computed with {name}\(\), which gives") for name, sql in VARYING.items()),
        (VARYING["NOW"], VARYING["NOW"], {"strategy": "BLUE_GREEN"}, None),
        (FILES, FILES, CANARY, None),
        (DATABASE, DATABASE, CANARY, "have no key, and records of 'orders' no place that stays"),
        (FILES, FILES, {"strategy": "BLUE_GREEN"}, None),
        (
            FILES,
            FILES.replace("amount FROM", "_offset FROM"),
            {"strategy": "BLUE_GREEN"},
            r"orders \(Spark, file_source",
        ),
        (HIDDEN, HIDDEN, CANARY, None),
        (SQL, BIGGER, CANARY, None),
        (SQL, WIDER, CANARY, "source 'orders' of job 'totals' is declared otherwise"),
        (SQL, WIDER, {"strategy": "BLUE_GREEN"}, None),
        (TIMED, TIMED.replace(" FROM", ", 1 AS more FROM"), CANARY, None),
        (TIMED, TIMED.replace("SUM(amount)", "SUM(100 / amount)"), CANARY, "may fail in one version of job 'totals'"),
        (GROUPED, GROUPED, {"strategy": "BLUE_GREEN"}, None),
        (GROUPED, GROUPED, {"strategy": "BLUE_GREEN", "fresh": True}, "goes on where the old one stands"),
        (GROUPED, GROUPED, CANARY, None),
        (GROUPED, GROUPED.replace(" INTO out", " EMIT FINAL INTO out"), {"strategy": "BLUE_GREEN"}, "have no window"),
        (JOINED, JOINED, {"strategy": "BLUE_GREEN"}, None),
        (JOINED, JOINED, CANARY, "the key of job 'totals' comes from 'regions.region', which each version reads at an"),
        (DISTINCT, DISTINCT, {"strategy": "BLUE_GREEN"}, None),
        (DISTINCT, DISTINCT, CANARY, "go out once for equal records"),
        (STATELESS, SQL, {"strategy": "BLUE_GREEN", "fresh": True}, "have no window"),
        (KEYLESS, KEYLESS, {"strategy": "CANARY", "percent": 5}, "keys of job 'totals' cannot be shared"),
        (SQL, KEYLESS, {"strategy": "ROLLING", "fresh": True}, "customer STRING → none"),
        (SESSIONS, SQL, {"strategy": "BLUE_GREEN", "fresh": True}, None),
        (SQL, SESSIONS, {"strategy": "BLUE_GREEN", "fresh": True}, "has sessions"),
        (KEYLESS, KEYLESS, {"strategy": "BLUE_GREEN"}, None),
    ],
)
def test_versions_that_cannot_share_keys_are_refused_with_the_reason(
    tmp_path: Path, old: str, new: str, wish: dict[str, Any], said: str | None
) -> None:
    wished = Wish("shop", new, "2", **wish)
    plans = [planned(sql, "shop", tmp_path).plan for sql in (old, new)]
    given = {"by_share": any(share < 100 for share in wished.steps), "fits": not wished.fresh}
    if said is None:
        check_movable(*plans, **given)
        return
    with pytest.raises(VeloError, match=said) as refusal:
        check_movable(*plans, **given)
    assert refusal.value.error_code == "strategy"
    assert "deploy it with" in refusal.value.hint


def test_a_strategy_that_cannot_work_is_refused_before_anything_runs(shop: Plane) -> None:
    with pytest.raises(VeloError, match="keys of job 'totals' cannot be shared"):
        deploy(shop.control, Wish("shop", KEYLESS, "2", "CANARY", 5, fresh=True))
    assert [one.number for one in shop.control.registry.deployments("shop")] == [1]


def test_a_version_that_failed_with_keys_of_its_own_gives_them_back_through_the_old_one(
    opened: Callable[..., Plane],
) -> None:
    plane = opened(restarts=0)
    deploy(plane.control, Wish("shop", SQL, "1"))
    time_of(plane, 10)
    until(lambda: plane.control.app("shop").jobs[0].get("watermark"))
    deploy(plane.control, Wish("shop", BIGGER, "2", "CANARY", 30))
    until(lambda: phase(plane) == phases.MOVING)
    time_of(plane, 15)
    until(lambda: phase(plane) == phases.SETTLED)
    failing = plane.folders.state("shop", of(plane, 2).state) / "fail"
    failing.touch()
    until(lambda: of(plane, 2).ending == "failed")
    failing.unlink()
    assert rollback(plane.control, "shop").version == "1"
    third = of(plane, 3)
    assert (third.sql, third.state, third.role, of(plane, 2).role) == (SQL, of(plane, 2).state, "beside", "retired")
    until(lambda: phase(plane, 3) == phases.MOVING)
    assert ranges(plane, 3) == [[12 * SECOND, 0, 30], [17 * SECOND, 0, 0]]
    time_of(plane, 18)
    until(lambda: of(plane, 3).role == "retired")
    assert (of(plane, 1).role, of(plane, 1).share) == ("active", 100)


def test_a_move_waits_for_a_job_that_somebody_has_paused(shop: Plane) -> None:
    deploy(shop.control, Wish("shop", OTHER, "2", "BLUE_GREEN", fresh=True))
    shop.control.pause("totals")
    until(lambda: told(shop, 2) or phase(shop) in (phases.WARMING, phases.SWITCHING))
    for _ in range(5):
        shop.moves.look()
    assert phase(shop) != phases.MOVING
    assert told(shop, 1)[-1] == "pause"
    shop.control.resume("totals")
    until(lambda: phase(shop) == phases.MOVING)


MORE = STATELESS.replace("amount FROM", "amount, 1 AS more FROM")


def upgrade(plane: Plane, sql: str, wish: Wish) -> None:
    """Deploys a wish on top of a version that runs."""
    deploy(plane.control, Wish("shop", sql, "1"))
    until(lambda: plane.control.app("shop").state == "running")
    deploy(plane.control, wish)


def batch_of(plane: Plane, batch: int, number: int) -> None:
    """Sets the micro-batch that a deployment reports."""
    (plane.folders.state("shop", of(plane, number).state) / "batch").write_text(str(batch))


def owned(plane: Plane, number: int) -> list[Any]:
    said = of(plane, number).settings["owners"]["totals"]
    assert said["ranges"] == []
    return list(said["before"])


def meetings(plane: Plane, number: int) -> list[str]:
    """In order: where a version was told to come, and that its keys changed."""
    lines = (plane.folders.driver("shop", number).root / "told.jsonl").read_text().splitlines()
    return [str(one[1].get("other", one[0])) for one in map(json.loads, lines) if one[0] in ("meet", "switch")]


def test_rows_without_windows_move_all_at_once_where_both_versions_have_read_the_same(plane: Plane) -> None:
    upgrade(plane, STATELESS, Wish("shop", MORE, "2", "BLUE_GREEN"))
    until(lambda: plane.control.registry.active("shop").version == "2")  # type: ignore[union-attr]
    assert [owned(plane, number) for number in (1, 2)] == [[100, 100], [0, 100]]
    states = [str(plane.folders.state("shop", of(plane, number).state)) for number in (1, 2)]
    assert meetings(plane, 1) == [states[1], "switch"]
    assert meetings(plane, 2) == [states[0], "switch"]


def test_shares_of_rows_without_windows_follow_each_other_and_go_back(plane: Plane) -> None:
    upgrade(plane, GROUPED, Wish("shop", GROUPED.replace(" FROM", ", 1 AS more FROM"), "2", "ROLLING"))
    until(lambda: phase(plane) == phases.WARMING)
    (plane.folders.state("shop", of(plane, 2).state) / "away").write_text("1")
    until(lambda: phase(plane) == phases.MOVING)
    assert [owned(plane, number) for number in (1, 2)] == [[10, 100], [0, 10]]
    assert meetings(plane, 2)[0] == meetings(plane, 2)[1]
    assert meetings(plane, 2)[2:] == ["switch"]
    for _ in range(5):
        plane.moves.look()
    assert of(plane, 2).share == 10
    batch_of(plane, 4, 2)
    until(lambda: of(plane, 2).share == 25)
    assert [owned(plane, number) for number in (1, 2)] == [[25, 100], [0, 25]]
    rollback(plane.control, "shop")
    until(lambda: of(plane, 2).role == "retired")
    assert [owned(plane, number) for number in (1, 2)] == [[0, 100], [0, 0]]
    assert (of(plane, 1).role, of(plane, 1).share) == ("active", 100)


def test_nobody_gets_keys_before_both_versions_have_read_the_same(plane: Plane) -> None:
    upgrade(plane, STATELESS, Wish("shop", MORE, "2", "CANARY", 30))
    until(lambda: phase(plane) == phases.WARMING)
    away = plane.folders.state("shop", of(plane, 2).state) / "away"
    away.write_text("1000")
    until(lambda: "meet" in told(plane, 2) and told(plane, 2).count("meet") >= 4)
    assert "switch" not in told(plane, 2)
    assert [owned(plane, number) for number in (1, 2)] == [[0, 100], [0, 0]]
    away.write_text("0")
    until(lambda: phase(plane) == phases.MOVING)
    assert [owned(plane, number) for number in (1, 2)] == [[30, 100], [0, 30]]


def alive(plane: Plane) -> list[int]:
    plane.control.supervisor.look()
    return [one.deployment.number for one in plane.control.beside("shop") if one.alive]


@pytest.mark.parametrize("verb", ["resume", "meet", "switch"])
def test_a_stop_in_the_middle_of_a_move_loses_nothing_when_both_versions_are_started_later(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Whatever the move was about to do: each version begins again with the rows that the registry knows as its own,
    where it stood itself, and the move goes on. `resume` comes first as the state has been copied."""
    original, stopped = moves.Moves._tell, Event()

    def stopping(self: moves.Moves, one: Any, command: Any) -> Any:
        if command.verb == "resume" == verb and not stopped.is_set():
            original(self, one, command)
        if command.verb == verb and not stopped.is_set():
            plane.control.stop("shop")
            stopped.set()
            return {}
        return original(self, one, command)

    monkeypatch.setattr(moves.Moves, "_tell", stopping)
    upgrade(plane, STATELESS, Wish("shop", MORE, "2", "CANARY", 30))
    until(stopped.is_set)
    for _ in range(3):
        plane.moves.look()
        assert not alive(plane)
    told_of_switch = verb == "switch"
    kept = [[30, 100], [0, 30]] if told_of_switch else [[0, 100], [0, 0]]
    assert [owned(plane, number) for number in (1, 2)] == kept
    plane.control.restart("shop")
    until(lambda: phase(plane) == phases.MOVING)
    for number, places in ((1, [30, 100]), (2, [0, 30])):
        assert owned(plane, number) == places
        begun = Task.read(plane.folders.driver("shop", number)).owners["totals"]["before"]
        assert begun == kept[number - 1]
        assert told(plane, number)[-2:] == ["switch", "resume"]
    assert alive(plane) == [1, 2]
    plane.control.stop("shop")
    plane.control.restart("shop")
    until(lambda: len(alive(plane)) == 2)
    tasks = [Task.read(plane.folders.driver("shop", number)).owners["totals"]["before"] for number in (1, 2)]
    assert tasks == [[30, 100], [0, 30]]
