"""Small applications that run in this process, from files to wherever they write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

SOURCE = """CREATE STREAM s (k STRING, v INT, at BIGINT) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'files.per.batch' = '1', 'event.time.field' = 'at', 'event.time.format' = 'epoch_millis',
    'partition.by' = 'file');
"""


def write_lines(home: Path, name: str, records: Iterable[Mapping[str, Any] | str]) -> None:
    """A file of `home/in`."""
    (home / "in").mkdir(parents=True, exist_ok=True)
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    (home / "in" / name).write_text("\n".join(lines) + "\n")


def runner_of(spark: Any, home: Path, text: str) -> Runner:
    answer = validate(text, "test.sql", variables={}, folder=home)
    assert answer.ok, answer.findings.errors
    return Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)


def run(spark: Any, home: Path, text: str) -> dict[str, Any]:
    """Runs an application of one job to the end of its input; its report, whose numbers add up."""
    runner = runner_of(spark, home, text)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)
    [report] = runner.report()["jobs"]
    return dict(report)


def letters(home: Path, job: str) -> list[dict[str, Any]]:
    files = sorted((home / "checkpoint" / job / "dead-letters").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]
