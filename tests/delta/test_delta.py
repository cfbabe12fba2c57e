"""Delta tables, written by real drivers: Spark takes Delta's jars and extensions only when it starts."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.faults.test_kill import KILLS, VELO, report, rows, run_with_kills, write_input

from velostream.errors import VeloError
from velostream.spark.jars import jars_of


@pytest.fixture(scope="module", autouse=True)
def _jars() -> None:
    try:
        jars_of(["delta_sink"])
    except VeloError as error:
        pytest.skip(f"Delta's jars cannot be had here: {error.message}")


def table(folder: Path) -> list[dict[str, Any]]:
    """The rows of a Delta table as its log says: files that were added and not removed."""
    there: set[str] = set()
    for commit in sorted((folder / "_delta_log").glob("*.json")):
        for action in map(json.loads, commit.read_text().splitlines()):
            if "add" in action:
                assert "deletionVector" not in action["add"]
                there.add(action["add"]["path"])
            if "remove" in action:
                there.discard(action["remove"]["path"])
    return [row for name in sorted(there) for row in pq.read_table(folder / name).to_pylist()]


def velo(home: Path) -> subprocess.CompletedProcess[str]:
    """Runs the application of a folder to its end."""
    command = [VELO, "run", "app.sql", "--until-done", "--master", "local[2]", "--checkpoint", "checkpoint"]
    return subprocess.run(list(map(str, command)), cwd=home, capture_output=True, text=True)


def test_every_row_is_there_once_and_corrections_take_the_place_of_what_they_correct(tmp_path: Path) -> None:
    count = write_input(tmp_path, random.Random(7))
    settings = """'bars.type' = 'delta_sink', 'bars.path' = 'bars', 'bars.write.mode' = 'upsert',
        'log.type' = 'delta_sink', 'log.path' = 'changes', 'out.type' = 'file_sink', 'out.path' = 'out'"""
    (tmp_path / "app.sql").write_text(
        f"""
        CREATE STREAM s (k STRING, v INT, at BIGINT) WITH (
            's.type' = 'file_source', 's.path' = 'in/*.jsonl', 's.format' = 'jsonl', 's.files.per.batch' = '1',
            's.event.time.field' = 'at', 's.event.time.format' = 'epoch_millis',
            's.watermark.max_out_of_orderness' = '5s');
        CREATE STREAM minutes AS SELECT k PRIMARY KEY, _window_start AS began, COUNT(*) AS n,
            CAST(SUM(v) AS DECIMAL(10, 2)) AS total, COLLECT_LIST(v) AS all_v FROM s GROUP BY k WINDOW TUMBLING(1m)
            HAVING SUM(v) % 2 = 0 INTO bars, log, out WITH ('allowed.lateness' = '2m', {settings});
        """
    )
    assert run_with_kills(tmp_path, random.Random(os.environ.get("VELO_SEED", KILLS)), KILLS) == KILLS
    written = [json.loads(line) for line in rows(tmp_path / "out").elements()]
    assert report(tmp_path)["minutes"]["read"] == count
    key = ("k", "n", "_emission", "_revision")
    assert Counter(tuple(row[name] for name in key) for row in table(tmp_path / "changes")) == Counter(
        tuple(row[name] for name in key) for row in written
    )
    newest: dict[tuple[str, str], dict[str, Any]] = {}
    for row in written:
        at = (row["k"], row["began"])
        newest[at] = max(row, newest.get(at, row), key=lambda each: (each["_revision"], each["_emission"] == "retract"))
    stand = [row for row in newest.values() if row["_emission"] != "retract"]
    assert any(row["_emission"] == "retract" for row in newest.values()), "some windows were taken back"
    found = table(tmp_path / "bars")
    assert Counter((row["k"], row["n"], float(row["total"]), str(row["all_v"])) for row in found) == Counter(
        (row["k"], row["n"], float(row["total"]), str(row["all_v"])) for row in stand
    )


def test_a_table_that_does_not_fit_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"k": "a", "v": 1}\n')
    text = """CREATE STREAM s (k STRING, v INT) WITH ('s.type' = 'file_source', 's.path' = 'in/*.jsonl',
        's.format' = 'jsonl'); SELECT {} FROM s INTO t WITH ('t.type' = 'delta_sink', 't.path' = 't')"""
    (tmp_path / "app.sql").write_text(text.format("k, v"))
    assert velo(tmp_path).returncode == 0
    for items, said, hint in (
        ("k, v, 1 AS more", "writes column 'more', which the Delta table", "ADD COLUMN"),
        ("k, CAST(v AS STRING) AS v", "writes STRING into column 'v'", "CAST(v AS INT)"),
    ):
        (tmp_path / "app.sql").write_text(text.format(items).replace("SELECT", f"-- @name: {hint[0]}\nSELECT"))
        answer = velo(tmp_path)
        assert answer.returncode == 2, answer.stderr
        assert said in answer.stderr
        assert hint in answer.stderr
        assert "Traceback" not in answer.stderr
        assert "java." not in answer.stderr
    assert table(tmp_path / "t") == [{"k": "a", "v": 1}]
