"""Event times of every form, and the reason where one cannot be read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from velostream.plan.time import EventTime
from velostream.spark.lower.event_time import with_event_time, without_skewed, written
from velostream.spark.lower.local_times import overlaps
from velostream.spark.lower.time_patterns import read_pattern, write_pattern

NOON = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
MILLIS = 1_769_860_800_000
BERLIN = {"zone": "Europe/Berlin"}
ELEVEN = datetime(2026, 1, 31, 11, 0, 0, tzinfo=UTC)

READ: list[tuple[str, str, dict[str, str], datetime]] = [
    ("BIGINT", str(MILLIS), {"format": "epoch_millis"}, NOON),
    ("BIGINT", str(MILLIS // 1000), {"format": "epoch_seconds"}, NOON),
    ("BIGINT", str(MILLIS // 1000), {}, NOON),
    ("BIGINT", str(MILLIS), {}, NOON),
    ("BIGINT", str(MILLIS * 1000), {}, NOON),
    ("BIGINT", str(MILLIS * 1000_000), {}, NOON),
    ("DOUBLE", "1769860800.5", {"format": "epoch_seconds"}, NOON.replace(microsecond=500_000)),
    ("DECIMAL(20,6)", "1769860800.000001", {"format": "epoch_seconds"}, NOON.replace(microsecond=1)),
    ("TIMESTAMP", "'2026-01-31 12:00:00'", {}, NOON),
    ("TIMESTAMP_NTZ", "'2026-01-31 12:00:00'", BERLIN, ELEVEN),
    ("DATE", "'2026-01-31'", {}, NOON.replace(hour=0)),
    ("STRING", f"'{MILLIS}'", {"format": "epoch_millis"}, NOON),
    ("STRING", f"'{MILLIS}'", {}, NOON),
    ("STRING", "'1769860800.25'", {}, NOON.replace(microsecond=250_000)),
    ("STRING", "'2026-01-31T12:00:00Z'", {"format": "iso8601"}, NOON),
    ("STRING", "'2026-01-31T12:00:00'", {"format": "iso8601", **BERLIN}, ELEVEN),
    ("STRING", "'2026-01-31T12:00:00+00:00'", {"format": "iso8601", **BERLIN}, NOON),
    ("STRING", "'2026-01-31 13:00:00.123456789+0100'", {"format": "iso8601"}, NOON.replace(microsecond=123456)),
    ("STRING", "'20260131T120000Z'", {"format": "iso8601"}, NOON),
    ("STRING", "'2026-01-31T12:00:00,5Z'", {"format": "iso8601"}, NOON.replace(microsecond=500_000)),
    ("STRING", "'2026-01-31T12:00Z'", {}, NOON),
    ("STRING", "'2026-01-31'", {}, NOON.replace(hour=0)),
    ("STRING", "'2026/01/31 12:00:00'", BERLIN, ELEVEN),
    ("STRING", "'Sat, 31 Jan 2026 12:00:00 GMT'", BERLIN, NOON),
    ("STRING", "'31 Jan 2026 13:00:00 +0100'", {}, NOON),
    ("STRING", "'31.01.2026 12:00'", {"format": "dd.MM.yyyy HH:mm"}, NOON),
    ("STRING", "'31.1.2026 12:00:00.5'", {"format": "%d.%m.%Y %H:%M:%S.%f"}, NOON.replace(microsecond=500_000)),
    ("STRING", "'20260131120000'", {"format": "%Y%m%d%H%M%S"}, NOON),
    ("STRING", "'Sat Jan 31 12:00:00 2026'", {"format": "%c"}, NOON),
    ("STRING", "'01/31/98 12:00 PM'", {"format": "%m/%d/%y %I:%M %p"}, datetime(1998, 1, 31, 12, tzinfo=UTC)),
    ("STRING", "'2026-01-31 at 13:00 +0100'", {"format": "%Y-%m-%d at %H:%M %z", **BERLIN}, NOON),
    ("STRING", "'Saturday 2026-031'", {"format": "%A %Y-%j"}, NOON.replace(hour=0)),
]

BROKEN: list[tuple[str, str, dict[str, str], str, str]] = [
    ("STRING", "NULL", {}, "event_time_missing", "'at' is missing; the record has: k"),
    ("STRING", "'noon'", {"format": "epoch_millis"}, "event_time_type", "'noon' is text, and epoch_millis is a number"),
    ("STRING", "'31.01.2026'", {"format": "iso8601"}, "event_time_unparsable", "does not follow the format 'iso8601'"),
    ("STRING", "'12:30'", {"format": "iso8601"}, "event_time_unparsable", "'12:30'"),
    ("STRING", "'2026-02-30T00:00:00'", {"format": "iso8601"}, "event_time_unparsable", "'2026-02-30T00:00:00'"),
    ("STRING", "'x'", {"format": "%Y-%m-%d"}, "event_time_unparsable", "does not follow the format '%Y-%m-%d'"),
    ("STRING", "'31.1.2026'", {"format": "dd.MM.yyyy"}, "event_time_unparsable", "'31.1.2026'"),
    ("STRING", "'01/02/03'", {}, "event_time_undetected", "set event.time.format"),
    ("STRING", "'20260131'", {}, "event_time_undetected", "'20260131'"),
    ("BIGINT", "9223372036854775807", {"format": "epoch_millis"}, "event_time_invalid", "outside of the years"),
    ("DOUBLE", "'NaN'", {"format": "epoch_millis"}, "event_time_invalid", "'NaN'"),
    ("STRING", "'2026-10-25T02:30:00'", BERLIN, "event_time_ambiguous", "is there twice in Europe/Berlin"),
    ("STRING", "'2026-03-29T02:30:00'", BERLIN, "event_time_invalid", "does not exist in Europe/Berlin"),
    ("TIMESTAMP_NTZ", "'2026-10-25 02:30:00'", BERLIN, "event_time_ambiguous", "clocks are put back"),
]


def frame_of(spark: Any, kind: str, literal: str) -> Any:
    text = f"SELECT 'a' AS k, CAST({literal} AS {kind}) AS at"
    text += ", CAST(NULL AS STRING) AS _status, CAST(NULL AS STRING) AS _detail, CAST(NULL AS STRING) AS _mark"
    return spark.sql(text)


def read(spark: Any, cases: list[tuple[str, str, dict[str, str]]]) -> list[Any]:
    """All cases in one go: each becomes a row."""
    from pyspark.sql import functions

    frames = []
    for number, (kind, literal, settings) in enumerate(cases):
        frame = frame_of(spark, kind, literal)
        spec = EventTime(column="at", **settings)
        timed = with_event_time(frame, spec, functions.timestamp_millis(functions.lit(0)), ["k", "at"])
        frames.append(timed.selectExpr(f"{number} AS n", "unix_micros(_event_time) AS t", "_status", "_detail"))
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    return sorted(whole.collect())


def test_times_of_every_form_are_read(one_spark: Any) -> None:
    found = read(one_spark, [case[:3] for case in READ])
    wrong = [
        (case[1], case[2], row)
        for case, row in zip(READ, found, strict=True)
        if row.t != round(case[3].timestamp() * 1e6) or row._status is not None
    ]
    assert wrong == []


def test_what_cannot_be_read_says_why(one_spark: Any) -> None:
    found = read(one_spark, [case[:3] for case in BROKEN])
    wrong = [
        (case[1], row)
        for case, row in zip(BROKEN, found, strict=True)
        if row.t is not None or row._status != case[3] or case[4] not in row._detail
    ]
    assert wrong == []


@pytest.mark.parametrize(("fallback", "expected"), [("record_time", 0), ("null", None)])
def test_a_fallback_replaces_a_time_that_cannot_be_read(one_spark: Any, fallback: str, expected: int | None) -> None:
    [row] = read(one_spark, [("STRING", "'noon'", {"fallback": fallback})])
    assert (row.t, row._status) == (expected, None)


def test_a_clock_that_runs_ahead_makes_a_dead_letter(one_spark: Any) -> None:
    frame = one_spark.sql(
        "SELECT current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, s) AS _event_time, "
        "CAST(NULL AS STRING) AS _status, CAST(NULL AS STRING) AS _detail FROM VALUES (10), (50) AS t(s)"
    )
    judged = without_skewed(frame, EventTime(max_clock_skew=30_000_000)).orderBy("_event_time")
    assert [row._status for row in judged.collect()] == [None, "clock_skew"]
    assert judged.collect()[1]._detail == "its event time is 50.0 s in the future"


def test_what_is_written_reads_as_the_same_time(one_spark: Any) -> None:
    from pyspark.sql import functions

    cases = [("timestamp", "auto"), ("timestamp_ntz", "auto"), ("bigint", "auto"), ("bigint", "epoch_seconds")]
    cases += [("int", "auto"), ("double", "epoch_millis"), ("decimal(20,3)", "epoch_seconds"), ("string", "auto")]
    cases += [("string", "%d.%m.%Y %H:%M:%S"), ("string", "yyyyMMddHHmmss"), ("string", "epoch_millis")]
    for kind, form in cases:
        spec = EventTime(column="at", format=form, zone="Europe/Berlin")
        frame = frame_of(one_spark, "timestamp", f"'{NOON.isoformat()}'")
        frame = frame.withColumn("at", written(functions.col("at"), kind, spec))
        assert frame.dtypes[1][1] == kind
        [row] = with_event_time(frame, spec, functions.current_timestamp(), ["at"]).collect()
        assert (row._event_time.timestamp(), row._status) == (NOON.timestamp(), None), (kind, form)


def test_patterns_of_strptime_become_those_of_spark() -> None:
    assert read_pattern("%d.%m.%Y at %H:%M").text == "d.M.yyyy 'at' H:m"
    assert read_pattern("%Y%m%d").text == "yyyyMMdd"
    assert write_pattern("%d.%m.%Y") == "dd.MM.yyyy"
    assert read_pattern("EEE, dd MMM yyyy").weekday
    assert not read_pattern("yyyy-MM-dd'EX'").weekday


def test_clocks_are_put_back_by_what_the_zone_says() -> None:
    assert overlaps("Australia/Lord_Howe")[0] == 1_800
    assert 3_600 in overlaps("Europe/Berlin")
    assert overlaps("UTC") == ()
