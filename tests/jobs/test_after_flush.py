"""A job that goes on after a flush: its rows tell what they correct, or it says that they do not."""

import logging
from pathlib import Path

import pytest

from velostream.jobs.after_flush import going_on
from velostream.jobs.home import Home
from velostream.plan import plan
from velostream.plan.job import Job
from velostream.plan.nodes import Filter, Sinks
from velostream.plan.nodes.filter import WITHDRAW
from velostream.validation import validate

SOURCE = (
    "CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('s.type' = 'file_source', 's.path' = 'in/*.jsonl', "
    "'s.format' = 'jsonl', 's.event.time.field' = 'at');\n-- @name: sums\n"
)
SUMS = "SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(10s)"
FILES = "INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl')"
TABLE = (
    "INTO out WITH ('out.type' = 'database_sink', 'out.table' = 't', 'out.url' = 'postgresql://h/d', "
    "'out.write.mode' = 'append')"
)


def made(sql: str, home: Home) -> tuple[Job, Job]:
    """The job of a statement, and as it goes on."""
    answer = validate(SOURCE + sql, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    planned = plan(answer.bound, answer.library)
    [job] = planned.jobs
    return job, going_on(job, planned, home)


def flushed(folder: Path) -> Home:
    home = Home(folder)
    home.will_flush()
    (home.checkpoint / "commits").mkdir(parents=True)
    (home.checkpoint / "commits" / "0").touch()
    return home


def added(job: Job) -> list[tuple[str, ...]]:
    assert isinstance(job.root, Sinks)
    return [target.added for target in job.root.targets]


def test_rows_tell_what_they_correct_after_a_flush_and_not_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before, first = made(f"{SUMS} {FILES}", Home(tmp_path))
    assert first is before
    assert added(first) == [()]
    _, then = made(f"{SUMS} {FILES}", flushed(tmp_path))
    assert added(then) == [("_emission", "_revision")]
    assert caplog.messages == []


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT total, COUNT(*) AS n FROM ({SUMS}) GROUP BY total WINDOW TUMBLING(1m)",
        f"SELECT DISTINCT total FROM ({SUMS})",
        "SELECT k, SUM(v) AS total, RANK() OVER (ORDER BY SUM(v)) AS r FROM s GROUP BY k WINDOW TUMBLING(10s)",
    ],
    ids=["groups of results", "different results", "ranks of a window"],
)
def test_rows_that_a_correction_moves_are_corrected_too(
    sql: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, then = made(f"{sql} {FILES}", flushed(tmp_path))
    assert added(then) == [("_emission", "_revision")]
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("settings", "hindrance"),
    [
        ("'out.format' = 'protobuf'", ""),
        ("'out.format' = 'avro', 'out.schema.registry.url' = 'http://localhost:1'", ""),
        ("'out.format' = 'avro'", "the Avro schema, which no registry tells readers,"),
        ("'out.format' = 'avro', 'out.schema.file' = 'sums.avsc'", "the schema file"),
        ("'out.format' = 'protobuf', 'out.schema.file' = 'sums.proto'", "the schema file"),
    ],
)
def test_columns_are_added_where_readers_can_do_without_them(
    settings: str, hindrance: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kafka = f"INTO out WITH ('out.type' = 'kafka_sink', 'out.bootstrap.servers' = 'h:1', 'out.topic' = 't', {settings})"
    with caplog.at_level(logging.WARNING, "velostream"):
        _, then = made(f"{SUMS} {kafka}", flushed(tmp_path))
    assert added(then) == ([()] if hindrance else [("_emission", "_revision")])
    said = [f"since {hindrance} of sink 'out' has no _emission and _revision;"] if hindrance else []
    assert [part in message for part, message in zip(said, caplog.messages, strict=True)] == [True] * len(said)


def test_a_flush_that_was_only_asked_for_is_done_as_it_would_have_been(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.will_flush()
    before, then = made(f"{SUMS} {FILES}", home)
    assert then is before


def test_a_condition_takes_back_what_it_let_through(tmp_path: Path) -> None:
    _, job = made(f"{SUMS} HAVING SUM(v) < 10 {FILES}", flushed(tmp_path))
    assert [node.mode for node in job.root.walk() if isinstance(node, Filter)] == [WITHDRAW]


@pytest.mark.parametrize(
    "sql",
    [
        f"{SUMS} {FILES[:-1]}, 'allowed.lateness' = '1s')",
        f"{SUMS} EMIT CHANGES {FILES}",
        f"SELECT k, v FROM s WHERE v > 1 {FILES}",
    ],
)
def test_what_can_be_corrected_anyway_or_not_at_all_stays_what_it_is(
    sql: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before, then = made(sql, flushed(tmp_path))
    assert added(then) == added(before)
    assert caplog.messages == []


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT a.k FROM ({SUMS}) AS a JOIN ({SUMS}) AS b ON a.k = b.k {FILES[:-1]}, 'state.ttl' = '1h')",
        f"{SUMS} {TABLE}",
    ],
    ids=["joins, which remember otherwise", "tables that are made"],
)
def test_what_cannot_go_on_otherwise_than_it_began_says_so(
    sql: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "velostream"):
        before, then = made(sql, flushed(tmp_path))
    assert then is before
    [message] = caplog.messages
    assert message.startswith("job 'sums' goes on after a flush")
    assert "set 'allowed.lateness' = '1s'" in message


@pytest.mark.parametrize(("kind", "warned"), [("LEFT", True), ("FULL", True), ("INNER", False)])
def test_rows_that_a_flush_let_go_out_alone_are_told_of(
    kind: str, warned: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    join = f"SELECT a.k AS k, b.v AS v FROM s a {kind} JOIN s b WITHIN 10s ON a.k = b.k {FILES}"

    made(join, flushed(tmp_path))

    assert [message for message in caplog.messages if "outer join" in message] == caplog.messages
    assert bool(caplog.messages) is warned
