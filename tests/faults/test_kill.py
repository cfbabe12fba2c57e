"""kill -9 of the driver at random moments, again and again: the rows are those of an uninterrupted run.

VELO_KILLS sets how often; the default is what every run can afford. The uninterrupted run takes the Spark of the tests.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from velostream.cli.main import main

KILLS = int(os.environ.get("VELO_KILLS", "1"))
START = 1_700_000_040_000
VELO = Path(sys.executable).with_name("velo")


def application(home: Path) -> Path:
    """A window with corrections, and a window over it: two stateful nodes, exactly once into files."""
    file = home / "app.sql"
    file.write_text(
        f"""
        CREATE STREAM s (k STRING, v INT, at BIGINT) WITH (
            's.type' = 'file_source', 's.path' = '{home}/in/*.jsonl', 's.format' = 'jsonl', 's.files.per.batch' = '1',
            's.event.time.field' = 'at', 's.event.time.format' = 'epoch_millis', 's.partition.by' = 'v',
            's.watermark.max_out_of_orderness' = '5s');
        -- @metric: minutes_total
        -- @metric_labels: k
        -- @metric: seen_total
        -- @metric_field: total
        -- @metric: records
        -- @metric_type: histogram
        -- @metric_field: n
        -- @metric_buckets: 1, 10, 100
        CREATE STREAM minutes AS SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)
            INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'jsonl',
            'allowed.lateness' = '2m');
        CREATE STREAM hours AS SELECT SUM(n) AS n, COUNT(*) AS groups FROM minutes WINDOW TUMBLING(1h)
            INTO sums WITH ('sums.type' = 'file_sink', 'sums.path' = '{home}/sums', 'sums.format' = 'jsonl');
        """
    )
    return file


def write_input(home: Path, chance: random.Random) -> int:
    """Files of records, a few of them late."""
    (home / "in").mkdir(parents=True)
    count = 0
    for number in range(2 * KILLS + 3):
        lines = []
        for _ in range(200):
            late = chance.choice([0, 0, 0, 30_000, 90_000, 600_000]) if chance.random() < 0.05 else 0
            at = START + number * 20_000 + chance.randint(0, 20_000) - late
            lines.append(json.dumps({"k": chance.choice("abcdef"), "v": chance.randint(0, 3), "at": at}))
        (home / "in" / f"{number:03d}.jsonl").write_text("\n".join(lines) + "\n")
        count += len(lines)
    return count


def arguments(home: Path) -> list[str]:
    """What `velo` is told, by whichever process."""
    given = ["run", home / "app.sql", "--until-done", "--master", "local[2]", "--checkpoint", home / "checkpoint"]
    return [*map(str, given), "--report", str(home / "report.json")]


def start(home: Path) -> subprocess.Popen[bytes]:
    with (home / "log").open("ab") as log:
        return subprocess.Popen([str(VELO), *arguments(home)], stdout=log, stderr=log, start_new_session=True)


def batches(home: Path) -> int:
    """How many micro-batches both jobs have finished."""
    done = 0
    for job in ("minutes", "hours"):
        file = home / "checkpoint" / job / "accounts.json"
        done += json.loads(file.read_text())["batch"] + 1 if file.exists() else 0
    return done


def run_with_kills(home: Path, chance: random.Random, kills: int) -> int:
    """Runs until done, killed after it has come a little further each time; answers how often."""
    killed = 0
    while True:
        process, before, begun = start(home), batches(home), time.monotonic()
        try:
            while process.poll() is None:
                if killed < kills and batches(home) > before:
                    time.sleep(chance.uniform(0, 2))
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    killed += 1
                    break
                assert time.monotonic() - begun < 400, (home / "log").read_text()[-3000:]
                time.sleep(0.02)
            else:
                assert process.returncode == 0, (home / "log").read_text()[-3000:]
                return killed
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def rows(folder: Path) -> Counter[str]:
    return Counter(line for file in folder.glob("part-*") for line in file.read_text().splitlines())


def letters(home: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for file in (home / "checkpoint").glob("*/dead-letters/*.jsonl"):
        found.update(json.loads(line)["record"] for line in file.read_text().splitlines())
    return found


def report(home: Path) -> dict[str, Any]:
    jobs = json.loads((home / "report.json").read_text())["jobs"]
    return {job["name"]: {**job["records"], "metrics": job["metrics"]} for job in jobs}


def test_a_driver_that_is_killed_again_and_again_writes_the_rows_of_an_uninterrupted_run(
    one_spark: Any, tmp_path: Path
) -> None:
    chance = random.Random(KILLS)
    calm, wild = tmp_path / "calm", tmp_path / "wild"
    for home in (calm, wild):
        count = write_input(home, random.Random(7))
        application(home)
    assert main(arguments(calm)) == 0
    killed = run_with_kills(wild, chance, KILLS)
    assert killed == KILLS
    for name in ("out", "sums"):
        assert rows(wild / name) == rows(calm / name)
    assert max(rows(calm / "out").values()) == 1
    assert letters(wild) == letters(calm)
    assert report(wild) == report(calm)
    assert report(calm)["minutes"]["read"] == count
    lines = [json.loads(line) for line in rows(calm / "out")]
    minutes, seen, records = report(wild)["minutes"]["metrics"]
    by_key = Counter(line["k"] for line in lines if line["_emission"] != "retract")
    assert {series["labels"][0]: series["value"] for series in minutes["series"]} == by_key
    assert seen["series"][0]["value"] == sum(line["total"] for line in lines)
    assert sum(records["series"][0]["counts"]) == len(lines)
