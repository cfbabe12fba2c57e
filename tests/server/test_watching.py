"""What the page asks for beside jobs: their last hour, what was written of windows, advice."""

from __future__ import annotations

import polars as pl
import pytest
from starlette.testclient import TestClient
from tests.server.conftest import until
from tests.server.test_api import client, deployed  # noqa: F401

from velostream.jobs.accounts import Accounts
from velostream.jobs.emissions import FOLDER, Emissions
from velostream.jobs.home import Home
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
