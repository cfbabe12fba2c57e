"""Rows as messages: keys, values, headers, times, and rows that are too large. No broker."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from velostream.formats.encoding.avro import AvroEncoder
from velostream.formats.encoding.encoders import JsonEncoder, KeyTextEncoder
from velostream.sinks.writers.batch import Refusal, Shape
from velostream.sinks.writers.kafka_messages import Messages
from velostream.sinks.writers.kafka_topic import Topic

AT = datetime(2026, 1, 31, 12, 0, 0, 1500, tzinfo=UTC)
SHAPE = Shape(
    columns=(("k", "STRING"), ("v", "INT"), ("_revision", "INT")),
    key=("k",),
    identity=("k", "w"),
    emission="_emission",
    headers="_headers",
    time="_event_time",
)
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def rows(**columns: list[Any]) -> pa.Table:
    """Two rows, with other columns where they are given."""
    made = {
        "k": ["a", "b"],
        "v": [1, 2],
        "w": ["09:00", "09:01"],
        "_revision": [1, 2],
        "_emission": ["final", "retract"],
        "_headers": pa.array([[{"key": "t", "value": b"1"}, {"key": "t", "value": None}], None], HEADERS),
        "_event_time": pa.array([AT, AT], pa.timestamp("us", tz="UTC")),
    }
    return pa.table({**made, **columns})


def messages(shape: Shape = SHAPE, topic: Topic | None = None, **more: Any) -> Messages:
    return Messages(shape, topic or Topic("t"), JsonEncoder(), KeyTextEncoder(), **more)


def test_a_row_is_key_value_headers_and_time() -> None:
    refused: list[Refusal] = []
    first, second = messages().of(rows(), refused)
    key, value, headers, at = first
    assert (key, json.loads(value or b"")) == (b"a", {"k": "a", "v": 1, "_revision": 1})
    assert headers == [("t", b"1"), ("t", None), ("_emission", b"final"), ("_revision", b"1")]
    assert at == int(AT.timestamp() * 1000)
    assert second[2] == [("_emission", b"retract"), ("_revision", b"2")]
    assert refused == []


def test_who_upserts_writes_the_identity_as_the_key_and_a_withdrawal_without_a_value() -> None:
    first, second = messages(replace(SHAPE, upserts=True)).of(rows(), [])
    assert [first[0], second[0]] == [b"a|09:00", b"b|09:01"]
    assert first[1] is not None
    assert second[1] is None


def test_rows_that_are_never_corrected_have_only_the_headers_that_came() -> None:
    [first, second] = messages(replace(SHAPE, emission="")).of(rows(), [])
    assert first[2] == [("t", b"1"), ("t", None)]
    assert second[2] is None


def test_messages_go_on_with_their_own_trace_or_with_that_of_the_micro_batch() -> None:
    given = pa.array([[{"key": "TraceParent", "value": b"own"}], None], HEADERS)
    first, second = messages(replace(SHAPE, emission=""), traceparent="batch").of(rows(_headers=given), [])
    assert first[2] == [("TraceParent", b"own")]
    assert second[2] == [("traceparent", b"batch")]
    [bare, _] = messages(replace(SHAPE, emission="", headers=""), traceparent="batch").of(rows(), [])
    assert bare[2] == [("traceparent", b"batch")]


def test_times_that_the_topic_does_not_take_or_that_are_missing_are_those_of_writing() -> None:
    ahead = datetime.now(UTC) + timedelta(hours=3)
    given = pa.array([ahead, None], pa.timestamp("us", tz="UTC"))
    limited = messages(topic=Topic("t", ahead=3_600_000)).of(rows(_event_time=given), [])
    assert [at for *_, at in limited] == [0, 0]
    free = [at for *_, at in messages().of(rows(_event_time=given), [])]
    assert free[0] > time.time() * 1000
    before = pa.array([datetime(1969, 1, 1, tzinfo=UTC), AT], pa.timestamp("us", tz="UTC"))
    assert next(at for *_, at in messages().of(rows(_event_time=before), [])) == 0
    assert [at for *_, at in messages(timed=False).of(rows(), [])] == [0, 0]


def test_a_row_that_is_too_large_is_refused_and_the_others_are_written() -> None:
    refused: list[Refusal] = []
    given = rows(k=["x" * 500, "b"], _left=["late", "final"], _at=[7, 8])
    made = list(messages(topic=Topic("t", largest=400)).of(given, refused))
    assert [key for key, *_ in made] == [b"b"]
    [one] = refused
    assert "larger than the 400 that topic 't' takes" in one.error
    assert json.loads(one.row)["v"] == 1
    assert (one.left, one.place) == ("late", 7)


def test_a_row_that_the_schema_does_not_take_is_refused_and_all_others_are_written() -> None:
    field = {"type": "enum", "name": "K", "symbols": ["a", "b", "c"]}
    kinds = (("k", field), ("v", "int"), ("_revision", "int"))
    schema = {"type": "record", "name": "r", "fields": [{"name": name, "type": kind} for name, kind in kinds]}
    made = replace(messages(replace(SHAPE, emission="", headers="", time="")), value=AvroEncoder(json.dumps(schema)))
    given = {"k": ["a", "x", "b", "c", "c"], "v": [1, 2, None, 4, 3_000_000_000], "_revision": [1] * 5, "w": [""] * 5}
    refused: list[Refusal] = []
    assert [key for key, *_ in made.of(pa.table(given), refused)] == [b"a", b"c"]
    assert [json.loads(one.row)["k"] for one in refused] == ["x", "b", "c"]
    assert [one.error.removeprefix("the row cannot be encoded: ") for one in refused] == [
        "'x' is not in list",
        "an integer is required on field v",
        "3000000000 does not fit into an int",
    ]


def test_a_withdrawal_needs_no_value_that_can_be_encoded() -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "v", "type": "int"}]}
    shape = replace(SHAPE, columns=(("v", "INT"),), upserts=True)
    made = replace(messages(shape), value=AvroEncoder(json.dumps(schema)))
    refused: list[Refusal] = []
    [first, second] = made.of(rows(v=pa.array([1, None], pa.int32())), refused)
    assert (first[1] is not None, second[1], refused) == (True, None, [])
