"""A connection to a job server that answers over a real port, with drivers that need no Spark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.server.conftest import SQL, until

import velostream
from velostream.api.findings import InvalidSql
from velostream.api.server_progress import events
from velostream.errors import VeloError
from velostream.server.folders import Folders
from velostream.sinks.letters import letter, write_letters


def test_an_application_is_deployed_watched_and_stopped_by_a_program(url: str, tmp_path: Path) -> None:
    velo = velostream.connect(url)
    file = tmp_path / "shop.sql"
    file.write_text(SQL)
    assert velo.validate(file).ok
    deployed = velo.deploy(file)
    assert deployed.app is not None
    assert "version 1 of shop is deployed" in repr(deployed)
    assert deployed.app.wait() == "running"
    job = velo.job("totals")
    assert (job.state, job.status().read) == ("running", 7)
    assert job.pause().state == "paused"
    assert job.resume().state == "running"
    assert job.detail().sinks[0].name == "out"
    assert next(line.message for line in job.logs()) == "stand-in of shop"
    assert [each.version for each in job.versions()] == ["1"]
    assert velo.jobs().names == ["shop.totals"]
    assert "<svg" in job.plan().svg()
    assert "totals" in deployed.app._repr_html_()
    assert velo.sql("SHOW JOBS").rows()[0]["job"] == "totals"
    assert "Scan orders" in velo.explain("SELECT customer FROM orders", app="shop").text
    deployed.app.stop()
    until(lambda: velo.app("shop").state == "stopped")
    deployed.app.delete()
    assert velo.apps() == []


def test_a_dry_run_says_whether_state_can_be_kept(url: str) -> None:
    velo = velostream.connect(url)
    app = velo.deploy(SQL, name="shop").app
    assert app is not None
    verdict = velo.deploy(SQL.replace("TUMBLING(2s)", "TUMBLING(4s)"), name="shop", dry_run=True)
    assert (verdict.app, verdict.compatible) == (None, False)
    assert "dry run" in repr(verdict)


def test_closed_windows_are_the_same_from_a_server_and_in_this_process(url: str, tmp_path: Path) -> None:
    files = Folders(tmp_path / "data").files
    sql = SQL.rstrip().removesuffix(");") + ", 'state.cold.backend' = 'files', 'state.cold.location' = 'cold');"
    (files / "shop.sql").write_text(sql)
    begins = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2)]
    at = {"_window_start": begins, "_window_end": [each + timedelta(seconds=2) for each in begins]}
    more = {
        "_emission": ["final"] * 2,
        "_revision": [1, 1],
        "_event_count": [1, 2],
        "_closed_at": [datetime.now(UTC)] * 2,
    }
    (files / "cold" / "shop" / "totals").mkdir(parents=True)
    rows = pa.table({"customer": ["ann", "bob"], "total": [5, 7], **at, **more})
    pq.write_table(rows, files / "cold" / "shop" / "totals" / "part-1.parquet")
    server, here = velostream.connect(url), velostream.connect(app=files / "shop.sql")
    server.deploy(sql, name="shop")
    assert server.closed_windows("totals").rows() == here.closed_windows("totals").rows() != []
    assert [row["total"] for row in server.closed_windows("totals", "BOB")] == [7]
    assert [row["total"] for row in server.closed_windows("totals", end=datetime(2026, 1, 2))] == [5]
    assert [row["total"] for row in here.closed_windows("totals", begin=datetime(2026, 1, 2))] == [7]
    assert len(server.closed_windows("totals", "nobody")) == 0
    server.deploy(SQL, name="bare")
    for velo, name in ((server, "bare.totals"), (velostream.connect(app=SQL), "totals")):
        with pytest.raises(VeloError, match="puts no closed windows away"):
            velo.closed_windows(name)


def test_what_the_server_finds_is_raised_at_its_place(url: str) -> None:
    velo = velostream.connect(url)
    with pytest.raises(InvalidSql, match="no column 'amuont'") as refusal:
        velo.deploy(SQL.replace("SUM(amount)", "SUM(amuont)"), name="shop")
    assert "^^^^^^" in str(refusal.value)
    assert not velo.validate(SQL.replace("SUM(amount)", "SUM(amuont)"))


def test_what_only_this_process_does_is_refused_with_a_way_out(url: str) -> None:
    velo = velostream.connect(url)
    with pytest.raises(VeloError, match="does not send the rows of streams") as refusal:
        velo.follow("SELECT * FROM orders")
    assert "connect(app=" in refusal.value.hint
    with pytest.raises(VeloError, match="takes no functions"):
        velo.register(len)


def test_a_wrong_token_and_a_silent_address_are_refused_at_once(url: str) -> None:
    with pytest.raises(VeloError) as refusal:
        velostream.connect(url, token="wrong")
    assert refusal.value.error_code == "unauthorized"
    with pytest.raises(VeloError, match="no server answers"):
        velostream.connect("http://127.0.0.1:9")


def test_progress_comes_as_events(url: str) -> None:
    told = velostream.connect(url).progress()
    assert next(told).kind == "InitialSnapshot"
    told.close()  # type: ignore[attr-defined]


def test_lines_of_a_stream_are_events_and_comments_are_none() -> None:
    lines = ["id: 1", "event: TableUpdate", 'data: {"name": "x"}', "", ": still here", ""]
    assert [(each.id, each.kind, each.data) for each in events(lines)] == [("1", "TableUpdate", {"name": "x"})]


def test_dead_letters_are_found_and_replayed_and_columns_followed(url: str, tmp_path: Path) -> None:
    velo = velostream.connect(url)
    velo.deploy(SQL, name="shop")
    home = Folders(tmp_path / "data").state("shop", "000001") / "totals"
    (home / "spark").mkdir(parents=True)
    told = {"source": "orders", "partition": 0}
    letters = [letter(reason="late", record="a", offset=1, **told), letter(reason="bad", record="b", offset=2, **told)]
    write_letters(home / "dead-letters", "totals", 1, letters)
    job = velo.job("totals")
    assert [each["record"] for each in job.letters(text="B")] == ["b"]
    assert len(velo.letters("shop")) == 2
    with pytest.raises(VeloError, match="which dead letters"):
        job.replay()
    assert job.replay(text="a").records == 1
    again = job.replay(all=True)
    assert (again.records, len(again.passed_over)) == (1, 1)
    assert velo.lineage("shop").origins("out", "total") == ["orders.amount"]
