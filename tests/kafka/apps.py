"""Applications on Kafka, run in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

START = 1_700_000_040_000
"""A full minute."""


def properties(owner: str, **settings: str) -> str:
    """Settings of a source or sink as SQL writes them; `_` stands for a dot."""
    return ", ".join(f"'{owner}.{key.replace('_', '.')}' = '{value}'" for key, value in settings.items())


def source(address: str, topic: str, columns: str = "k STRING, v INT, at BIGINT", name: str = "s", **more: str) -> str:
    """A stream of JSON messages whose event time is `at`."""
    settings = {"type": "kafka_source", "topic": topic, "bootstrap_servers": address, "format": "json"}
    settings |= {"event_time_field": "at", "event_time_format": "epoch_millis"}
    if "topic_pattern" in more:
        del settings["topic"]
    return f"CREATE STREAM {name} ({columns}) WITH ({properties(name, **{**settings, **more})});\n"


def sink(address: str, topic: str, name: str = "out", **more: str) -> str:
    """The settings of a Kafka sink."""
    settings = {"type": "kafka_sink", "topic": topic, "bootstrap_servers": address, "format": "json"}
    return properties(name, **{**settings, **more})


def runner_of(spark: Any, text: str, home: Path) -> Runner:
    """A runner of the application, with its checkpoint below `home`."""
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)


def run(spark: Any, text: str, home: Path) -> dict[str, dict[str, Any]]:
    """Runs an application until its end; the reports of its jobs by name."""
    runner = runner_of(spark, text, home)
    runner.run_until_done()
    assert all(job.accounts.adds_up for job in runner.jobs)
    return {report["name"]: report for report in runner.report()["jobs"]}
