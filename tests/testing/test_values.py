import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from velostream.testing.values import same, show

DAY = "2024-01-01"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, None),
        (5, 5),
        (5, 5.0),
        (0.3, 0.1 + 0.2),
        (1.1, Decimal("1.10")),
        ("0.12345678901234567890", Decimal("0.12345678901234567890")),
        (math.nan, math.nan),
        ("NaN", math.nan),
        ("10:05", datetime(2024, 1, 1, 10, 5, tzinfo=UTC)),
        (60, datetime(1970, 1, 1, 0, 1, tzinfo=UTC)),
        ("10:05", "2024-01-01T10:05:00+00:00"),
        ("10:05", 1_704_103_500_000_000),
        ("2024-01-01", date(2024, 1, 1)),
        ("hi", b"hi"),
        ([1, 2], [1, 2]),
        ({"a": 1}, {"a": 1}),
        ({"1": "x"}, {1: "x"}),
        ({"1": "x"}, [(1, "x")]),
        ({}, []),
    ],
)
def test_a_value_may_be_written_in_the_way_that_is_easy(expected: Any, actual: Any) -> None:
    assert same(expected, actual, DAY)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, 0),
        (0, None),
        (1, True),
        (True, 1),
        (5, "5"),
        ("5x", 5),
        (0.3, 0.31),
        (0, 1e-30),
        (0.1, Decimal("0.10000000001")),
        ("10:05", datetime(2024, 1, 1, 10, 6, tzinfo=UTC)),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": None}),
        ([1], {"a": 1}),
    ],
)
def test_another_value_is_another(expected: Any, actual: Any) -> None:
    assert not same(expected, actual, DAY)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ("a b", "a b"),
        ("5", "'5'"),
        ("a, b", "'a, b'"),
        ("", "''"),
        ([1, {"a": None}], "[1, {a: null}]"),
        ([("k", 1)], "{k: 1}"),
        (datetime(2024, 1, 1, 10, 5, tzinfo=UTC), "2024-01-01T10:05:00Z"),
    ],
)
def test_values_are_shown_as_a_specification_writes_them(value: Any, text: str) -> None:
    assert show(value) == text
