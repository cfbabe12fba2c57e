"""Statements of a file that are no jobs: shown, or refused, never left out in silence."""

from pathlib import Path

import pytest

from velostream.jobs.asides import listings, refuse_asides, runs_of
from velostream.plan import plan
from velostream.validation import Validated, validate

SETUP = """CREATE STREAM trades (symbol STRING, price DOUBLE) WITH ('type' = 'datagen_source');
"""


def checked(sql: str) -> Validated:
    answer = validate(SETUP + sql, folder=Path())
    assert answer.ok
    refuse_asides(answer)
    return answer


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("STOP JOB bars FORCE", "'STOP JOB bars' has no effect on a run"),
        ("ROLLBACK JOB bars", "'ROLLBACK JOB bars' has no effect on a run"),
        ("SHOW STATUS bars", "'SHOW STATUS bars' has no effect on a run"),
        ("PRINT trades LIMIT 3", "'PRINT trades LIMIT' has no effect on a run"),
        ("DROP STREAM trades; SELECT symbol FROM trades", "'DROP STREAM trades' has no effect on a run"),
    ],
)
def test_what_a_run_cannot_obey_is_an_error_at_its_place(sql: str, named: str) -> None:
    (error,) = checked(sql).findings.errors
    assert error.message.startswith(named)
    assert error.span is not None
    assert error.span.line == 2
    assert error.hint


def test_a_drop_of_what_may_be_left_from_before_is_no_mistake() -> None:
    assert checked("DROP STREAM IF EXISTS quotes").ok


def test_statements_that_ask_are_answered_and_do_not_run() -> None:
    answer = checked(
        "DESCRIBE trades; SHOW STREAMS; EXPLAIN SELECT symbol FROM trades; START JOB j AS SELECT price FROM trades"
    )
    columns, streams, explained = listings(answer)
    assert [row[:2] for row in columns.rows] == [("symbol", "STRING"), ("price", "DOUBLE")]
    assert [row[0] for row in streams.rows] == ["trades"]
    assert explained.rows[0][0].startswith("Job explain_1")
    assert [job.name for job in runs_of(plan(answer.bound, answer.library)).jobs] == ["j"]


def test_questions_to_tables_and_rows_without_a_stream_are_no_jobs() -> None:
    declared = """CREATE TABLE names (symbol STRING PRIMARY KEY, name STRING)
WITH ('type' = 'kafka_source', 'topic' = 'names', 'bootstrap.servers' = 'b:9092');
"""
    found = checked(declared + "SELECT name FROM names;\nSELECT 1 AS one;\nSELECT symbol FROM trades").findings.errors
    assert [(error.message.split(",")[0], error.span.line if error.span else 0) for error in found] == [
        ("'query_1' reads 'names' and no stream", 4),
        ("'query_2' reads no stream", 5),
    ]
