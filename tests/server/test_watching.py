"""What the page asks for beside jobs: their last hour, what was written of windows, advice."""

from __future__ import annotations

import time

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient
from tests.server.conftest import SQL, until
from tests.server.test_api import client, deployed  # noqa: F401

from velostream.durations import DAY
from velostream.jobs.accounts import Accounts
from velostream.jobs.cold import ColdPlace
from velostream.jobs.emissions import FOLDER, Emissions
from velostream.jobs.home import Home
from velostream.plan.cold import Cold
from velostream.server import recent
from velostream.server.plane import Plane
from velostream.spark.stateful.payload import pack


@pytest.fixture
def rest(client: TestClient) -> TestClient:  # noqa: F811
    deployed(client)
    return client


def test_the_last_hour_of_a_job_is_remembered_and_goes_with_it(
    rest: TestClient, plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "EVERY", 0.0)
    asked = {"app": "SHOP", "job": "totals"}
    until(lambda: any(12.5 in one["rate"] for one in rest.get("/api/v1/recent", params=asked).json()["jobs"]))
    (job,) = rest.get("/api/v1/recent").json()["jobs"]
    assert (job["app"], job["job"]) == ("shop", "totals")
    assert len(job["at"]) == len(job["watermark_lag_seconds"]) == len(job["state_bytes"])
    assert rest.get("/api/v1/recent", params={"job": "other"}).json()["jobs"] == []
    rest.delete("/api/v1/apps/shop")
    until(lambda: not rest.get("/api/v1/recent").json()["jobs"])


def test_what_was_written_of_windows_is_found_by_key_and_in_pages(rest: TestClient, plane: Plane) -> None:
    log = Emissions(plane.folders.state("shop", "000001") / "totals" / FOLDER, ("orders.customer",))
    rows = {"k0": ["ann", "bob"], "_window_start": [0, 2_000_000], "_window_end": [2_000_000, 4_000_000]}
    log.take([pack(pl.DataFrame({**rows, "_emission": ["final", "final"], "_revision": [1, 1]}))], 1)
    log.take([pack(pl.DataFrame({**rows, "_emission": ["late", "late"], "_revision": [2, 2]}).head(1))], 2)
    found = rest.get("/api/v1/jobs/totals/windows", params={"limit": 1}).json()
    assert (found["total"], [one["key"] for one in found["items"]]) == (2, ["bob"])
    (ann,) = rest.get("/api/v1/jobs/totals/windows", params={"key": "ANN"}).json()["items"]
    assert (ann["window_start"], ann["window_end"]) == ("1970-01-01T00:00:00Z", "1970-01-01T00:00:02Z")
    assert [(each["emission"], each["revision"], each["batch"]) for each in ann["emissions"]] == [
        ("final", 1, 1),
        ("late", 2, 2),
    ]


def test_closed_windows_that_were_put_away_are_found_with_their_values_whether_the_job_runs_or_not(
    client: TestClient,  # noqa: F811
    plane: Plane,
) -> None:
    sql = SQL.rstrip().removesuffix(");") + ", 'state.cold.backend' = 'files', 'state.cold.location' = 'cold');"
    client.post("/api/v1/apps", json={"name": "shop", "sql": f"-- SQL Application: other\n{sql}"})
    place = ColdPlace(Cold("totals", "files", "cold", DAY, (), ()), "shop", plane.folders.files)
    times = pa.timestamp("us", "UTC")
    said = {"customer": ["ann", "ann", "bob"], "total": [5, 7, 2], "_emission": ["final", "late", "final"]}
    begins = {"_window_start": [0, 0, 2_000_000], "_window_end": [2_000_000, 2_000_000, 4_000_000]}
    now = int(time.time() * 1e6)
    counts = {"_revision": [1, 2, 1], "_event_count": [1, 2, 1], "_closed_at": pa.array([now, now + 1, now], times)}
    rows = pa.table({**said, **{name: pa.array(each, times) for name, each in begins.items()}, **counts})
    place.folder.mkdir(parents=True)
    pq.write_table(rows, place.folder / "part-1.parquet")
    late = {"k0": ["ann"], "_window_start": [0], "_window_end": [2_000_000], "_emission": ["late"], "_revision": [2]}
    log = Emissions(plane.folders.state("shop", "000001") / "totals" / FOLDER, ("orders.customer",))
    log.take([pack(pl.DataFrame(late))], 4)

    found = client.get("/api/v1/jobs/totals/windows").json()
    bob, ann = found["items"]
    assert (found["total"], found["types"]["total"], found["closed_since"]) == (2, "BIGINT", None)
    assert (bob["key"], bob["values"]["total"], bob["window_end"]) == ("bob", 2, "1970-01-01T00:00:04Z")
    assert ann["values"]["total"] == ann["values"]["_event_count"] + 5 == 7
    assert [(each["emission"], each["batch"]) for each in ann["emissions"]] == [("final", None), ("late", 4)]

    def keys(**asked: object) -> list[str]:
        answer = client.get("/api/v1/jobs/totals/windows", params=asked)  # type: ignore[arg-type]
        return [one["key"] for one in answer.json()["items"]]

    assert keys(key="BOB") == ["bob"]
    assert (keys(**{"from": "1970-01-01T00:00:01"}), keys(to="1970-01-01T00:00:01Z")) == (["bob"], ["ann"])
    assert (keys(limit=1, offset=1), keys(closed=False)) == (["ann"], ["ann"])
    assert (keys(**{"from": "0001-01-01T00:00:00+05:00"}), keys(to="9999-12-31T23:00:00-05:00")) == (
        ["bob", "ann"],
    ) * 2
    assert client.get("/api/v1/jobs/totals/windows", params={"from": "yesterday"}).status_code == 422
    client.post("/api/v1/jobs/totals/stop")
    assert keys(key="bob") == ["bob"]


def test_advice_is_that_of_velo_advise(rest: TestClient, plane: Plane) -> None:
    assert rest.get("/api/v1/advice", params={"app": "nobody"}).status_code == 404
    accounts = Accounts(batch=3, read=100)
    accounts.dead_lettered["undecodable"] = 40
    home = Home(plane.folders.state("shop", "000001") / "totals")
    home.folder.mkdir(parents=True, exist_ok=True)
    accounts.save(home.accounts)
    found = rest.get("/api/v1/advice").json()["items"]
    assert (found[0]["app"], found[0]["job"], found[0]["kind"]) == ("shop", "totals", "loses")
    assert all(one["what"] and one["change"] for one in found)
