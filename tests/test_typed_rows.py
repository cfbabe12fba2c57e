"""Rows as JSON and back: nothing is guessed, and nothing is lost."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

from velostream.typed_rows import kinds_of, said, table_of, type_of

NOON = datetime(2026, 3, 2, 12, 0, 0, 5, tzinfo=UTC)
NESTED = pa.struct([("x", pa.int16()), ("days", pa.list_(pa.date32()))])
ROWS = pa.table(
    {
        "price": pa.array([Decimal("1.20"), None], pa.decimal128(10, 2)),
        "at": pa.array([NOON, None], pa.timestamp("us", "UTC")),
        "local": pa.array([NOON.replace(tzinfo=None)] * 2, pa.timestamp("us")),
        "raw": pa.array([b"\x00\xff", None], pa.binary()),
        "big": pa.array([2**60, -1], pa.int64()),
        "ratio": pa.array([0.1, float("inf")]),
        "yes": [True, False],
        "none": pa.nulls(2),
        "counts": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())),
        "inner": pa.array([{"x": 1, "days": [date(2026, 1, 2)]}, None], NESTED),
    }
)


def test_values_and_types_come_back() -> None:
    kinds = [str(type_of(kind)) for kind in ROWS.schema.types]
    assert kinds[:4] == ["DECIMAL(10,2)", "TIMESTAMP", "TIMESTAMP_NTZ", "BINARY"]
    rows = [[said(value) for value in row.values()] for row in ROWS.to_pylist()]
    assert rows[0][:5] == ["1.20", "2026-03-02T12:00:00.000005Z", "2026-03-02T12:00:00.000005", "AP8=", str(2**60)]
    back = table_of(ROWS.column_names, kinds, json.loads(json.dumps(rows, allow_nan=False)))
    assert back.equals(ROWS)


@pytest.mark.parametrize("kind", [pa.large_string(), pa.duration("us"), pa.time64("us")])
def test_a_type_without_a_name_in_sql_is_shown_as_text(kind: pa.DataType) -> None:
    assert str(type_of(kind)) == "STRING"
    assert said(timedelta(seconds=5)) == "0:00:05"
    assert said(time(9, 30)) == "09:30:00"


def test_values_that_nobody_has_declared_have_the_type_that_fits_all() -> None:
    rows = [[1, 1, True, "x", None], [2, 0.5, False, 3, None]]
    assert kinds_of(rows, 5) == ["BIGINT", "DOUBLE", "BOOLEAN", "STRING", "STRING"]
    assert kinds_of([], 1) == ["STRING"]
