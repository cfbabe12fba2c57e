"""The whole server with real drivers: whoever is killed, every result is written once, and versions follow each other.

VELO_APPS says how many applications run at once, VELO_STRATEGIES which strategies are tried (all: the long form).
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.server.client import Client
from velostream.server.process import Process

APPS = int(os.environ.get("VELO_APPS", "2"))
STRATEGIES = os.environ.get("VELO_STRATEGIES", "").split()
"""Which strategies are tried with real drivers: each takes minutes, so that only `make faults` does."""
PATIENCE = 300.0
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Many short-lived JVMs on few cores: what they do once is not worth being compiled twice."""
RATE, SECONDS = 20, 2
START = datetime(2026, 1, 1, tzinfo=UTC)
SQL = f"""
CREATE STREAM orders (customer STRING, amount BIGINT, at TIMESTAMP) WITH (
    'orders.type' = 'datagen_source', 'orders.rate' = '{RATE}', 'orders.seed' = '7',
    'orders.start.time' = '2026-01-01T00:00:00Z', 'orders.event.time.field' = 'at',
    'orders.fields.customer.values' = 'ann, bob, cem, dan, eve',
    'orders.fields.amount.min' = '1', 'orders.fields.amount.max' = '9');
-- @name: totals
SELECT _window_start AS starts, customer, COUNT(*) AS n, SUM(amount) AS total
FROM orders GROUP BY customer WINDOW TUMBLING({SECONDS}s) INTO out
WITH ('out.type' = 'file_sink', 'out.path' = 'NAME', 'out.format' = 'jsonl');
"""
BIGGER = SQL.replace("AS total", "AS total, MAX(amount) AS most")
LONGER = 8
OTHER = SQL.replace(f"TUMBLING({SECONDS}s)", f"TUMBLING({LONGER}s)").replace("AS total", "AS total, 1 AS long")
PLAIN = f"""{SQL.split("-- @name")[0]}
-- @name: totals
SELECT at, customer, amount FROM orders WHERE amount > 1 INTO out
WITH ('out.type' = 'file_sink', 'out.path' = 'NAME', 'out.format' = 'jsonl');
"""
KEYED = PLAIN.replace("customer, amount FROM", "customer PRIMARY KEY, amount FROM")
GROUPED = f"""{SQL.split("-- @name")[0]}
-- @name: totals
SELECT customer, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY customer INTO out
WITH ('out.type' = 'file_sink', 'out.path' = 'NAME', 'out.format' = 'jsonl');
"""
Row = dict[str, Any]


class Server:
    """A control plane in a process of its own, and those who ask it."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self.options = ("--spark", f"spark.driver.extraJavaOptions={QUICK}", *options)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        given = [sys.executable, "-m", "velostream.cli.main", "serve", "--data", str(self.data)]
        given += ["--port", str(self.port), "--backoff", "200ms", "--restarts", "20", *self.options]
        environment = {name: value for name, value in os.environ.items() if name != "VELO_TOKEN"}
        with (self.data.parent / "server.log").open("ab") as log:
            self.process = subprocess.Popen(given, stdout=log, stderr=log, env=environment)
        until(lambda: self.ask().get("/health/live"))

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def ask(self) -> Client:
        token = self.data / "token"
        return Client(f"http://127.0.0.1:{self.port}", token.read_text().strip() if token.exists() else "")

    def app(self, name: str) -> Any:
        return self.ask().get(f"/api/v1/apps/{name}")

    def job(self, name: str) -> Any:
        return self.ask().get(f"/api/v1/jobs/{name}.totals")

    def deploy(self, name: str, sql: str = SQL, **more: object) -> None:
        self.ask().post("/api/v1/apps", {"name": name, "sql": sql.replace("NAME", name), **more})

    def rows(self, name: str) -> list[Row]:
        files = sorted((self.data / "files" / name).glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def end(self) -> None:
        """Ends the control plane and all drivers."""
        if self.process is not None:
            self.kill()
        self.kill_drivers()

    def kill_drivers(self) -> None:
        """Kills the drivers of all versions of all applications."""
        for file in self.data.glob("apps/*/drivers/*/process.json"):
            said = json.loads(file.read_text())
            Process(said["pid"], said["mark"]).kill()


def until(reached: Callable[[], object], seconds: float = PATIENCE) -> None:
    ends = time.monotonic() + seconds
    while True:
        try:
            if reached():
                return
        except VeloError:
            pass
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.2)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "data")
    made.data.mkdir()
    made.start()
    yield made
    made.end()


@cache
def made(count: int, files: Path) -> list[tuple[int, str, int]]:
    """The first records of the source, each as microseconds, customer and amount: what an uninterrupted run reads."""
    import pyarrow as pa

    from velostream.server.planning import planned
    from velostream.sources.streams.datagen import records
    from velostream.sources.streams.generating import recipe_of

    scan = planned(SQL, "shop", files).plan.jobs[0].scans[0]
    recipe = recipe_of(scan.source, [(one.name, one.type) for one in scan.declared], scan.settings, "at", 1)
    types = {"customer": pa.string(), "amount": pa.int64(), "at": pa.timestamp("us", "UTC")}
    rows = records(recipe, pa.schema(types.items()), 0, count, recipe.start or 0, 0).to_pylist()
    return [(micros_of(row["at"]), row["customer"], row["amount"]) for row in rows]


def check(rows: list[Row], files: Path, seconds: int = SECONDS, after: int = 0) -> int:
    """All rows are those of an uninterrupted run: of every window from the first on, each key once, each value right.
    Answers where the last window ends."""
    doubled = [key for key, count in Counter((row["starts"], row["customer"]) for row in rows).items() if count > 1]
    assert doubled == []
    last = max(second_of(row["starts"]) for row in rows) + seconds
    groups: dict[tuple[int, str], list[int]] = {}
    for micros, customer, amount in made(last * RATE, files):
        groups.setdefault((micros // 1_000_000 // seconds * seconds, customer), []).append(amount)
    wanted = {
        key: (len(amounts), sum(amounts), max(amounts)) for key, amounts in groups.items() if key[0] + seconds > after
    }
    found = {
        (second_of(row["starts"]), row["customer"]): (row["n"], row["total"], row.get("most", None)) for row in rows
    }
    assert {key: (n, total) for key, (n, total, _) in found.items()} == {
        key: (n, total) for key, (n, total, _) in wanted.items()
    }
    told = {key: most for key, (_, _, most) in found.items() if most is not None}
    assert [key for key, most in told.items() if most > wanted[key][2]] == []
    # windows that were open as the column was added have it from then on
    whole = min((start for start, _ in told), default=0) + 2 * seconds
    assert [key for key, most in told.items() if key[0] >= whole and most != wanted[key][2]] == []
    return last


def micros_of(moment: datetime) -> int:
    return round((moment - START) / timedelta(microseconds=1))


def second_of(text: str) -> int:
    return micros_of(datetime.fromisoformat(text)) // 1_000_000


@pytest.mark.slow
def test_whoever_is_killed_every_result_is_written_once_and_no_job_is_forgotten(server: Server) -> None:
    chance = random.Random(5)
    names = [f"app{number}" for number in range(APPS)]
    for name in names:
        server.deploy(name)
    until(lambda: all(server.job(name)["rows_out"] for name in names))
    for name in chance.sample(names, min(2, APPS)):
        pid = server.app(name)["pid"]
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        with server.ask().stream("/health/progress/stream") as events:
            heard = [next(events) for _ in range(3)]
            server.kill()
        server.start()
        last = next(line.removeprefix("id: ") for line in heard if line.startswith("id: "))
        with server.ask().stream("/health/progress/stream", **{"Last-Event-ID": last}) as after:
            assert "event: InitialSnapshot" in [next(after) for _ in range(3)]
    assert sorted(each["name"] for each in server.ask().get("/api/v1/apps")["items"]) == names
    until(lambda: all(server.app(name)["state"] == "running" for name in names))
    before = {name: server.job(name)["rows_out"] for name in names}
    until(lambda: all(server.job(name)["rows_out"] > before[name] + 5 for name in names))
    for name in names:
        assert server.ask().post(f"/api/v1/jobs/{name}/stop")["state"] == "stopped"
        check(server.rows(name), server.data)
    told = [each["what"] for name in names for each in server.app(name)["happenings"]]
    assert told.count("restart") >= min(2, APPS)


@pytest.mark.slow
@pytest.mark.skipif("VELO_APPS" not in os.environ, reason="minutes: make faults")
def test_versions_follow_each_other_and_no_result_is_missing_or_doubled(server: Server) -> None:
    server.deploy("shop", version="1")
    until(lambda: server.job("shop")["rows_out"])
    server.deploy("shop", BIGGER, version="2")
    until(lambda: any("most" in row for row in server.rows("shop")))
    with pytest.raises(VeloError, match="does not fit"):
        server.deploy("shop", SQL.replace(f"TUMBLING({SECONDS}s)", "TUMBLING(8s)"), version="3")
    assert server.ask().post("/api/v1/jobs/shop/rollback")["version"] == "1"
    check(ended(server), server.data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy", [each for each in STRATEGIES if each not in ("FRESH", "PLAIN", "SHARES", "LETTERS", "CLUSTER")]
)
def test_keys_move_to_a_version_beside_and_no_result_is_missing_or_doubled(server: Server, strategy: str) -> None:
    server.deploy("shop", version="1")
    until(lambda: server.job("shop")["rows_out"])
    server.deploy("shop", BIGGER, version="2", strategy=strategy)
    until(lambda: any("most" in row for row in server.rows("shop")))
    if strategy.startswith("CANARY"):
        until(lambda: server.app("shop")["versions"][0]["moving"] == "settled")
        assert server.ask().post("/api/v1/jobs/shop/rollback")["version"] == "1"
        until(lambda: [each["role"] for each in server.app("shop")["versions"]].count("beside") == 0)
    else:
        until(lambda: server.app("shop")["version"] == "2")
        assert server.ask().post("/api/v1/jobs/shop/rollback")["version"] == "1"
    check(ended(server), server.data)


@pytest.mark.slow
@pytest.mark.skipif("FRESH" not in STRATEGIES, reason="it takes minutes: make faults")
def test_a_version_with_other_windows_takes_over_at_one_point_of_time(server: Server) -> None:
    server.deploy("shop", version="1")
    until(lambda: server.job("shop")["rows_out"])
    with pytest.raises(VeloError, match="does not fit"):
        server.deploy("shop", OTHER, version="2", strategy="BLUE_GREEN")
    server.deploy("shop", OTHER, version="2", strategy="BLUE_GREEN", fresh=True)
    until(lambda: server.app("shop")["version"] == "2")
    rows = ended(server)
    last = check([row for row in rows if "long" not in row], server.data)
    check([row for row in rows if "long" in row], server.data, LONGER, after=last)


@pytest.mark.slow
@pytest.mark.skipif("LETTERS" not in STRATEGIES, reason="it takes minutes: make faults")
def test_of_each_record_that_fails_one_version_writes_the_letter(server: Server) -> None:
    fails = SQL.replace("FROM orders GROUP", "FROM orders WHERE 1 / (amount - 5) < 9 GROUP")
    more = fails.replace("FROM orders", ", 1 AS more FROM orders")
    server.deploy("shop", fails, version="1")
    until(lambda: server.rows("shop"))
    server.deploy("shop", more, version="2", strategy="CANARY(50)")
    until(lambda: server.app("shop")["versions"][0]["moving"] == "settled")
    server.deploy("shop", more, version="2", strategy="BLUE_GREEN")
    until(lambda: server.app("shop")["version"] == "2")
    rows = ended(server)
    assert max(Counter((row["starts"], row["customer"]) for row in rows).values()) == 1
    letters = server.ask().get("/api/v1/dlq?app=shop&limit=1000")
    offsets = sorted(one["offset"] for one in letters["items"])
    places = [place for place, one in enumerate(made(offsets[-1] + 1, server.data)) if one[2] == 5]
    assert offsets == places
    assert len({one["id"].split("-")[1] for one in letters["items"] if one["id"].count("-") > 1}) == 1
    assert {one["id"].count("-") for one in letters["items"]} == {1, 2}


@pytest.mark.slow
@pytest.mark.skipif("PLAIN" not in STRATEGIES, reason="it takes minutes: make faults")
def test_rows_without_windows_move_where_the_sources_stand_and_begin_again_with_a_savepoint(server: Server) -> None:
    server.deploy("shop", PLAIN, version="1")
    until(lambda: server.rows("shop"))
    more = PLAIN.replace("amount FROM", "amount, 1 AS more FROM")
    server.deploy("shop", more, version="2", strategy="BLUE_GREEN")
    until(lambda: server.app("shop")["version"] == "2")
    server.ask().post("/api/v1/jobs/shop/savepoint", {"name": "here"})
    rows = ended(server)
    found = of_records(rows)
    wanted = [one for one in made(len(found) * 2, server.data) if one[2] > 1]
    assert {"more" in row for row in rows} == {True, False}
    assert found == wanted[: len(found)]
    server.deploy("shop", more.replace("NAME", "again"), version="3", savepoint="here")
    until(lambda: server.rows("again"))
    assert server.ask().post("/api/v1/jobs/shop/stop")["state"] == "stopped"
    again = of_records(server.rows("again"))
    begins = wanted.index(again[0])
    assert 0 < begins <= len(found)
    wanted = [one for one in made((begins + len(again)) * 2, server.data) if one[2] > 1]
    assert again == wanted[begins : begins + len(again)]


@pytest.mark.slow
@pytest.mark.skipif("SHARES" not in STRATEGIES, reason="it takes minutes: make faults")
@pytest.mark.parametrize(
    ("sql", "strategy"),
    [(PLAIN, "CANARY(40)"), (KEYED, "ROLLING"), (GROUPED, "CANARY(40)")],
    ids=["by position", "by key", "changes"],
)
def test_shares_of_rows_without_windows_move_and_go_back_whoever_is_killed(
    server: Server, sql: str, strategy: str
) -> None:
    server.deploy("shop", sql, version="1")
    until(lambda: server.rows("shop"))
    server.deploy("shop", sql.replace(" FROM", ", 1 AS more FROM"), version="2", strategy=strategy)
    until(lambda: any("more" in row for row in server.rows("shop")))
    server.kill_drivers()
    server.kill()
    server.start()
    if strategy == "ROLLING":
        until(lambda: server.app("shop")["version"] == "2")
    else:
        until(lambda: server.app("shop")["versions"][0]["moving"] == "settled")
        before = by_version(server)
        until(lambda: all(by_version(server)[new] > before[new] for new in (True, False)))
    assert server.ask().post("/api/v1/jobs/shop/rollback")["version"] == "1"
    until(lambda: [each["role"] for each in server.app("shop")["versions"]].count("beside") == 0)
    rows = ended(server)
    if "GROUP BY" in sql:
        check_changes(rows, server.data)
        return
    found = of_records(rows)
    wanted = [one for one in made(len(found) * 2, server.data) if one[2] > 1]
    assert found == wanted[: len(found)]


def by_version(server: Server) -> Counter[bool]:
    """How many rows each version has written; True is the new one."""
    return Counter("more" in row for row in server.rows("shop"))


def check_changes(rows: list[Row], files: Path) -> None:
    """Every change of every key was written once, as an uninterrupted run writes it."""
    found: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        found.setdefault(row["customer"], []).append((row["n"], row["total"]))
    wanted: dict[str, list[tuple[int, int]]] = {}
    for _, customer, amount in made(len(rows) * 2, files):
        n, total = wanted.setdefault(customer, [(0, 0)])[-1]
        wanted[customer].append((n + 1, total + amount))
    for customer, changes in found.items():
        assert sorted(changes) == wanted[customer][1 : len(changes) + 1]


def of_records(rows: list[Row]) -> list[tuple[int, str, int]]:
    return sorted((micros_of(datetime.fromisoformat(row["at"])), row["customer"], row["amount"]) for row in rows)


def ended(server: Server) -> list[Row]:
    """Lets the application go on for a while, and ends it: all that it wrote."""
    until(lambda: server.app("shop")["state"] == "running")
    count = len(server.rows("shop"))
    until(lambda: len(server.rows("shop")) > count + 5)
    assert server.ask().post("/api/v1/jobs/shop/stop")["state"] == "stopped"
    return server.rows("shop")
