from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from tests.config.asking import Asked, sink

from velostream.sinks.writers import Batch, BatchRows, write
from velostream.sinks.writers.console import Shown, shown


def lines(frame: Any, form: str | None, query: str, at_most: int | None = None) -> str:
    said: list[object] = []
    chosen = None if form is None else Asked({"s.type": "console_sink", "s.format": form}, sink("s")).resolved["s"]
    write("console_sink", "s", BatchRows(frame, at_most), chosen, Batch(query, 0, show=said.append))
    return "\n".join(str(each) for each in said)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (datetime(2024, 1, 1, 12, tzinfo=UTC), "2024-01-01T12:00:00Z"),
        (datetime(2024, 1, 1, 12), "2024-01-01T12:00:00"),
        (date(2024, 1, 1), "2024-01-01"),
        (Decimal("1.10"), "1.10"),
        (b"\x01\xff", "01ff"),
        ([1, None, {"t": date(2024, 1, 1)}], '[1, null, {"t": "2024-01-01"}]'),
    ],
)
def test_values_are_shown_for_people(value: Any, text: str) -> None:
    assert shown(value) == text


def test_rows_as_text_are_a_line_each() -> None:
    assert str(Shown("s", ("a", "b"), [(1, None), (2, "x")])) == "a=1  b=NULL\na=2  b=x"


def test_rows_are_shown_in_the_format_that_was_chosen(one_spark: Any) -> None:
    frame = one_spark.sql("SELECT 1 AS a, 'x,y' AS b UNION ALL SELECT 2, NULL").coalesce(1)
    assert lines(frame, None, "q1") == "a=1  b=x,y\na=2  b=NULL"
    assert lines(frame, "json", "q1") == '{"a":1,"b":"x,y"}\n{"a":2,"b":null}'
    assert lines(frame, "csv", "q1") == 'a,b\n1,"x,y"\n2,'
    assert lines(frame, "csv", "q1") == '1,"x,y"\n2,'


def test_nothing_is_shown_of_a_batch_without_rows(one_spark: Any) -> None:
    assert lines(one_spark.range(0), "table", "q2") == ""
    assert lines(one_spark.range(0), "csv", "q2", at_most=0) == ""
