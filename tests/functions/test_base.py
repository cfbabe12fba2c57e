import pytest

from velostream.functions.base import Function, FunctionKind, Shape
from velostream.functions.family import Family, parse_parameters
from velostream.types import BIGINT, INT, STRING, Type

declare = Family("test")


def function(signature: str, lowers: str = "", returns: Type = INT) -> Function:
    return declare(signature, returns, "does it", "F(1)", lowers=lowers)


def test_a_signature_shows_what_may_be_left_out_and_what_may_be_repeated() -> None:
    assert function("F(a, [b: integer])").signature == "F(a, [b])"
    assert function("F(a, rest*)").signature == "F(a, rest, …)"
    assert function("F()").signature == "F()"


def test_alternatives_are_shown_one_by_one() -> None:
    assert function("F(a) | (b, c)").signatures == ("F(a)", "F(b, c)")


@pytest.mark.parametrize(
    ("signature", "least", "most"),
    [
        ("F()", 0, 0),
        ("F(a, [b], [c])", 1, 3),
        ("F(a, rest*)", 1, None),
        ("F(a, b, c) | (a)", 1, 3),
        ("F(a, b) | (a, rest*)", 1, None),
    ],
)
def test_arguments_are_counted_over_all_alternatives(signature: str, least: int, most: int | None) -> None:
    assert (function(signature).least, function(signature).most) == (least, most)


def test_without_a_lowering_the_same_call_is_made() -> None:
    assert function("SPLIT_PART(a, b, c)").lower(["x", "'.'", "2"]) == "split_part(x, '.', 2)"


def test_a_name_calls_another_function() -> None:
    assert function("ARRAY_CONCAT(a, rest*)", "concat").lower(["x", "y"]) == "concat(x, y)"


def test_a_template_takes_arguments_by_number() -> None:
    assert function("F(a, b)", "get({1}, {0})").lower(["x", "y"]) == "get(y, x)"


def test_a_template_takes_all_arguments_or_the_rest() -> None:
    assert function("F(a, rest*)", "f(array({1*}), {0})").lower(["x", "y", "z"]) == "f(array(y, z), x)"
    assert function("F(rest*)", "count(DISTINCT {*})").lower(["x", "y"]) == "count(DISTINCT x, y)"


def test_of_several_templates_that_for_the_arguments_given_is_taken() -> None:
    declared = function("FIRST(a, [b])", "min_by({0}, {order})\nmin_by({0}, if({1}, NULL, {order}))")
    assert declared.lower(["x"]) == "min_by(x, _event_time)"
    assert declared.lower(["x", "true"], "t") == "min_by(x, if(true, NULL, t))"


def test_a_template_may_leave_an_argument_out() -> None:
    assert function("SET_HEADER(key, value)", "cast({1} AS STRING)").lower(["'k'", "v"]) == "cast(v AS STRING)"


def test_a_column_stands_for_a_call_with_any_arguments() -> None:
    declared = function("TUMBLE_START([time], [size])", "_window_start")
    assert declared.lower([]) == declared.lower(["ts", "INTERVAL '1' MINUTE"]) == "_window_start"


def test_a_number_of_arguments_without_a_template_is_refused() -> None:
    with pytest.raises(ValueError, match="no template of F takes 1"):
        function("F(a, b)", "f({0}, {1})").lower(["x"])


def test_a_rule_for_the_result_sees_the_arguments() -> None:
    declared = declare("F(a)", lambda types: types[0], "does it", "F(1)")
    assert declared.result_type((STRING,)) == STRING
    assert function("F(a)", returns=BIGINT).result_type((STRING,)) == BIGINT


def test_the_notation_of_parameters_says_shape_and_marks() -> None:
    one, two, three = parse_parameters("text: string, [k!: integer], others*=")
    assert (one.name, one.shape, one.optional) == ("text", Shape.STRING, False)
    assert (two.optional, two.constant, two.shape) == (True, True, Shape.INTEGER)
    assert (three.repeated, three.alike, three.shape) == (True, True, Shape.ANY)
    assert parse_parameters("array: array, value~")[1].inner


@pytest.mark.parametrize("text", ["a b", "a: nonsense", "[a", "a]", "a,, b", "a: string integer", "!!"])
def test_a_slip_in_the_notation_is_found(text: str) -> None:
    with pytest.raises(ValueError, match="not a list of parameters"):
        parse_parameters(text)


def test_a_signature_needs_a_name_and_parentheses() -> None:
    for text in ("F", "(a)", "two words(a)"):
        with pytest.raises(ValueError, match="not a signature"):
            declare(text, INT, "does it", "F(1)")


def test_a_family_gives_name_and_kind() -> None:
    declared = Family("window", FunctionKind.WINDOW)("RANK()", INT, "does it", "RANK()")
    assert (declared.name, declared.family, declared.kind) == ("RANK", "window", FunctionKind.WINDOW)
