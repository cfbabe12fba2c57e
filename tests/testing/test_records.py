import json
from dataclasses import replace
from typing import Any

import pytest
from tests.testing.plans import case_of, planned

from velostream.testing.document import InvalidSpec
from velostream.testing.records import Records

MORNING = 1_704_103_503
MIDNIGHT = 1_704_067_200_000_000


def records(rows: str, kind: str = "TIMESTAMP", more: str = "", *, changes: bool = False) -> list[dict[str, Any]]:
    [job] = planned("SELECT k FROM s", kind, more).jobs
    case = case_of(f"sql: X\ninputs: {{s: {rows}}}")
    return Records(replace(job.scans[0], changelog=changes), case.day).batch(case.given["s"].batches[0])


def value(written: str, column: str = "at", kind: str = "TIMESTAMP", more: str = "") -> Any:
    [record] = records(f"[{{{column}: {written}}}]", kind, more)
    return json.loads(record["value"])[column]


def test_offsets_count_on_in_each_partition() -> None:
    found = records("[{v: 1}, {v: 2, _partition: 4}, {v: 3}, {v: 4, _offset: 9}, {v: 5}]")
    assert [(record["partition"], record["offset"]) for record in found] == [(0, 0), (4, 0), (0, 1), (0, 9), (0, 10)]


@pytest.mark.parametrize("written", ["10:05:03", "'2024-01-01 10:05:03'", str(MORNING), str(MORNING * 1000)])
def test_a_column_of_times_takes_times_in_every_form(written: str) -> None:
    assert value(written) == "2024-01-01T10:05:03Z"
    assert value(written, "local") == "2024-01-01T10:05:03"


@pytest.mark.parametrize(
    ("kind", "form", "found"),
    [
        ("BIGINT", "epoch_millis", MORNING * 1000),
        ("BIGINT", "epoch_seconds", MORNING),
        ("BIGINT", "auto", MORNING * 1000),
        ("STRING", "iso8601", "2024-01-01T10:05:03Z"),
        ("STRING", "epoch_seconds", str(MORNING)),
    ],
)
def test_an_event_time_is_given_in_the_format_that_its_source_declares(kind: str, form: str, found: Any) -> None:
    assert value("10:05:03", kind=kind, more=f", 'event.time.format' = '{form}'") == found


def test_an_event_time_with_a_pattern_is_written_by_it() -> None:
    more = ", 'event.time.format' = 'dd.MM.yyyy HH:mm:ss'"
    assert value("01.01.2024 10:05:03", kind="STRING", more=more) == "01.01.2024 10:05:03"


def test_fractions_of_a_second_are_kept() -> None:
    assert value("10:05:03.5", kind="DOUBLE", more=", 'event.time.format' = 'epoch_seconds'") == MORNING + 0.5


def test_what_is_no_time_is_given_as_it_is() -> None:
    assert value("soon") == "soon"
    assert value("soon", kind="BIGINT") == "soon"
    assert value("null") is None


def test_bytes_and_raw_text() -> None:
    assert value("!!binary aGk=", "b") == "aGk="
    assert records("[{_raw: 'not json'}]")[0]["value"] == "not json"


def test_a_record_may_carry_a_time_a_key_and_headers() -> None:
    [plain] = records("[{k: a}]")
    assert (plain["key"], plain["headers"], plain["topic"]) == (None, None, "s")
    assert plain["timestamp"] == MIDNIGHT
    [full] = records("[{_timestamp: 10:05:03, _key: x, _headers: {trace: hi, none: null}, _topic: t}]")
    assert (full["timestamp"], full["key"], full["topic"]) == (MORNING * 1_000_000, "x", "t")
    assert full["headers"] == [{"key": "trace", "value": "aGk="}, {"key": "none", "value": None}]


def test_columns_go_by_their_names_in_any_letter_case() -> None:
    assert json.loads(records("[{K: a}]")[0]["value"]) == {"k": "a"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("[{kk: 1}]", "source 's' has no column 'kk'"),
        ("[{_raw: x, k: a}]", "whole text of a record"),
        ("[{_raw: 5}]", "whole text of a record"),
        ("[{_partition: a}]", "'_partition' is a whole number"),
        ("[{_offset: true}]", "'_offset' is a whole number"),
        ("[{_timestamp: soon}]", "'soon' is not a time"),
        ("[{_headers: x}]", "mapping of names to values"),
    ],
)
def test_a_row_that_the_source_cannot_have_is_refused(rows: str, message: str) -> None:
    with pytest.raises(InvalidSpec, match=message) as refusal:
        records(rows)
    assert refusal.value.hint


def test_rows_of_a_stream_of_changes_are_changes() -> None:
    came, gone = (json.loads(one["value"]) for one in records("[{k: a, v: 1}, {k: a, _op: d}]", changes=True))
    assert came == {"op": "r", "before": None, "after": {"k": "a", "v": 1}}
    assert gone == {"op": "d", "before": {"k": "a"}, "after": None}
    with pytest.raises(InvalidSpec, match="'x' is not a change"):
        records("[{k: a, _op: x}]", changes=True)
    with pytest.raises(InvalidSpec, match="has no column '_op'"):
        records("[{k: a, _op: d}]")
