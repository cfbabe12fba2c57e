"""Values are read strictly: what is doubtful is refused, with a way out."""

import pytest

from velostream.config.kinds import (
    Boolean,
    Choice,
    Condition,
    Duration,
    Instant,
    Integer,
    Kind,
    Letter,
    Names,
    Number,
    Share,
    Size,
    Text,
)
from velostream.durations import MINUTE, SECOND
from velostream.errors import VeloError


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Text(), "trades", "trades"),
        (Letter(), ";", ";"),
        (Letter(), "\\t", "\t"),
        (Integer(), "42", 42),
        (Integer(), " -7 ", -7),
        (Integer(), "1_000_000", 1_000_000),
        (Integer(least=1, most=3), "3", 3),
        (Number(), "0.5", 0.5),
        (Number(), "-1e3", -1000.0),
        (Number(), ".5", 0.5),
        (Share(), "0.25", 0.25),
        (Share(), "50%", 0.5),
        (Share(), "0.1 %", 0.001),
        (Boolean(), "TRUE", True),
        (Boolean(), "false", False),
        (Duration(), "5m", 5 * MINUTE),
        (Duration(), "INTERVAL '1' MINUTE", MINUTE),
        (Duration(), "2", 2 * SECOND),
        (Duration(), "0s", 0),
        (Duration(off=True), "OFF", None),
        (Size(), "512MB", 512 * 1024**2),
        (Names(), "a, b,c", ("a", "b", "c")),
        (Names(repeats=True), "a, a", ("a", "a")),
        (Condition(), "a > 1", "a > 1"),
        (Instant(), "1970-01-01T00:00:01Z", SECOND),
        (Instant(), "1970-01-01 01:00:00+01:00", 0),
        (Instant(), "1500", 1_500_000),
        (Choice(("SendToDLQ",)), "send_to_dlq", "SendToDLQ"),
        (Choice(("earliest", "latest"), also=(("earliest-offset", "earliest"),)), "EARLIEST_OFFSET", "earliest"),
    ],
)
def test_a_text_that_is_clear_is_read(kind: Kind, text: str, value: object) -> None:
    assert kind.parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Text(), "  "),
        (Letter(), ""),
        (Letter(), ";;"),
        (Integer(), "4.0"),
        (Integer(), ""),
        (Integer(), "_1"),
        (Integer(), "1__0"),
        (Integer(), "٣"),
        (Integer(), "0x10"),
        (Integer(least=1), "0"),
        (Integer(most=3), "4"),
        (Number(), "nan"),
        (Number(), "inf"),
        (Number(), "1,5"),
        (Number(), "1_0"),
        (Number(least=0), "-0.1"),
        (Share(), "150%"),
        (Share(), "-0.1"),
        (Share(), "half"),
        (Boolean(), "yes"),
        (Boolean(), "1"),
        (Boolean(), ""),
        (Duration(), "soon"),
        (Duration(), "off"),
        (Duration(), "1 month"),
        (Duration(positive=True), "0s"),
        (Size(), "lots"),
        (Size(), "1XB"),
        (Names(), "a,,b"),
        (Names(), ""),
        (Names(), "a, a"),
        (Condition(), ""),
        (Instant(), "yesterday"),
        (Choice(("a", "b")), "c"),
    ],
)
def test_a_text_that_is_doubtful_is_refused(kind: Kind, text: str) -> None:
    with pytest.raises(VeloError):
        kind.parse(text)


def test_a_wrong_choice_is_told_the_nearest_and_all() -> None:
    with pytest.raises(VeloError) as refusal:
        Choice(("partition", "source")).parse("partitoin")
    assert "did you mean 'partition'?" in refusal.value.hint
    assert "values: partition, source" in refusal.value.hint


def test_bounds_are_named() -> None:
    with pytest.raises(VeloError) as refusal:
        Integer(least=1, most=9).parse("10")
    assert refusal.value.hint == "at least 1 and at most 9"


def test_a_word_from_elsewhere_must_stand_for_a_choice() -> None:
    with pytest.raises(ValueError, match="not a choice"):
        Choice(("a",), also=(("x", "b"),))
