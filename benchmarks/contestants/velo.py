"""Velostream as users run it: SQL text, validation, plan, runner until the input is done."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contestants.base import Measured, Task, summed
from benchmarks.contestants.session import SHARED
from benchmarks.datasets import FILES_PER_BATCH
from benchmarks.kafka import Topics
from benchmarks.references import Reference
from benchmarks.scenario import Scenario
from velostream.events import BatchEnded
from velostream.tables.store import FOLDER

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner


class Refused(Exception):
    """The engine says that it cannot run the statement; the reason is its message."""


def from_kafka(scenario: Scenario, topics: Topics, out: str) -> str:
    """The SQL file of a scenario from topic to topic."""
    source = {"type": "kafka_source", "topic": topics.topic, "bootstrap.servers": topics.address, "format": "json"}
    source |= {"event.time.field": "traded_at", "max.records.per.batch": str(topics.per_batch), **scenario.source}
    sink = {"type": "kafka_sink", "topic": out, "bootstrap.servers": topics.address, "format": "json"}
    return _text(scenario, source, sink)


def application(scenario: Scenario, data: Path, out: Path) -> str:
    """The SQL file of a scenario over files."""
    source = {
        "type": "file_source",
        "path": f"{data}/*.parquet",
        "format": "parquet",
        "files.per.batch": str(FILES_PER_BATCH),
        "event.time.field": "traded_at",
        **scenario.source,
    }
    tables = "".join(_table(table, table.file(data)) for table in scenario.tables)
    return tables + _text(scenario, source, {"type": "file_sink", "path": str(out), "format": "parquet"})


def _text(scenario: Scenario, source: Mapping[str, str], sink: Mapping[str, str]) -> str:
    into = [*_settings(sink, "results."), *_settings(scenario.job, "")]
    streams = (
        f"CREATE STREAM {name} (symbol STRING, price DOUBLE, quantity INT, traded_at TIMESTAMP)\n"
        f"WITH ({', '.join(_settings(source, f'{name}.'))});\n\n"
        for name in scenario.streams
    )
    select = f"CREATE STREAM answer AS\n{scenario.select}\nINTO results WITH ({', '.join(into)});\n"
    return "".join(streams) + select


def _table(table: Reference, file: Path) -> str:
    """The declaration of a table."""
    [(key, kind), *others] = table.columns.items()
    columns = [f"{key} {kind} PRIMARY KEY", *(f"{name} {kind}" for name, kind in others)]
    source = {"type": "file_source", "path": str(file), "format": "parquet"}
    return f"CREATE TABLE {table.name} ({', '.join(columns)})\nWITH ({', '.join(_settings(source, ''))});\n\n"


def _settings(settings: Mapping[str, str], prefix: str) -> list[str]:
    return [f"'{prefix}{name}' = '{value}'" for name, value in settings.items()]


class Velostream:
    """What `velo run --until-done` does, in one session for all runs."""

    def start(self, task: Task) -> None:
        """The session of `velo run`."""
        from velostream.spark.jars import jars_of
        from velostream.spark.session import spark_session

        jars = jars_of(["kafka_source"]) if Topics.of(task.data) is not None else ()
        self.spark = spark_session(f"local[{task.cores}]", SHARED, jars)

    def run(self, scenario: Scenario, task: Task, number: int) -> Measured:
        """Validates, plans and runs."""
        from benchmarks.contestants.progress import Progress
        from velostream.errors import VeloError

        home = task.work / f"velostream-{number}"
        held = _Held()
        topics = Topics.of(task.data)
        out = topics.made(f"velostream-{number}") if topics is not None else ""
        _keep_tables(task.work / "tables", home / "checkpoint")
        begun = time.perf_counter()
        try:
            text = from_kafka(scenario, topics, out) if topics else application(scenario, task.data, home / "out")
            with Progress() as progress:
                self._run(text, home, held)
        except VeloError as error:
            if error.error_code == "unsupported":
                raise Refused(error.message) from error
            raise
        seconds = time.perf_counter() - begun
        if topics is not None:
            topics.drained(out, home / "out")
        measured = Measured(seconds, progress.taken(), summed(home / "out", dict(scenario.print_of)), held.state)
        _keep_tables(home / "checkpoint", task.work / "tables")
        shutil.rmtree(home)
        return measured

    def _run(self, text: str, home: Path, held: _Held) -> None:
        from velostream.jobs.runner import Runner
        from velostream.plan import plan
        from velostream.validation import validate

        answer = validate(text, "bench.sql", variables={})
        if not answer.ok:
            [first, *_] = answer.findings.errors
            raise Refused(first.message)
        runner = Runner(plan(answer.bound, answer.library), self.spark, home / "checkpoint", home, print)
        held.runner = runner
        runner.events.subscribe(held)
        runner.run_until_done()
        if not all(job.accounts.adds_up for job in runner.jobs):
            raise RuntimeError(f"the numbers of the report do not add up: {runner.report()}")

    def stop(self) -> None:
        """Ends the session."""
        self.spark.stop()


def _keep_tables(before: Path, after: Path) -> None:
    """Takes tables that are loaded along to the next run, which finds them as an application does that starts again."""
    if (before / FOLDER).exists():
        after.mkdir(parents=True, exist_ok=True)
        (before / FOLDER).rename(after / FOLDER)


class _Held:
    """The state at the batch after which the most records were held."""

    def __init__(self) -> None:
        self.runner: Runner | None = None
        self.state: dict[str, float] = {}

    def __call__(self, event: object) -> None:
        """Looks at the accounts when a micro-batch has been written."""
        for job in self.runner.jobs if isinstance(event, BatchEnded) and self.runner is not None else ():
            held, size = sum(job.accounts.open.values()), job.accounts.gauges.get("state_bytes", 0)
            if held > self.state.get("records", 0):
                self.state = {"records": held, "bytes": size}
