"""Result types, each as Spark 4.2 gives it."""

import pytest

from velostream.functions import LIBRARY
from velostream.types import UNKNOWN, Type, parse


def kind(text: str) -> Type:
    return UNKNOWN if text == "?" else Type("TIME") if text == "TIME" else parse(text)


def result(name: str, *types: str, literals: tuple[object, ...] = ()) -> str:
    return str(LIBRARY.get(name).result_type(tuple(map(kind, types)), literals))


@pytest.mark.parametrize(
    ("name", "types", "expected"),
    [
        # sums and averages are exact
        ("SUM", ("INT",), "BIGINT"),
        ("SUM", ("FLOAT",), "DOUBLE"),
        ("SUM", ("DECIMAL(10,2)",), "DECIMAL(20,2)"),
        ("SUM", ("DECIMAL(38,2)",), "DECIMAL(38,2)"),
        ("SUM", ("INTERVAL DAY TO SECOND",), "INTERVAL"),
        ("SUM", ("?",), "UNKNOWN"),
        ("AVG", ("INT",), "DOUBLE"),
        ("AVG", ("DECIMAL(10,2)",), "DECIMAL(14,6)"),
        ("AVG", ("DECIMAL(38,37)",), "DECIMAL(38,38)"),
        ("REGR_AVGX", ("INT", "DECIMAL(10,2)"), "DECIMAL(14,6)"),
        ("DELTA", ("DECIMAL(10,2)",), "DECIMAL(11,2)"),
        ("DELTA", ("BIGINT",), "BIGINT"),
        ("MEDIAN", ("DECIMAL(10,2)",), "DOUBLE"),
        ("PERCENTILE_CONT", ("INT", "DECIMAL(2,1)"), "DOUBLE"),
        ("PERCENTILE_CONT", ("INT", "ARRAY<DOUBLE>"), "ARRAY<DOUBLE>"),
        ("PERCENTILE_CONT", ("DOUBLE",), "UNKNOWN"),
        ("APPROX_PERCENTILE", ("INT", "DOUBLE"), "INT"),
        ("APPROX_PERCENTILE", ("INT", "ARRAY<DOUBLE>"), "ARRAY<INT>"),
        ("APPROX_PERCENTILE", ("INT", "?"), "UNKNOWN"),
        ("ARRAY_AGG", ("STRING",), "ARRAY<STRING>"),
        ("TOPK", ("DECIMAL(10,2)", "INT"), "ARRAY<DECIMAL(10,2)>"),
        ("HISTOGRAM_NUMERIC", ("INT", "INT"), "ARRAY<STRUCT<x: INT, y: DOUBLE>>"),
        ("APPROX_TOP_K", ("STRING",), "ARRAY<STRUCT<item: STRING, count: BIGINT>>"),
        # the widest of several
        ("COALESCE", ("INT", "BIGINT"), "BIGINT"),
        ("COALESCE", ("INT", "FLOAT"), "DOUBLE"),
        ("COALESCE", ("INT", "DECIMAL(10,2)"), "DECIMAL(12,2)"),
        ("COALESCE", ("DECIMAL(38,0)", "DECIMAL(38,38)"), "DECIMAL(38,38)"),
        ("COALESCE", ("INT", "STRING"), "BIGINT"),
        ("COALESCE", ("DOUBLE", "STRING"), "DOUBLE"),
        ("COALESCE", ("DATE", "STRING"), "DATE"),
        ("COALESCE", ("DATE", "TIMESTAMP"), "TIMESTAMP"),
        ("COALESCE", ("VOID", "INT"), "INT"),
        ("COALESCE", ("?", "INT"), "UNKNOWN"),
        ("COALESCE", ("INT", "ARRAY<INT>"), "UNKNOWN"),
        ("COALESCE", ("STRING", "ARRAY<INT>"), "UNKNOWN"),
        ("COALESCE", ("ARRAY<INT>", "ARRAY<BIGINT>"), "ARRAY<BIGINT>"),
        ("COALESCE", ("ARRAY<INT>", "ARRAY<BOOLEAN>"), "UNKNOWN"),
        ("COALESCE", ("MAP<STRING, INT>", "MAP<STRING, DOUBLE>"), "MAP<STRING, DOUBLE>"),
        ("COALESCE", ("STRUCT<a: INT>", "STRUCT<a: BIGINT>"), "STRUCT<a: BIGINT>"),
        ("IF", ("BOOLEAN", "INT", "DOUBLE"), "DOUBLE"),
        ("NULLIF", ("INT", "DOUBLE"), "INT"),
        ("ZEROIFNULL", ("SMALLINT",), "INT"),
        ("UNIFORM", ("INT", "BIGINT"), "BIGINT"),
        ("UNIFORM", ("INT", "FLOAT"), "FLOAT"),
        ("UNIFORM", ("DOUBLE", "DOUBLE"), "DOUBLE"),
        # rounding
        ("CEIL", ("DOUBLE",), "BIGINT"),
        ("CEIL", ("DECIMAL(10,2)",), "DECIMAL(9,0)"),
        ("CEIL", ("?",), "UNKNOWN"),
        ("ROUND", ("DOUBLE", "INT"), "DOUBLE"),
        ("ROUND", ("DECIMAL(10,2)",), "DECIMAL(9,0)"),
        ("ROUND", ("DECIMAL(10,2)", "INT"), "UNKNOWN"),
        ("SHIFTLEFT", ("SMALLINT", "INT"), "INT"),
        ("SHIFTLEFT", ("BIGINT", "INT"), "BIGINT"),
        # arithmetic
        ("TRY_ADD", ("DECIMAL(10,2)", "DECIMAL(12,4)"), "DECIMAL(13,4)"),
        ("TRY_ADD", ("TIMESTAMP", "INTERVAL DAY TO SECOND"), "TIMESTAMP"),
        ("TRY_ADD", ("INTERVAL DAY TO SECOND", "INTERVAL DAY TO SECOND"), "INTERVAL"),
        ("TRY_ADD", ("DATE", "INTERVAL DAY TO SECOND"), "UNKNOWN"),
        ("TRY_ADD", ("DATE", "INT"), "DATE"),
        ("TRY_ADD", ("DATE", "DATE"), "UNKNOWN"),
        ("TRY_ADD", ("?", "INT"), "UNKNOWN"),
        ("TRY_SUBTRACT", ("DATE", "DATE"), "INTERVAL"),
        ("TRY_MULTIPLY", ("DECIMAL(38,10)", "DECIMAL(38,10)"), "DECIMAL(38,6)"),
        ("TRY_DIVIDE", ("DECIMAL(10,2)", "DECIMAL(10,2)"), "DECIMAL(23,13)"),
        ("TRY_DIVIDE", ("INT", "INT"), "DOUBLE"),
        ("MOD", ("DECIMAL(10,2)", "DECIMAL(5,3)"), "DECIMAL(5,3)"),
        ("MOD", ("INT", "BIGINT"), "BIGINT"),
        # text
        ("CONCAT", ("STRING", "INT"), "STRING"),
        ("CONCAT", ("BINARY", "BINARY"), "BINARY"),
        ("CONCAT", ("ARRAY<INT>", "ARRAY<BIGINT>"), "ARRAY<BIGINT>"),
        ("CONCAT", ("?", "STRING"), "UNKNOWN"),
        ("SUBSTRING", ("BINARY", "INT"), "BINARY"),
        ("LPAD", ("BINARY", "INT", "STRING"), "STRING"),
        ("LPAD", ("BINARY", "INT"), "BINARY"),
        ("ELT", ("INT", "STRING", "STRING"), "STRING"),
        ("REVERSE", ("ARRAY<INT>",), "ARRAY<INT>"),
        ("REVERSE", ("INT",), "STRING"),
        ("DECODE", ("BINARY", "STRING"), "STRING"),
        ("DECODE", ("INT", "INT", "STRING", "STRING"), "STRING"),
        ("DECODE", ("INT", "INT", "INT", "INT", "BIGINT"), "BIGINT"),
        # arrays and maps
        ("ARRAY", ("INT", "DOUBLE"), "ARRAY<DOUBLE>"),
        ("ARRAY_APPEND", ("ARRAY<INT>", "BIGINT"), "ARRAY<BIGINT>"),
        ("ARRAY_APPEND", ("ARRAY<INT>", "VOID"), "ARRAY<INT>"),
        ("ARRAY_APPEND", ("ARRAY<INT>", "FLOAT"), "ARRAY<UNKNOWN>"),
        ("ARRAY_MAX", ("ARRAY<INT>",), "INT"),
        ("ARRAY_MAX", ("?",), "UNKNOWN"),
        ("ELEMENT_AT", ("MAP<STRING, INT>", "STRING"), "INT"),
        ("ELEMENT_AT", ("ARRAY<STRING>", "INT"), "STRING"),
        ("SEQUENCE", ("INT", "INT", "BIGINT"), "ARRAY<BIGINT>"),
        ("SEQUENCE", ("DATE", "DATE", "INTERVAL DAY TO SECOND"), "ARRAY<DATE>"),
        ("MAP", ("STRING", "INT", "STRING", "DOUBLE"), "MAP<STRING, DOUBLE>"),
        ("MAP_KEYS", ("MAP<STRING, INT>",), "ARRAY<STRING>"),
        ("MAP_VALUES", ("MAP<STRING, INT>",), "ARRAY<INT>"),
        ("MAP_ENTRIES", ("MAP<STRING, INT>",), "ARRAY<STRUCT<key: STRING, value: INT>>"),
        ("MAP_FROM_ARRAYS", ("ARRAY<STRING>", "ARRAY<INT>"), "MAP<STRING, INT>"),
        ("MAP_FROM_ENTRIES", ("ARRAY<STRUCT<a: STRING, b: INT>>",), "MAP<STRING, INT>"),
        ("MAP_FROM_ENTRIES", ("ARRAY<INT>",), "UNKNOWN"),
        ("TRANSFORM", ("ARRAY<INT>", "STRING"), "ARRAY<STRING>"),
        ("TRANSFORM_KEYS", ("MAP<STRING, INT>", "INT"), "MAP<INT, INT>"),
        ("TRANSFORM_VALUES", ("MAP<STRING, INT>", "DOUBLE"), "MAP<STRING, DOUBLE>"),
        ("MAP_ZIP_WITH", ("MAP<STRING, INT>", "MAP<STRING, INT>", "DOUBLE"), "MAP<STRING, DOUBLE>"),
        ("AGGREGATE", ("ARRAY<INT>", "BIGINT", "?"), "BIGINT"),
        ("AGGREGATE", ("ARRAY<INT>", "BIGINT", "?", "STRING"), "STRING"),
        # times
        ("DATE_ADD", ("DATE", "INT"), "DATE"),
        ("DATE_ADD", ("?", "INT", "TIMESTAMP_NTZ"), "TIMESTAMP_NTZ"),
        ("TIMESTAMPADD", ("?", "INT", "DATE"), "TIMESTAMP"),
        ("DATEDIFF", ("DATE", "DATE"), "INT"),
        ("DATEDIFF", ("?", "DATE", "DATE"), "BIGINT"),
        ("KLL_SKETCH_GET_RANK_DOUBLE", ("BINARY", "ARRAY<DOUBLE>"), "ARRAY<DOUBLE>"),
        ("NAMED_STRUCT", ("STRING", "INT"), "UNKNOWN"),
        ("FROM_JSON", ("STRING", "STRING"), "UNKNOWN"),
        ("DATE_PART", ("STRING", "DATE"), "UNKNOWN"),
    ],
)
def test_the_result_depends_on_the_types_of_the_arguments(name: str, types: tuple[str, ...], expected: str) -> None:
    assert result(name, *types) == expected


@pytest.mark.parametrize(
    ("name", "types", "literals", "expected"),
    [
        ("ROUND", ("DECIMAL(10,4)", "INT"), (None, 2), "DECIMAL(9,2)"),
        ("ROUND", ("DECIMAL(10,2)", "INT"), (None, -3), "DECIMAL(9,0)"),
        ("CEIL", ("DOUBLE", "INT"), (None, 1), "DECIMAL(17,1)"),
        ("FLOOR", ("INT", "INT"), (None, 0), "DECIMAL(11,0)"),
        ("TRY_ADD", ("DECIMAL(10,2)", "INT"), (None, 1), "DECIMAL(11,2)"),
        ("FROM_JSON", ("STRING", "STRING"), (None, "a INT, b ARRAY<STRING>"), "STRUCT<a: INT, b: ARRAY<STRING>>"),
        ("FROM_JSON", ("STRING", "STRING"), (None, "MAP<STRING, INT>"), "MAP<STRING, INT>"),
        ("FROM_JSON", ("STRING", "STRING"), (None, "no schema at all"), "UNKNOWN"),
        ("VARIANT_GET", ("VARIANT", "STRING"), (None, "$.a"), "VARIANT"),
        ("VARIANT_GET", ("VARIANT", "STRING", "STRING"), (None, "$.a", "int"), "INT"),
        ("NAMED_STRUCT", ("STRING", "INT"), ("a", None), "STRUCT<a: INT>"),
        ("DATE_PART", ("STRING", "DATE"), ("YEAR", None), "INT"),
        ("DATE_PART", ("STRING", "TIMESTAMP"), ("SECOND", None), "DECIMAL(8,6)"),
    ],
)
def test_the_result_depends_on_literals(
    name: str, types: tuple[str, ...], literals: tuple[object, ...], expected: str
) -> None:
    assert result(name, *types, literals=literals) == expected
