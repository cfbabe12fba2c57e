"""Batching strategies on Spark do what they say: counted in the micro-batches that were run."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.postgres.apps import runner_of, write_lines

START = 1_700_000_040_000


def made(rows: int, **settings: str) -> str:
    more = "".join(f", '{name}' = '{value}'" for name, value in settings.items())
    return f"""CREATE STREAM s (v INT) WITH ('type' = 'datagen_source', 'rows' = '{rows}');
        CREATE STREAM copied AS SELECT v FROM s INTO out WITH ('out.type' = 'memory_sink'{more});"""


def files(**settings: str) -> str:
    more = "".join(f", '{name}' = '{value}'" for name, value in settings.items())
    return f"""CREATE STREAM s (v INT) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl', 'format' = 'jsonl');
        CREATE STREAM copied AS SELECT v FROM s INTO out WITH ('out.type' = 'memory_sink'{more});"""


def batches(spark: Any, home: Path, text: str) -> list[int]:
    """How many records each micro-batch read."""
    runner = runner_of(spark, home, text)
    found: list[int] = []
    read = 0

    def note(event: Any) -> None:
        nonlocal read
        if type(event).__name__ == "BatchEnded":
            found.append(runner.jobs[0].accounts.read - read)
            read = runner.jobs[0].accounts.read

    runner.events.subscribe(note)
    runner.run_until_done()
    (home / "report.json").write_text(json.dumps(runner.report()["jobs"][0]))
    return found


def test_micro_batches_have_the_records_the_bytes_or_the_time_that_is_set(one_spark: Any, tmp_path: Path) -> None:
    fixed = {"batch.strategy": "fixed_size", "batch.size": "400"}
    assert batches(one_spark, tmp_path / "made", made(1_000, **fixed)) == [400, 400, 200]
    for number in range(5):
        write_lines(tmp_path / "files", f"{number}.jsonl", [{"v": n} for n in range(100)])
    assert batches(one_spark, tmp_path / "files", files(**{**fixed, "batch.size": "250"})) == [200, 200, 100]
    size = (tmp_path / "files" / "in" / "0.jsonl").stat().st_size
    for number in range(5):
        write_lines(tmp_path / "bytes", f"{number}.jsonl", [{"v": n} for n in range(100)])
    memory = {"batch.strategy": "memory", "batch.memory": f"{3 * size + 10}B"}
    assert batches(one_spark, tmp_path / "bytes", files(**memory)) == [300, 200]


def test_a_time_window_collects_and_an_adaptive_size_grows(one_spark: Any, tmp_path: Path) -> None:
    text = made(300, **{"batch.strategy": "time_window", "batch.window": "2s"}).replace(
        "'rows'", "'rate' = '100', 'rows'"
    )
    began = time.monotonic()
    found = batches(one_spark, tmp_path / "window", text)
    assert time.monotonic() - began >= 2
    assert len(found) <= 4, "without a window three seconds are tens of micro-batches"
    adaptive = {"batch.strategy": "adaptive", "batch.min.size": "50", "batch.target.latency": "30s"}
    found = batches(one_spark, tmp_path / "adaptive", made(1_500, **adaptive))
    assert found[:4] == [50, 100, 200, 400]
    report = json.loads((tmp_path / "adaptive" / "report.json").read_text())
    assert report["batching"]["strategy"] == "adaptive"
    assert report["batching"]["size"] >= 400
