"""A full disk for the sinks: the job waits or ends, and with room every row is there once.

VELO_KILLS sets how often the disk is filled and the driver killed, VELO_SEED when; `make faults` sets them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.faults.test_postgres_faults import SEED, START, TIMES, batches, run_disturbed
from tests.postgres.apps import SOURCE, run, write_lines

from velostream.errors import VeloError

FILES, RECORDS = 4 * TIMES + 4, 150
PATIENT = "'max_retries' = '200', 'retry_backoff' = '50ms', 'circuit.breaker.open.duration' = '500ms'"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    size = "256k" if "VELO_KILLS" not in os.environ else "16m"
    answer = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if answer.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def lines(folder: Path) -> list[str]:
    return [line for file in folder.glob("part-*") for line in file.read_text().splitlines()]


@pytest.mark.skipif("VELO_KILLS" in os.environ, reason="the long form runs")
def test_a_full_disk_stops_the_job_and_with_room_every_row_is_there_once(
    one_spark: Any, tmp_path: Path, small_disk: Path
) -> None:
    for number in range(3):
        write_lines(tmp_path, f"{number}.jsonl", [{"k": f"{number}-{n}", "v": n, "at": START} for n in range(2_000)])
    (small_disk / "filler").write_bytes(b"x" * 130_000)
    text = f"""{SOURCE}
        CREATE STREAM copied AS SELECT k, v FROM s INTO out WITH ('out.type' = 'file_sink',
        'out.path' = '{small_disk}/out', 'max_retries' = '1', 'retry_backoff' = '10ms');"""
    with pytest.raises(VeloError, match="No space left on device") as caught:
        run(one_spark, tmp_path, text)
    assert caught.value.exit_code == 3
    (small_disk / "filler").unlink()
    report = run(one_spark, tmp_path, text)
    assert report["records"]["in_results"] == 6_000
    found = lines(small_disk / "out")
    assert len(found) == len(set(found)) == 6_000


def application(home: Path, disk: Path) -> None:
    """Rows as they come, windows in files that rotate, and dead letters, all on the small disk."""
    (home / "app.sql").write_text(
        f"""
        CREATE STREAM s (k STRING, v INT, at BIGINT) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
            'format' = 'jsonl', 'files.per.batch' = '1', 'event.time.field' = 'at', 'partition.by' = 'v',
            'event.time.format' = 'epoch_millis', 'watermark.max_out_of_orderness' = '5s');
        CREATE STREAM copied AS SELECT k, v, at, _topic AS file, _offset AS place FROM s INTO out WITH (
            'out.type' = 'file_sink', 'out.path' = '{disk}/out', 'dlq.location' = '{disk}/dead', {PATIENT});
        CREATE STREAM minutes AS SELECT k, _window_start, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k
            WINDOW TUMBLING(1m) INTO bars WITH ('bars.type' = 'file_sink', 'bars.path' = '{disk}/bars',
            'bars.rotation.interval' = '2s', 'allowed.lateness' = '1h', 'dlq.location' = '{disk}/dead', {PATIENT});
        """
    )


def disturb(home: Path, disk: Path, process: subprocess.Popen[bytes], left: list[str]) -> bool:
    """Fills the disk when the run has come a little further, then makes room, or kills the driver before."""
    chance = random.Random(f"{SEED}/{len(left)}")
    before, begun = batches(home), time.monotonic()
    while process.poll() is None and batches(home) <= before:
        assert time.monotonic() - begun < 300, (home / "log").read_text()[-3000:]
        time.sleep(0.02)
    time.sleep(chance.uniform(0, 1))
    if process.poll() is not None:
        return False
    filler, kills = disk / "filler", left.pop() == "driver"
    try:
        with filler.open("wb") as out:
            while True:
                out.write(b"x" * 4_096)
                out.flush()
    except OSError:
        time.sleep(chance.uniform(0.2, 1.5))
    if kills:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    filler.unlink()
    return kills


@pytest.mark.skipif("VELO_KILLS" not in os.environ, reason="minutes: make faults")
def test_every_row_and_letter_is_there_once_however_often_the_disk_is_full(tmp_path: Path, small_disk: Path) -> None:
    chance = random.Random(7)
    wanted: dict[tuple[str, int], list[int]] = {}
    for number in range(FILES):
        written: list[dict[str, Any] | str] = [f"{{poison {number}"]
        for _ in range(RECORDS):
            late = chance.choice([30_000, 90_000]) if chance.random() < 0.05 else 0
            at = START + number * 20_000 + chance.randint(0, 20_000) - late
            one = {"k": chance.choice("abcdef"), "v": chance.randint(0, 3), "at": at}
            wanted.setdefault((str(one["k"]), at // 60_000), []).append(int(str(one["v"])))
            written.append(one)
        write_lines(tmp_path, f"{number:03d}.jsonl", written)
    application(tmp_path, small_disk)
    reports = run_disturbed(tmp_path, partial(disturb, tmp_path, small_disk), ["driver", "disk"] * TIMES)
    count = FILES * RECORDS
    assert {name: one["records"]["read"] for name, one in reports.items()} == dict.fromkeys(reports, count + FILES)
    rows = [json.loads(line) for line in lines(small_disk / "out")]
    assert len(rows) == len({(row["file"], row["place"]) for row in rows}) == count
    newest: dict[tuple[str, int], tuple[int, int, int]] = {}
    told = Counter[tuple[str, str, int]]()
    for row in map(json.loads, lines(small_disk / "bars")):
        told[row["k"], row["_window_start"], row["_revision"]] += 1
        minute = int(datetime.fromisoformat(row["_window_start"]).timestamp()) // 60
        newest[row["k"], minute] = max(
            newest.get((row["k"], minute), (0, 0, 0)), (row["_revision"], row["n"], row["total"])
        )
    assert max(told.values()) == 1, "no revision is there twice"
    sums = {key: (len(values), sum(values)) for key, values in wanted.items()}
    assert {key: (n, total) for key, (_, n, total) in newest.items()} == sums
    for job in ("copied", "minutes"):
        found = (small_disk / "dead" / job).glob("*.jsonl")
        letters = [json.loads(line) for file in found for line in file.read_text().splitlines()]
        assert sorted(one["record"] for one in letters) == sorted(f"{{poison {number}" for number in range(FILES))
