from datetime import UTC, datetime

import pytest

from velostream.testing.times import micros_of, shown

DAY = "2024-01-01"
START = 1_704_067_200_000_000


@pytest.mark.parametrize(
    ("written", "micros"),
    [
        ("10:05", START + 36_300_000_000),
        ("10:05:03", START + 36_303_000_000),
        ("10:05:03.000001", START + 36_303_000_001),
        ("2024-01-01", START),
        ("2024-01-01T00:00:01Z", START + 1_000_000),
        ("2024-01-01 01:00:01+01:00", START + 1_000_000),
        (1, 1_000_000),
        (-0.001, -1_000),
        (1_704_067_200, START),
        (1_704_067_200_000, START),
        (1_704_067_200_000_000, START),
        (datetime(2024, 1, 1, tzinfo=UTC), START),
        (datetime(2024, 1, 1), START),
    ],
)
def test_times_may_be_written_in_many_ways(written: object, micros: int) -> None:
    assert micros_of(written, DAY) == micros


@pytest.mark.parametrize("written", ["soon", "25:00", "2024-13-01", True, None, "10:60"])
def test_what_is_no_time_is_none(written: object) -> None:
    assert micros_of(written, DAY) is None


@pytest.mark.parametrize("micros", [0, -1, START, START + 1, -62_135_596_800_000_000, 999_000])
def test_a_time_that_is_shown_reads_the_same(micros: int) -> None:
    assert micros_of(shown(micros), DAY) == micros
