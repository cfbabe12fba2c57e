import pytest

from velostream import types
from velostream.types import UNKNOWN
from velostream.validation.coercion import arithmetic, assignable, common, common_of, comparable


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        ("INT", "+", "INT", "INT"),
        ("INT", "*", "BIGINT", "BIGINT"),
        ("INT", "/", "INT", "DOUBLE"),
        ("INT", "DIV", "INT", "BIGINT"),
        ("DECIMAL(10,2)", "+", "DECIMAL(12,4)", "DECIMAL(13,4)"),
        ("DECIMAL(10,2)", "*", "DECIMAL(10,2)", "DECIMAL(21,4)"),
        ("DECIMAL(10,2)", "/", "DECIMAL(10,2)", "DECIMAL(23,13)"),
        ("DECIMAL(38,10)", "*", "DECIMAL(38,10)", "DECIMAL(38,6)"),
        ("DECIMAL(10,2)", "%", "INT", "DECIMAL(10,2)"),
        ("DECIMAL(10,2)", "+", "DOUBLE", "DOUBLE"),
        ("FLOAT", "+", "FLOAT", "FLOAT"),
        ("TIMESTAMP", "-", "TIMESTAMP", "INTERVAL"),
        ("DATE", "-", "DATE", "INTERVAL"),
        ("DATE", "+", "INT", "DATE"),
        ("TIMESTAMP", "+", "INTERVAL", "TIMESTAMP"),
        ("INTERVAL", "+", "DATE", "TIMESTAMP"),
        ("INTERVAL", "*", "INT", "INTERVAL"),
        ("INTERVAL", "-", "INTERVAL", "INTERVAL"),
        ("VOID", "+", "INT", "INT"),
    ],
)
def test_arithmetic_has_sparks_result_types(left: str, operator: str, right: str, result: str) -> None:
    assert str(arithmetic(operator, types.parse(left), types.parse(right))) == result


@pytest.mark.parametrize(
    ("left", "operator", "right"),
    [("STRING", "+", "INT"), ("BOOLEAN", "*", "INT"), ("TIMESTAMP", "+", "TIMESTAMP"), ("TIMESTAMP", "+", "INT")],
)
def test_arithmetic_without_meaning_is_refused(left: str, operator: str, right: str) -> None:
    assert arithmetic(operator, types.parse(left), types.parse(right)) is None


def test_what_is_unknown_stays_unknown() -> None:
    assert arithmetic("+", UNKNOWN, types.INT) == UNKNOWN
    assert common(UNKNOWN, types.INT) == UNKNOWN


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("INT", "BIGINT", "BIGINT"),
        ("DATE", "TIMESTAMP", "TIMESTAMP"),
        ("STRING", "TIMESTAMP", "TIMESTAMP"),
        ("ARRAY<INT>", "ARRAY<BIGINT>", "ARRAY<BIGINT>"),
        ("STRUCT<a: INT>", "STRUCT<a: DOUBLE>", "STRUCT<a: DOUBLE>"),
        ("VOID", "STRING", "STRING"),
    ],
)
def test_two_types_have_a_common_one(left: str, right: str, result: str) -> None:
    assert str(common(types.parse(left), types.parse(right))) == result


@pytest.mark.parametrize(
    ("left", "right"), [("STRING", "INT"), ("BOOLEAN", "INT"), ("TIMESTAMP", "INT"), ("ARRAY<INT>", "ARRAY<STRING>")]
)
def test_some_types_have_none(left: str, right: str) -> None:
    assert common(types.parse(left), types.parse(right)) is None
    assert common_of([types.parse(left), types.parse(right)]) is None


def test_maps_do_not_compare() -> None:
    kind = types.parse("MAP<STRING, INT>")
    assert not comparable(kind, kind)
    assert comparable(types.INT, types.DOUBLE)


def test_values_are_written_where_they_keep_their_meaning() -> None:
    assert assignable(types.INT, types.STRING)
    assert assignable(types.DOUBLE, types.INT)
    assert assignable(types.NULL, types.DATE)
    assert not assignable(types.BOOLEAN, types.INT)
    assert not assignable(types.parse("ARRAY<INT>"), types.STRING)
