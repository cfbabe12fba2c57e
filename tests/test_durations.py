"""Durations: every spelling of A3, exact, and refusals that show a spelling that works."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream import durations
from velostream.durations import DAY, HOUR, LONGEST, MILLISECOND, MINUTE, SECOND, WEEK, parse, show
from velostream.errors import InvalidDuration


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("500ms", 500 * MILLISECOND),
        ("5s", 5 * SECOND),
        ("1m", MINUTE),
        ("2h", 2 * HOUR),
        ("1d", DAY),
        ("1w", WEEK),
        ("30", 30 * SECOND),
        ("0", 0),
        ("0.5", SECOND // 2),
        ("1.5s", 1_500_000),
        ("1 MINUTE", MINUTE),
        ("10 Minutes", 10 * MINUTE),
        (" 5 seconds ", 5 * SECOND),
        ("1h30m", 90 * MINUTE),
        ("1 HOUR 30 MINUTES", 90 * MINUTE),
        ("INTERVAL '1' MINUTE", MINUTE),
        ("interval 1 minute", MINUTE),
        ("INTERVAL '1 minute'", MINUTE),
        ('INTERVAL "2" HOURS', 2 * HOUR),
        ("250us", 250),
    ],
)
def test_every_spelling_means_the_same_length(text: str, micros: int) -> None:
    assert parse(text) == micros


@pytest.mark.parametrize(
    "text", ["", "  ", "fast", "5x", "-5s", "5s 3", "1m,", "s", "1..5s", "INTERVAL 'x' MINUTE", "5 5", "1e3s", "٣s"]
)
def test_what_is_not_a_duration_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(InvalidDuration) as refusal:
        parse(text)
    assert "5s" in refusal.value.hint


@pytest.mark.parametrize("unit", ["month", "YEARS", "quarter"])
def test_a_unit_without_a_fixed_length_is_refused_with_a_way_out(unit: str) -> None:
    with pytest.raises(InvalidDuration, match="no fixed length") as refusal:
        parse(f"1 {unit}")
    assert refusal.value.hint == "use days or weeks"


def test_nothing_is_rounded_away() -> None:
    with pytest.raises(InvalidDuration, match="finer than a microsecond"):
        parse("0.0000001s")


def test_more_than_a_hundred_years_is_taken_for_a_slip() -> None:
    with pytest.raises(InvalidDuration, match="longer than a hundred years"):
        parse("999999w")


def test_the_parts_of_a_sum_cannot_exceed_a_hundred_years_either() -> None:
    with pytest.raises(InvalidDuration, match="longer than a hundred years"):
        parse("99w " * 60)


@given(st.integers(min_value=0, max_value=LONGEST))
def test_what_is_shown_reads_back_as_the_same(micros: int) -> None:
    assert parse(show(micros)) == micros


def test_the_shortest_spelling_is_shown() -> None:
    assert [show(90 * SECOND), show(0), show(500 * MILLISECOND), show(-MINUTE)] == ["1m30s", "0s", "500ms", "-1m"]


def test_an_amount_and_a_unit_can_come_apart() -> None:
    assert durations.of("15", "MINUTES") == 15 * MINUTE
    assert durations.of("15", "") == 15 * SECOND
    with pytest.raises(InvalidDuration, match="'x' is not a length"):
        durations.of("x", "s")
