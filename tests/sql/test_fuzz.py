"""Spoiled statements by the thousand: none ends in a traceback, hangs, or is truncated. VELO_FUZZ says how many."""

import os
import random
import time

import pytest
from tests.sql.corpus import EXAMPLES, STATEMENTS
from tests.sql.mutations import spoiled
from tests.sql.test_round_trip import assert_whole_or_refused

from velostream.sql.parse import parse, split

COUNT = int(os.environ.get("VELO_FUZZ", "1500"))
PARTS = 10
LONGEST = 5.0
"""Seconds that one statement may take: far more than any needs, so that only a hang exceeds it."""

SEED = 20_240
TEXTS = (*STATEMENTS, *(text for path in EXAMPLES for text in split(path.read_text())))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_spoiled_statement_is_refused_with_a_position_or_kept_whole(part: int) -> None:
    chance = random.Random(SEED + part)
    for _ in range(COUNT // PARTS):
        text = spoiled(chance.choice(TEXTS), chance.choice(TEXTS), chance)
        begun = time.monotonic()
        assert_whole_or_refused(text)
        assert time.monotonic() - begun < LONGEST, text


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT " + "f(" * 3_000 + "1" + ")" * 3_000,
        "SELECT " + "CASE WHEN " * 2_000,
        "SELECT " + "NOT " * 5_000 + "a",
        "SELECT " + "- " * 5_000 + "a",
        "SELECT a" + "[0]" * 5_000,
        "SELECT a" + " + a" * 5_000,
        "SELECT a" + " OR a" * 5_000,
        "SELECT 1" + " UNION SELECT 1" * 2_000,
        "SELECT a FROM " + "(SELECT a FROM " * 2_000,
        "SELECT CAST(a AS " + "ARRAY<" * 2_000,
        "SELECT a FROM s " + "WINDOW " * 3_000,
        "SELECT a FROM s " + "EMIT " * 3_000,
        "SELECT " + "trim(" * 40 + "a" + ")" * 40,
    ],
    ids=lambda text: text[:20],
)
def test_endless_nesting_is_refused_in_time(text: str) -> None:
    begun = time.monotonic()
    (finding,) = parse(text).findings.found
    assert finding.span is not None
    assert time.monotonic() - begun < LONGEST


def test_long_lists_are_no_nesting() -> None:
    many = ", ".join(f"c{number}" for number in range(3_000))
    assert not parse(f"SELECT {many} FROM s WHERE a IN ({many})").findings.found
