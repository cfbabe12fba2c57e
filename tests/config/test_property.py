"""Properties find their keys in every spelling, and refuse to be declared wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.config.keys import fold, squeeze
from velostream.config.kinds import Duration, Integer, Text
from velostream.config.property import Family, Known, Property
from velostream.errors import InvalidProperty

TIMEOUT = Property(
    "watermark.idle_timeout", Duration(), "doc", "5m", default="1m", aliases=("scan.watermark.idle-timeout",)
)
LEAST = Property("fields.*.min", Integer(), "doc", "1")
CLIENT = Family("properties.", "doc", ("properties.acks", "all"), refused=(("enable.auto.commit", "no"),))
KNOWN = Known((TIMEOUT, LEAST), (CLIENT,))


@pytest.mark.parametrize(
    "key",
    [
        "watermark.idle_timeout",
        "watermark.idle-timeout",
        "watermark_idle_timeout",
        "WATERMARK.IDLE.TIMEOUT",
        "scan.watermark.idle-timeout",
        "scan.watermark.idle_timeout",
    ],
)
def test_every_spelling_of_a_key_finds_the_property(key: str) -> None:
    assert KNOWN.find(key) == (TIMEOUT, "")


@given(st.lists(st.sampled_from([".", "_", "-"]), min_size=2, max_size=2), st.booleans())
def test_how_parts_are_joined_makes_no_difference(joints: list[str], upper: bool) -> None:
    key = f"watermark{joints[0]}idle{joints[1]}timeout"
    assert KNOWN.find(key.upper() if upper else key) == (TIMEOUT, "")


def test_a_star_stands_for_a_name_of_the_users() -> None:
    assert KNOWN.find("fields.trade_id.min") == (LEAST, "trade_id")
    assert KNOWN.find("fields.min") is None
    assert KNOWN.find("fields.*.min") == (LEAST, "*")


def test_a_family_gives_the_clients_name() -> None:
    assert KNOWN.passes("properties.linger.ms") == (CLIENT, "linger.ms")
    assert KNOWN.passes("properties.") is None
    assert KNOWN.passes("linger.ms") is None


def test_a_family_that_keeps_its_prefix_gives_the_whole_key() -> None:
    assert Family("ssl.", "doc", ("ssl.a", "b"), strips=False).client_name("ssl.a") == "ssl.a"


def test_a_family_says_why_something_must_not_be_set() -> None:
    assert CLIENT.refusal("enable.auto.commit") == "no"
    assert CLIENT.refusal("acks") == ""


def test_two_properties_cannot_share_a_spelling() -> None:
    other = Property("scan.watermark.idle_timeout", Text(), "doc", "x")
    with pytest.raises(ValueError, match="is both"):
        Known((TIMEOUT, other))


@pytest.mark.parametrize("wrong", [{"example": "soon"}, {"example": "1m", "default": "never"}])
def test_an_example_or_default_that_does_not_work_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidProperty):
        Property("x", Duration(), "doc", **wrong)


def test_an_error_names_the_key_as_it_was_written_and_shows_an_example() -> None:
    with pytest.raises(InvalidProperty) as refusal:
        LEAST.read("many", "fields.price.min")
    assert refusal.value.message == "property 'fields.price.min': 'many' is not a whole number"
    assert refusal.value.hint == "for example 'fields.*.min' = '1'"


def test_an_error_does_not_tell_a_secret() -> None:
    with pytest.raises(InvalidProperty) as refusal:
        Property("password", Integer(), "doc", "1", secret=True).read("hunter2")
    assert "hunter2" not in refusal.value.message


def test_a_union_knows_what_either_knows() -> None:
    other = Known((Property("path", Text(), "doc", "x"), TIMEOUT), (CLIENT,), (("path",),))
    both = KNOWN.union(other)
    assert {one.name for one in both.properties} == {"watermark.idle_timeout", "fields.*.min", "path"}
    assert both.families == (CLIENT,)
    assert both.one_of == (("path",),)


def test_folding_and_squeezing() -> None:
    assert fold("A..b__C-d") == "a_b_c_d"
    assert squeeze("Send-To_DLQ") == "sendtodlq"
