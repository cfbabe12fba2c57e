import pytest

from velostream.functions import LIBRARY
from velostream.functions.check import Problem, check, lambda_places
from velostream.types import UNKNOWN, parse


def problem(name: str, *types: str) -> Problem | None:
    kinds = tuple(UNKNOWN if kind == "?" else parse(kind) for kind in types)
    return check(LIBRARY.get(name), kinds)


def message(name: str, *types: str) -> str:
    found = problem(name, *types)
    assert found is not None
    return found.message


@pytest.mark.parametrize(
    ("name", "types", "text"),
    [
        ("SPLIT_PART", ("STRING",), "SPLIT_PART takes 3 arguments, not 1"),
        ("UPPER", (), "UPPER takes 1 argument, not 0"),
        ("PI", ("INT",), "PI takes no arguments, not 1"),
        ("SUBSTRING", ("STRING",), "SUBSTRING takes 2 to 3 arguments, not 1"),
        ("COALESCE", (), "COALESCE takes 1 argument or more, not 0"),
        ("MAP", ("STRING", "INT", "STRING"), "MAP takes arguments in pairs, not 3"),
        ("MAKE_TIMESTAMP", ("INT",) * 5, "MAKE_TIMESTAMP takes 1 to 7 arguments, not 5"),
    ],
)
def test_a_wrong_number_of_arguments_is_refused_with_the_signature(
    name: str, types: tuple[str, ...], text: str
) -> None:
    found = problem(name, *types)
    assert found is not None
    assert (found.code, found.message, found.argument) == ("wrong-arguments", text, None)
    assert f"{name}(" in found.hint


@pytest.mark.parametrize("name", ["SUM", "AVG", "STDDEV", "VARIANCE", "MEDIAN", "ABS", "SQRT"])
@pytest.mark.parametrize("kind", ["STRING", "BOOLEAN", "TIMESTAMP", "DATE", "ARRAY<INT>"])
def test_what_is_not_a_number_is_not_computed_with(name: str, kind: str) -> None:
    found = problem(name, kind)
    assert found is not None
    assert found.code == "type-mismatch"
    assert found.argument == 0


def test_the_message_names_function_and_type_and_the_hint_helps() -> None:
    found = problem("SUM", "STRING")
    assert found is not None
    assert found.message == "SUM takes a number or interval, not STRING"
    assert found.hint == "cast it: CAST(number AS DOUBLE); SUM(number)"
    boolean, time = problem("SUM", "BOOLEAN"), problem("SUM", "TIMESTAMP")
    assert boolean is not None
    assert time is not None
    assert "COUNT_IF" in boolean.hint
    assert "MILLIS" in time.hint


def test_of_several_arguments_the_one_that_does_not_fit_is_named() -> None:
    found = problem("SPLIT_PART", "STRING", "ARRAY<STRING>", "INT")
    assert found is not None
    assert (found.argument, found.message) == (1, "'delimiter' of SPLIT_PART takes a string, not ARRAY<STRING>")


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("LENGTH", ("INT",)),
        ("UPPER", ("DATE",)),
        ("REPEAT", ("STRING", "STRING")),
        ("YEAR", ("STRING",)),
        ("YEAR", ("TIMESTAMP",)),
        ("SUM", ("INTERVAL DAY TO SECOND",)),
        ("SUM", ("DECIMAL(10,2)",)),
        ("COALESCE", ("INT", "STRING", "DOUBLE")),
        ("CONCAT", ("STRING", "INT")),
        ("CONCAT", ("ARRAY<INT>", "ARRAY<INT>")),
        ("COUNT", ("MAP<STRING, INT>",)),
        ("PERCENTILE_CONT", ("DOUBLE", "DECIMAL(2,2)")),
        ("PERCENTILE_CONT", ("DECIMAL(2,2)",)),
        ("APPROX_PERCENTILE", ("TIMESTAMP", "ARRAY<DOUBLE>")),
        ("CONVERT_TIMEZONE", ("STRING", "TIMESTAMP_NTZ")),
        ("TO_TIMESTAMP_LTZ", ("BIGINT", "INT")),
        ("TO_TIMESTAMP_LTZ", ("STRING", "STRING")),
        ("DATEDIFF", ("?", "TIMESTAMP", "TIMESTAMP")),
        ("DATEDIFF", ("DATE", "DATE")),
        ("MAP", ("STRING", "INT", "STRING", "INT")),
    ],
)
def test_what_spark_takes_is_taken(name: str, types: tuple[str, ...]) -> None:
    assert problem(name, *types) is None


@pytest.mark.parametrize("name", ["SUM", "UPPER", "YEAR", "EXPLODE", "GET_JSON_OBJECT"])
@pytest.mark.parametrize("kind", ["?", "VOID"])
def test_an_unknown_type_and_null_always_fit(name: str, kind: str) -> None:
    more = ("STRING",) if name == "GET_JSON_OBJECT" else ()
    assert problem(name, kind, *more) is None


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("YEAR", ("INT",)),
        ("ARRAY_SIZE", ("STRING",)),
        ("EXPLODE", ("STRING",)),
        ("MAX", ("MAP<STRING, INT>",)),
        ("MAX", ("ARRAY<MAP<STRING, INT>>",)),
        ("BOOL_AND", ("INT",)),
        ("BIT_AND", ("DOUBLE",)),
        ("DATE_ADD", ("DATE", "BIGINT")),
        ("UNIX_MILLIS", ("DATE",)),
        ("VECTOR_NORM", ("ARRAY<DOUBLE>",)),
        ("PARSE_JSON", ("INT",)),
        ("TO_JSON", ("STRING",)),
    ],
)
def test_what_spark_refuses_is_refused(name: str, types: tuple[str, ...]) -> None:
    found = problem(name, *types)
    assert found is not None
    assert found.code == "type-mismatch"


def test_values_that_must_be_alike_have_a_common_type() -> None:
    assert message("COALESCE", "INT", "ARRAY<INT>") == "COALESCE cannot take INT and ARRAY<INT> together"
    assert message("IF", "BOOLEAN", "DATE", "BOOLEAN") == "IF cannot take DATE and BOOLEAN together"
    assert message("GREATEST", "INT", "STRING") == "GREATEST cannot take INT and STRING together"
    assert problem("GREATEST", "INT", "DOUBLE", "DECIMAL(10,2)") is None
    assert problem("COALESCE", "VOID", "INT") is None
    assert problem("COALESCE", "?", "INT", "STRING") is None


def test_a_value_must_fit_into_the_array_it_is_looked_up_in() -> None:
    assert message("ARRAY_CONTAINS", "ARRAY<INT>", "STRING") == "ARRAY_CONTAINS cannot take INT and STRING together"
    assert message("MAP_CONTAINS_KEY", "MAP<STRING, INT>", "INT").startswith("MAP_CONTAINS_KEY cannot take STRING")
    assert problem("ARRAY_CONTAINS", "ARRAY<INT>", "BIGINT") is None
    assert problem("ARRAY_CONTAINS", "?", "STRING") is None


@pytest.mark.parametrize(
    ("name", "types", "argument"),
    [
        ("LAG", ("DOUBLE", "STRING"), 1),
        ("NTILE", ("STRING",), 0),
        ("FIRST", ("INT", "STRING"), 1),
        ("FLATTEN", ("ARRAY<INT>",), 0),
        ("MAP_FROM_ENTRIES", ("ARRAY<STRUCT<a: INT>>",), 0),
        ("ELEMENT_AT", ("ARRAY<INT>", "BINARY"), 1),
        ("ELEMENT_AT", ("MAP<STRING, INT>", "INT"), 1),
        ("SEQUENCE", ("STRUCT<a: INT>", "STRUCT<a: INT>"), 0),
        ("SEQUENCE", ("INT", "TIMESTAMP"), 1),
        ("DECODE", ("DOUBLE", "TIMESTAMP", "STRING"), 1),
        ("BITMAP_COUNT", ("STRING",), 0),
        ("HLL_SKETCH_ESTIMATE", ("STRING",), 0),
        ("BOOLEAN", ("TIMESTAMP",), 0),
    ],
)
def test_what_spark_would_refuse_is_refused_at_its_argument(name: str, types: tuple[str, ...], argument: int) -> None:
    found = problem(name, *types)
    assert found is not None
    assert (found.code, found.argument) == ("type-mismatch", argument)


def test_the_places_of_lambdas_are_known() -> None:
    assert lambda_places(LIBRARY.get("AGGREGATE"), 4) == {2, 3}
    assert lambda_places(LIBRARY.get("ARRAY_SORT"), 1) == set()
    assert lambda_places(LIBRARY.get("UPPER"), 1) == set()
