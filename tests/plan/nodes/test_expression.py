from tests.plan.making import value

from velostream.plan.expression import all_of, parts_of, reads
from velostream.types import BOOLEAN, DOUBLE, STRING


def test_fields_are_listed_once_in_order() -> None:
    assert value("t.price > l.most AND t.price < 9").fields == ("t.price", "l.most")


def test_a_field_is_shown_without_quotes_and_given_to_spark_in_backticks() -> None:
    expression = value("t.price * 2", DOUBLE)
    assert str(expression) == "t.price * 2"
    assert expression.spark == "`t.price` * 2"


def test_a_field_names_itself_and_anything_else_is_named_by_its_text() -> None:
    assert reads("t.price", DOUBLE).name == "t.price"
    assert value("t.price + 1", DOUBLE).name == "t.price + 1"


def test_a_long_text_makes_a_short_name_that_is_always_the_same() -> None:
    one, other = value(" OR ".join(f"t.price = {n}" for n in range(40))), value("t.price = 1")
    again = value(" OR ".join(f"t.price = {n}" for n in range(40)))
    different = value(" OR ".join(f"t.price = {n}" for n in range(41)))
    assert len(one.name) < 80
    assert one.name == again.name
    assert one.name not in (other.name, different.name)


def test_expressions_are_equal_wherever_they_stand() -> None:
    assert value("t.price > 1") == value("t.price>1")
    assert value("t.price > 1") != value("t.price > 1", STRING)


def test_fields_can_be_renamed_and_replaced_by_what_they_stand_for() -> None:
    assert str(value("x.total > 1").over({"x.total": "total"})) == "total > 1"
    replaced = value("x.total * 2", DOUBLE).given({"x.total": value("t.price + t.fee", DOUBLE)})
    assert str(replaced) == "(t.price + t.fee) * 2"
    assert replaced.spark == "(`t.price` + `t.fee`) * 2"


def test_conditions_are_taken_apart_at_and_and_put_together_again() -> None:
    whole = value("a.x > 1 AND (a.y < 2 AND (a.z = 3 OR a.z = 4))")
    parts = parts_of(whole)
    assert list(map(str, parts)) == ["a.x > 1", "a.y < 2", "a.z = 3 OR a.z = 4"]
    assert str(all_of(parts)) == "a.x > 1 AND a.y < 2 AND (a.z = 3 OR a.z = 4)"
    assert all_of(parts).type == BOOLEAN


def test_a_constant_reads_nothing() -> None:
    assert value("1 + 1").is_constant
    assert not value("t.price").is_constant
