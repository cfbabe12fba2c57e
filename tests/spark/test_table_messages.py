"""Messages as rows of a table: whose row a message without a value takes away, and from when on."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from velostream.plan import plan
from velostream.spark.loading.records import TableRecords
from velostream.tables.newest import GONE, TIME
from velostream.validation import validate

SCHEMA = """value BINARY, _key BINARY, _headers ARRAY<STRUCT<key: STRING, value: BINARY>>, _topic STRING,
    _partition INT, _offset BIGINT, _timestamp TIMESTAMP, _mark STRING, _late BOOLEAN"""
TABLE = """CREATE TABLE t (k INT, day STRING, since BIGINT, v INT, PRIMARY KEY (k@more)) WITH ('type' = 'kafka_source',
    'topic' = 't', 'bootstrap.servers' = 'x:1', 'format' = 'json', 'version.time' = 'since', 'key.format' = '@form');
    CREATE STREAM s (k INT) WITH ('type' = 'datagen_source'); SELECT s.k, t.v FROM s JOIN t ON s.k = t.k"""


def told(spark: Any, form: str, more: str, *messages: tuple[str, dict[str, Any] | None]) -> tuple[list[Any], list[str]]:
    """The rows, and why other messages are none."""
    answer = validate(TABLE.replace("@form", form).replace("@more", more), "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    [table] = plan(answer.bound, answer.library).tables
    frame = spark.createDataFrame(
        [
            (
                None if value is None else json.dumps(value).encode(),
                key.encode(),
                None,
                "t",
                0,
                offset,
                when,
                None,
                False,
            )
            for offset, (key, value) in enumerate(messages)
            for when in [datetime.fromtimestamp(100 + offset, UTC)]
        ],
        SCHEMA,
    )
    rows, letters = TableRecords(table, Path()).rows(frame, "json", ("_partition", "_offset"))
    return [(one["k"], one["day"], one[TIME], one[GONE]) for one in rows.to_pylist()], [one["error"] for one in letters]


def test_a_deletion_holds_from_the_time_of_its_message(one_spark: Any) -> None:
    row = {"k": 1, "day": "mo", "since": 7, "v": 5}
    rows, letters = told(one_spark, "string", "", ("1", row), ("1", None), ("x", None))
    assert rows == [(1, "mo", 7_000, False), (1, None, 101_000_000, True)]
    assert letters == ["a deletion does not say whose row it takes away"]
    key = json.dumps({"day": "mo", "k": 1})
    rows, letters = told(one_spark, "json", ", day", (key, row), (key, None), (json.dumps({"k": 1}), None))
    assert rows == [(1, "mo", 7_000, False), (1, "mo", 101_000_000, True)]
    assert len(letters) == 1
