"""Records that are routed before Spark decodes the others: their event times are those that Spark would read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from velostream.plan.time import EventTime
from velostream.spark.lower.event_time import with_event_time
from velostream.spark.lower.worker_scan import UNITS
from velostream.spark.stateful.early import EarlyScan

EDGES = (0, 10**11, 10**14, 10**17, 253_402_300_799, 253_402_300_799_999, 253_402_300_799_999_999, 62_135_596_800)
NUMBERS = [sign * edge + step for edge in EDGES for sign in (1, -1) for step in (-1, 0, 1)]
NUMBERS += [2**63 - 1, -(2**63) + 1, 1_700_000_000, 1_700_000_000_123]


@pytest.mark.parametrize("form", sorted(UNITS))
def test_numbers_are_the_times_that_spark_reads(one_spark: Any, form: str) -> None:
    frame = one_spark.createDataFrame([(number, None, None, None, None) for number in NUMBERS], _COLUMNS)
    read = with_event_time(frame, EventTime("at", form), frame["_clock"], ["at"])
    told = [row[0] for row in read.selectExpr("unix_micros(_event_time)").collect()]
    table = pa.table({"at": pa.array(NUMBERS, pa.int64())})
    early = EarlyScan(None, table.schema, "at", UNITS[form])  # type: ignore[arg-type]
    found = early.times(table.to_batches()[0], table, np.arange(len(NUMBERS))).to_pylist()
    assert any(value is not None for value in found)
    assert all(value in (expected, None) for value, expected in zip(found, told, strict=True))
    left = [number for number, value, expected in zip(NUMBERS, found, told, strict=True) if value != expected]
    assert all(form == "auto" and abs(number) >= 10**17 for number in left), "only nanoseconds are left to Spark"


_COLUMNS = "at BIGINT, _status STRING, _mark STRING, _clock TIMESTAMP, _detail STRING"
