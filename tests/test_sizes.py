"""Sizes: strict, exact, powers of 1024."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.errors import InvalidSize
from velostream.sizes import parse, show


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512MB", 512 << 20),
        ("4 GB", 4 << 30),
        ("1GiB", 1 << 30),
        ("64k", 64 << 10),
        ("1.5kb", 1536),
        ("17", 17),
        ("2tb", 2 << 40),
    ],
)
def test_a_size_is_read_in_any_of_its_spellings(text: str, size: int) -> None:
    assert parse(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1MB", "1 potato", "1MBs", "1,5GB"])
def test_what_is_not_a_size_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(InvalidSize) as refusal:
        parse(text)
    assert "512MB" in refusal.value.hint


def test_a_part_of_a_byte_is_refused() -> None:
    with pytest.raises(InvalidSize, match="part of a byte"):
        parse("0.3B")


@given(st.integers(min_value=0, max_value=1 << 50))
def test_what_is_shown_reads_back_as_the_same(size: int) -> None:
    assert parse(show(size)) == size


def test_the_largest_exact_unit_is_shown() -> None:
    assert [show(512 << 20), show(1000), show(0), show(3 << 40)] == ["512MB", "1000B", "0B", "3TB"]
