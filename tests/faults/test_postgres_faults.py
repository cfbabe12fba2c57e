"""kill -9 of the driver and crashes of the database at random moments: every result is in the table once.

VELO_KILLS sets how often each of them happens, VELO_SEED when; `make faults` sets them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.postgres.apps import write_lines

if TYPE_CHECKING:
    from tests.postgres.server import Database

TIMES = int(os.environ.get("VELO_KILLS", "1"))
SEED = os.environ.get("VELO_SEED", "")
START = 1_700_000_040_000
FILES, RECORDS = 3 * TIMES + 4, 150
Process = subprocess.Popen[bytes]
VELO = Path(sys.executable).with_name("velo")


def application(home: Path, url: str) -> None:
    """Records appended, which tells a repetition, and windows with corrections replaced by key."""
    (home / "app.sql").write_text(
        f"""
        CREATE STREAM s (k STRING, v INT, at BIGINT) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
            'format' = 'jsonl', 'files.per.batch' = '1', 'event.time.field' = 'at', 'partition.by' = 'v',
            'event.time.format' = 'epoch_millis', 'watermark.max_out_of_orderness' = '5s');
        CREATE STREAM copied AS SELECT k, v, at, _topic AS file, _offset AS place FROM s INTO rows_of WITH (
            'rows_of.type' = 'database_sink', 'rows_of.url' = '{url}', 'rows_of.table' = 'fault_rows',
            'rows_of.table.create' = 'true', 'rows_of.write.mode' = 'append', 'max_retries' = '40',
            'retry_backoff' = '100ms', 'circuit.breaker.open.duration' = '1s');
        CREATE STREAM minutes AS SELECT k PRIMARY KEY, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k
            WINDOW TUMBLING(1m) INTO bars WITH ('bars.type' = 'database_sink', 'bars.url' = '{url}',
            'bars.table' = 'fault_bars', 'bars.table.create' = 'true', 'allowed.lateness' = '1h', 'max_retries' = '40',
            'retry_backoff' = '100ms', 'circuit.breaker.open.duration' = '1s');
        """
    )


def start(home: Path) -> Process:
    command = [VELO, "run", home / "app.sql", "--until-done", "--master", "local[2]"]
    command += ["--checkpoint", home / "checkpoint", "--report", home / "report.json"]
    with (home / "log").open("ab") as log:
        return subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, start_new_session=True)


def batches(home: Path) -> int:
    files = (home / "checkpoint" / job / "accounts.json" for job in ("copied", "minutes"))
    return sum(json.loads(file.read_text())["batch"] + 1 for file in files if file.exists())


def disturb(home: Path, postgres: Database, process: Process, left: list[str]) -> bool:
    """Does one of what is left when the run has come a little further; True where the driver was killed."""
    chance = random.Random(f"{SEED}/{len(left)}")
    before, begun = batches(home), time.monotonic()
    while process.poll() is None and batches(home) <= before:
        assert time.monotonic() - begun < 300, (home / "log").read_text()[-3000:]
        time.sleep(0.02)
    if process.poll() is not None:
        return False
    time.sleep(chance.uniform(0, 1))
    if left.pop() == "driver":
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    postgres.stop()
    time.sleep(chance.uniform(0.2, 1.5))
    postgres.start()
    return False


def run_disturbed(home: Path, disturb: Callable[[Process, list[str]], bool], left: list[str]) -> dict[str, Any]:
    """Runs to the end of the input while `disturb` does what is left; it tells whether it killed the driver."""
    while True:
        process = start(home)
        try:
            killed = False
            while left and not killed and process.poll() is None:
                killed = disturb(process, left)
            if not killed:
                process.wait(timeout=400)
                assert process.returncode == 0, (home / "log").read_text()[-3000:]
                assert not left, "the input was over before everything had happened"
                return {job["name"]: job for job in json.loads((home / "report.json").read_text())["jobs"]}
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.mark.skipif("VELO_KILLS" not in os.environ, reason="minutes: make faults; tests/postgres has the short form")
def test_every_result_is_there_once_whatever_dies(tmp_path: Path, postgres: Database) -> None:
    chance = random.Random(7)
    wanted: dict[tuple[str, int], list[int]] = {}
    for number in range(FILES):
        lines = []
        for _ in range(RECORDS):
            late = chance.choice([30_000, 90_000]) if chance.random() < 0.05 else 0
            one = {"k": chance.choice("abcdef"), "v": chance.randint(0, 3)}
            one["at"] = START + number * 20_000 + chance.randint(0, 20_000) - late
            wanted.setdefault((one["k"], one["at"] // 60_000 * 60), []).append(one["v"])
            lines.append(one)
        write_lines(tmp_path, f"{number:03d}.jsonl", lines)
    application(tmp_path, postgres.url)
    reports = run_disturbed(tmp_path, partial(disturb, tmp_path, postgres), ["driver", "database"] * TIMES)
    count = FILES * RECORDS
    assert {name: report["records"]["read"] for name, report in reports.items()} == {"copied": count, "minutes": count}
    found = postgres.ask("SELECT count(*), count(DISTINCT (file, place)) FROM fault_rows")
    assert found == [(count, count)]
    bars = postgres.ask("SELECT k, extract(epoch FROM _window_start)::int, n, total FROM fault_bars")
    assert {(k, at): (n, total) for k, at, n, total in bars} == {
        key: (len(values), sum(values)) for key, values in wanted.items()
    }
