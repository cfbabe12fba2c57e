import pytest

from velostream.errors import InvalidPlan
from velostream.plan.fields import Field, Fields
from velostream.types import INT, STRING

FIELDS = Fields((Field("a", INT), Field("b", STRING), Field("_event_time", STRING, system=True)))


def test_two_fields_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidPlan, match="two fields are named 'a'"):
        Fields((Field("a", INT), Field("a", STRING)))


def test_system_fields_are_not_visible() -> None:
    assert [member.name for member in FIELDS.visible] == ["a", "b"]


def test_a_field_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidPlan, match="no field '_event_tim'") as refusal:
        FIELDS.of("_event_tim")
    assert "'_event_time'" in refusal.value.hint


def test_fields_are_found_chosen_and_added_in_order() -> None:
    assert "b" in FIELDS
    assert FIELDS.find("c") is None
    assert FIELDS.only(["b", "a"]).names == ("a", "b")
    assert FIELDS.plus([Field("c", INT)]).names == ("a", "b", "_event_time", "c")
    assert len(FIELDS) == 3
