"""Small parts of the server, each by itself."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.server.conftest import SQL

from velostream.errors import VeloError
from velostream.jobs.ownership import Ownership
from velostream.server.deploying import Wish
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.driver.logs import last_lines, last_words
from velostream.server.driver.status import Status, read_status
from velostream.server.folders import DriverFolder, check_name
from velostream.server.masking import masked_sql
from velostream.server.moving.copying import copy_state
from velostream.server.planning import planned
from velostream.server.serving import address, listening
from velostream.server.settings import ServerSettings


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "-x", "a b", "x" * 101, "é"])
def test_a_name_that_is_no_folder_cannot_be_an_application(name: str) -> None:
    with pytest.raises(VeloError, match="cannot be the name"):
        check_name(name)
    with pytest.raises(VeloError, match="cannot be the name of a savepoint"):
        check_name(name, "a savepoint")
    assert check_name("Shop_1.2-x") == "Shop_1.2-x"


def test_secrets_in_sql_are_masked_and_lines_stay_where_they_are() -> None:
    sql = "WITH ('a.password' = 'x''y\nz',\n 'url' = 'jdbc://me:pw@host/d', \"a.token\" = 't', 'a.b' = 'kept')"
    shown = masked_sql(sql)
    assert "x''y" not in shown
    assert "pw@" not in shown
    assert "'t'" not in shown
    assert "'kept'" in shown
    assert shown.count("\n") == sql.count("\n")


@pytest.mark.parametrize("value", ["'a''s'", "'a\\'s'", '"a\'s"', "r'as'", "hunter2"])
def test_secrets_in_sql_are_masked_however_they_are_quoted(value: str) -> None:
    sql = f"CREATE STREAM x (a INT) WITH (x.sasl.jaas.config = {value}, 'x.topic' = 't')\n-- 'y.password' = 'old'"
    shown = masked_sql(sql)
    assert shown == sql.replace(value, "'****'").replace("'old'", "'****'")


def test_a_pause_is_no_error_in_the_log_though_sparks_bridge_calls_it_one(tmp_path: Path) -> None:
    script = """
import logging, sys
from pathlib import Path
from velostream.jobs.writing import Stopped
from velostream.server.driver.logs import open_log
open_log(Path(sys.argv[1]))
for failure in (Stopped(), ValueError("bad")):
    try:
        raise failure
    except Exception:
        logging.getLogger("py4j.clientserver").error("There was an exception", exc_info=True)
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "log")], check=True)
    assert [line["error"] for line in last_lines(tmp_path / "log", 10)] == ["ValueError: bad"]


def test_a_driver_that_begins_again_says_what_its_jobs_had_counted(tmp_path: Path) -> None:
    folder = DriverFolder(tmp_path)
    job = {"name": "a", "state": "failed", "error": "away", "records": {"read": 7}, "rate": 3.0, "whole": True}
    folder.status.write_text(json.dumps({"format": 1, "jobs": [job], "tables": [{"name": "t"}]}))
    status = Status(folder, "shop")
    status.runner = SimpleNamespace(jobs=[], tables=None)  # type: ignore[assignment]
    status.write()
    said = read_status(folder)
    assert said is not None
    assert said["jobs"] == [{"name": "a", "state": "created", "records": {"read": 7}, "rate": 0.0, "whole": False}]
    assert said["tables"] == [], "these are loaded anew"


def test_a_command_is_answered_or_refused(tmp_path: Path) -> None:
    folder = DriverFolder(tmp_path)
    first = commands.send(folder, Command(commands.PAUSE, ("a",)))
    second = commands.send(folder, Command(commands.QUERY, (), {"sql": "SELECT 1"}))
    assert [each.verb for each in commands.waiting(folder)] == ["pause", "query"]
    commands.answer(folder, first, {"fine": True})
    assert commands.outcome(folder, first, 1, lambda: True) == {"fine": True}
    assert commands.outcome(folder, second, 0, lambda: True) is None
    commands.refuse(folder, second, VeloError("no", hint="later", code="job-state"))
    with pytest.raises(VeloError, match="no"):
        commands.outcome(folder, second, 1, lambda: True)
    third = commands.send(folder, Command(commands.FLUSH))
    with pytest.raises(VeloError, match="ended before it could flush"):
        commands.outcome(folder, third, 1, lambda: False)


def test_the_newest_lines_of_a_log_come_from_both_of_its_files(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    (tmp_path / "log.jsonl.1").write_text('{"at": "1", "level": "info", "message": "old"}\n')
    log.write_text('not json\n{"at": "2", "level": "info", "message": "new"}\n')
    assert [line["message"] for line in last_lines(log, 10)] == ["old", "not json", "new"]
    assert [line["message"] for line in last_lines(log, 1)] == ["new"]
    assert last_lines(tmp_path / "none", 5) == []
    log.write_text("x" * 200_000 + "\nlast, jdbc://me:pw@host\n")
    assert last_words(log, 1) == ["last, jdbc://me:****@host"]


def test_each_window_of_a_key_has_one_owner_whatever_moves() -> None:
    old, new = Ownership(), Ownership((0, 0))
    for point, share in ((100, 10), (200, 50), (300, 0), (400, 100)):
        old, new = old.then(point, share, 100), new.then(point, 0, share)
    for end in range(50, 500, 25):
        for place in range(100):
            owners = [low <= place < high for low, high in (old.at(end), new.at(end))]
            assert sum(owners) == 1, (end, place)
    assert new.at(100) == (0, 0)
    assert new.at(101) == (0, 10)
    assert Ownership.of(json.loads(json.dumps(new.data()))) == new
    assert Ownership().is_whole
    assert not new.is_whole


def test_a_copy_of_state_has_queries_of_its_own_and_shares_what_never_changes(tmp_path: Path) -> None:
    tmp_path /= "spark"  # where the data lies says nothing of what is Spark's below it
    spark = tmp_path / "old" / "totals" / "spark"
    (spark / "offsets").mkdir(parents=True)
    (spark / "metadata").write_text('{"id":"11111111-0000-0000-0000-000000000000"}')
    (spark / ".metadata.crc").write_text("sum")
    (spark / "offsets" / "0").write_text("v2")
    control = tmp_path / "old" / "totals" / "control"
    remembered = spark / "sources" / "control_1"
    remembered.mkdir(parents=True)
    (remembered / "0").write_text(f'v1\n{{"path":"file://{control}/1.json"}}\n{{"path":"file:///elsewhere/1.json"}}')
    (remembered / ".0.crc").write_text("sum")
    (tmp_path / "old" / ".lock").write_text("")
    (tmp_path / "old" / "totals" / "accounts.json").write_text("{}")
    copy_state(tmp_path / "old", tmp_path / "new")
    copied = tmp_path / "new" / "totals"
    assert json.loads((copied / "spark" / "metadata").read_text())["id"] != "11111111-0000-0000-0000-000000000000"
    assert json.loads((spark / "metadata").read_text())["id"] == "11111111-0000-0000-0000-000000000000"
    assert not (copied / "spark" / ".metadata.crc").exists()
    told = (copied / "spark" / "sources" / "control_1" / "0").read_text().splitlines()
    assert [json.loads(line)["path"] for line in told[1:]] == [
        f"file://{tmp_path}/new/totals/control/1.json",
        "file:///elsewhere/1.json",
    ]
    assert not (copied / "spark" / "sources" / "control_1" / ".0.crc").exists()
    assert f"{control}/1.json" in (remembered / "0").read_text()
    assert (copied / "spark" / "offsets" / "0").stat().st_ino == (spark / "offsets" / "0").stat().st_ino
    assert (copied / "accounts.json").stat().st_ino != (tmp_path / "old" / "totals" / "accounts.json").stat().st_ino
    assert not (tmp_path / "new" / ".lock").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"strategy": "SWAP"}, "no strategy 'SWAP'"),
        ({"strategy": "CANARY"}, "takes the share"),
        ({"strategy": "CANARY", "percent": 0}, "not a share"),
        ({"strategy": "ROLLING", "percent": 5}, "only CANARY"),
    ],
)
def test_a_strategy_that_does_not_exist_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(VeloError, match=said):
        Wish("a", "SELECT 1", **given)  # type: ignore[arg-type]
    assert Wish("a", "", strategy="CANARY", percent=7).steps == [7]
    assert Wish("a", "", strategy="ROLLING").steps == [10, 25, 50, 100]


def test_local_drivers_get_little_memory(tmp_path: Path) -> None:
    assert ServerSettings(tmp_path).spark_settings["spark.driver.memory"] == "512m"
    assert "spark.driver.memory" not in ServerSettings(tmp_path, master="spark://h:7077").spark_settings


def test_the_control_plane_is_small_since_it_loads_nothing_that_computes() -> None:
    heavy = ("pyspark", "polars", "pyarrow", "pandas", "numpy", "py4j")
    code = "import sys, velostream.server.plane, velostream.server.api.app\n"
    code += f"print([name for name in {heavy!r} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_the_control_plane_stays_small_when_it_looks_through_closed_windows(tmp_path: Path) -> None:
    code = f"""
import sys, time
from datetime import UTC, datetime
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
from velostream.jobs.closed_rows import Wanted
from velostream.jobs.cold import ColdPlace
from velostream.plan.cold import Cold
from velostream.server.put_away import _read
place = ColdPlace(Cold("j", "files", "cold", 10**15, (("k", "STRING"),), ("k",)), "a", Path({str(tmp_path)!r}))
place.folder.mkdir(parents=True)
now = datetime.now(UTC)
row = {{"k": "x", "_window_start": now, "_window_end": now, "_emission": "final", "_revision": 1, "_event_count": 1}}
pq.write_table(pa.Table.from_pylist([row | {{"_closed_at": now}}]), place.folder / "part-1.parquet")
[place] = _read(place, Wanted("X", begin=datetime(2020, 1, 1, tzinfo=UTC), most=10)).windows
print(place[0], [name for name in ("pyspark", "polars", "pyarrow.dataset") if name in sys.modules])
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "x []"


def test_a_port_that_is_taken_is_told_before_anything_is_started() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(VeloError, match="cannot listen at 'http:") as refusal:
            listening("127.0.0.1", taken.getsockname()[1])
    assert "--port" in refusal.value.hint
    assert address("::", 1) == "http://[::1]:1/"


def test_one_file_under_several_names_keeps_what_it_keeps_by_name(tmp_path: Path) -> None:
    sql = f"-- SQL Application: my shop\n{SQL}"
    assert [planned(sql, name, tmp_path).plan.name for name in ("my_shop", "a", "b")] == ["my shop", "a", "b"]
    assert planned(SQL, "c", tmp_path).plan.name == "c"
