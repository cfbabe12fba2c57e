"""Every example runs on Spark, gives what it says, and has the type that is declared for it."""

import re
from typing import Any

import pytest
from tests.functions.calls import call_in, lowered

from velostream.functions import LIBRARY
from velostream.functions.base import Function, FunctionKind
from velostream.functions.sample import sample
from velostream.sql.parse import parse_expression
from velostream.sql.printing.text import spark_sql
from velostream.types import UNKNOWN, Type, parse

pytestmark = pytest.mark.slow

OPERATORS = {"and", "between", "case", "div", "in", "not", "or", "when"}
SYSTEM_COLUMNS = ", ".join(
    [
        "array(named_struct('key', 'trace-id', 'value', CAST('t1' AS BINARY))) AS _headers",
        *(f"trade_time AS {name}" for name in ("_processing_time", "_watermark", "_window_start", "_window_end")),
    ]
)
NO_SUCH_COLUMN = re.compile(r"\((sketch|payload|revenue|window)\b")
"""Examples on columns that the sample does not have: of functions that a stream refuses anyway."""

NESTED = re.compile(r"_AGG|_ACCUMULATE")
"""Aggregates that stand inside a call: they need a query of their own."""

BY_SPARK = [
    function
    for function in LIBRARY.functions
    if not NO_SUCH_COLUMN.search(function.example) and (not function.refused or function.result is not None)
]


@pytest.fixture(scope="module")
def spark(one_spark: Any) -> Any:
    session = one_spark.newSession()
    settings = {
        "spark.sql.timeType.enabled": "true",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.codegen.wholeStage": "false",
    }
    for key, value in settings.items():
        session.conf.set(key, value)
    session.sql(f"SELECT *, {SYSTEM_COLUMNS} FROM ({sample()})").createOrReplaceTempView("sample")
    return session


def of(*kinds: FunctionKind) -> list[Function]:
    return [function for function in BY_SPARK if function.kind in kinds]


def aggregates(function: Function) -> bool:
    return function.kind is FunctionKind.AGGREGATE or function.family == "sketch"


def printed(function: Function) -> str:
    """The example on its way to Spark: lowered, read and printed by the dialect."""
    return spark_sql(parse_expression(lowered(function)))


def item(function: Function) -> str:
    return f"{printed(function)} AS `{function.name}`"


def run(spark: Any, functions: list[Function], source: str) -> dict[str, list[str]]:
    """The examples of many functions in one query: their results as text, row by row."""
    frame = spark.sql(f"SELECT {', '.join(map(item, functions))} {source}")
    texts = frame.selectExpr(*(f"coalesce(CAST(`{name}` AS STRING), 'NULL') AS `{name}`" for name in frame.columns))
    rows = texts.collect()
    return {name: [row[name] for row in rows] for name in texts.columns}


def differences(functions: list[Function], found: dict[str, list[str]]) -> list[str]:
    return [
        f"{function.example} gives {', '.join(found[function.name])}, not {function.result}"
        for function in functions
        if function.result is not None and function.result != ", ".join(found[function.name])
    ]


def test_every_function_of_spark_is_known(spark: Any) -> None:
    names = [row[0] for row in spark.sql("SHOW FUNCTIONS").collect()]
    words = [name for name in names if re.fullmatch(r"\w+", name) and name not in OPERATORS]
    assert len(words) > 500
    assert [name for name in words if LIBRARY.find(name) is None] == []


def test_examples_of_scalar_functions_give_what_they_say(spark: Any) -> None:
    functions = [function for function in of(FunctionKind.SCALAR) if not aggregates(function)]
    assert len(functions) > 350
    assert differences(functions, run(spark, functions, "FROM sample LIMIT 1")) == []


# name, arguments, what it gives
LOWERED = [
    ("CONVERT_TZ", ["'2024-01-01 12:00:00'", "'UTC'", "'Europe/Berlin'"], "2024-01-01 13:00:00"),
    ("FIELD", ["'x'", "'a'", "'b'"], "0"),
    ("FIELD", ["NULL", "'a'"], "0"),
    ("HAS_HEADER", ["'none'"], "false"),
    ("HEADER", ["'none'"], "NULL"),
    ("IS_JSON_STRING", ["'{'"], "false"),
    ("IS_JSON_STRING", ["NULL"], "false"),
    ("JSON_EXISTS", ["""'{"a": 1}'""", "'$.b'"], "false"),
    ("JSON_EXISTS", ["'{'", "'$.b'"], "false"),
    ("JSON_QUERY", ["""'{"a": [1, 2]}'""", "'$.a'"], "[1,2]"),
    ("JSON_QUERY", ["""'{"a": 1}'""", "'$.a'"], "NULL"),
    ("JSON_VALUE", ["""'{"a": {"b": 1}}'""", "'$.a'"], "NULL"),
    ("JSON_VALUE", ["""'{"a": "OBJECT<"}'""", "'$.a'"], "OBJECT<"),
    ("JSON_VALUE", ["""'{"a": null}'""", "'$.a'"], "NULL"),
    ("JSON_VALUE", ["'no json'", "'$.a'"], "NULL"),
    ("MAP_UNION", ["MAP('a', 1, 'b', 2)", "MAP('b', 3)"], "{a -> 1, b -> 3}"),
    ("MILLIS", ["DATE '1970-01-02'"], "86400000"),
    ("SPLIT_INDEX", ["'a.b'", "'.'", "2"], "NULL"),
    ("SPLIT_TO_MAP", ["'a*1+b*2'", "'+'", "'*'"], "{a -> 1, b -> 2}"),
    ("STRINGTOTIMESTAMP", ["'1970-01-01 01:00'", "'yyyy-MM-dd HH:mm'", "'Europe/Berlin'"], "0"),
    ("TIMESTAMPTOSTRING", ["60000", "'HH:mm'"], "00:01"),
    ("TO_TIMESTAMP_LTZ", ["'2024-05-01'"], "2024-05-01 00:00:00"),
    ("TO_TIMESTAMP_LTZ", ["'01.05.2024'", "'dd.MM.yyyy'"], "2024-05-01 00:00:00"),
    ("TO_TIMESTAMP_LTZ", ["60", "0"], "1970-01-01 00:01:00"),
    ("TRUNCATE", ["2.99"], "2"),
    ("TRUNCATE", ["-2.99D"], "-2"),
    ("TRUNCATE", ["2.99D", "1"], "2.9"),
    ("UNIX_DATE", ["TIMESTAMP '1970-01-02 12:00:00'"], "1"),
]
LOWERED_AGGREGATES = [
    ("COUNT_DISTINCT", ["symbol", "is_buy"], "3"),
    ("DELTA", ["quantity"], "-1"),
    ("FIRST", ["quantity", "true"], "3"),
    ("LAST", ["quantity", "false"], "NULL"),
    ("LAST", ["quantity", "true"], "2"),
    ("LATEST", ["quantity"], "2"),
    ("ARRAY_AGG", ["quantity"], "[3, 1, 2]"),
    ("STRING_AGG", ["symbol"], "AAPLAAPLMSFTAAPL"),
    ("PERCENTILE_CONT", ["price", "0.5"], "11.75"),
    ("PERCENTILE_CONT", ["price", "ARRAY(0.0, 1.0)"], "[10.5, 20.0]"),
    ("PERCENTILE_DISC", ["price", "0.5"], "11.0"),
    ("TOPK", ["quantity", "9"], "[3, 2, 1]"),
]


@pytest.mark.parametrize(("cases", "source"), [(LOWERED, "LIMIT 1"), (LOWERED_AGGREGATES, "")], ids=["rows", "groups"])
def test_what_spark_does_not_have_becomes_what_it_has(
    spark: Any, cases: list[tuple[str, list[str], str]], source: str
) -> None:
    texts = [LIBRARY.get(name).lower(arguments, "trade_time") for name, arguments, _ in cases]
    items = [f"CAST({spark_sql(parse_expression(text))} AS STRING)" for text in texts]
    row = spark.sql(f"SELECT {', '.join(items)} FROM sample {source}").first()
    found = [
        (name, arguments, "NULL" if value is None else value)
        for (name, arguments, _), value in zip(cases, row, strict=True)
    ]
    assert found == cases


def test_examples_of_aggregates_give_what_they_say(spark: Any) -> None:
    functions = [function for function in BY_SPARK if aggregates(function)]
    assert len(functions) > 100
    assert differences(functions, run(spark, functions, "FROM sample")) == []


def test_examples_of_window_functions_give_what_they_say(spark: Any) -> None:
    functions = of(FunctionKind.WINDOW)
    found = run(spark, functions, "FROM sample ORDER BY symbol, trade_time")
    by_time = run(spark, functions, "FROM sample ORDER BY trade_time")
    for function in functions:
        rows = found if "BY symbol" in function.example else by_time
        assert function.result == ", ".join(rows[function.name]), function.example


def test_examples_of_table_functions_give_what_they_say(spark: Any) -> None:
    for function in of(FunctionKind.TABLE):
        rows = spark.sql(f"SELECT * FROM {printed(function)}").collect()
        shown = "; ".join(", ".join("NULL" if value is None else str(value) for value in row) for row in rows)
        assert shown == function.result, function.example


def spark_type(kind: Any) -> Type:
    text = kind.simpleString()
    known = re.match(r"(time|geometry|geography)\(", text)
    return Type(known[1].upper()) if known else parse(text)


def literal(text: str) -> object:
    if re.fullmatch(r"'[^']*'", text):
        return text[1:-1]
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def test_results_have_the_types_that_are_declared(spark: Any) -> None:
    skipped = ("EXTRACT", "CAST", "TRY_CAST", "TIMESTAMPADD", "TIMESTAMPDIFF", "COUNT")
    whole = [
        function
        for function in of(FunctionKind.SCALAR, FunctionKind.AGGREGATE)
        if call_in(function).is_whole and "->" not in function.example and function.name not in skipped
    ]
    arguments = {function.name: call_in(function).arguments for function in whole}
    calls = {True: [f for f in whole if aggregates(f)], False: [f for f in whole if not aggregates(f)]}
    results: dict[str, Type] = {}
    for functions in calls.values():
        frame = spark.sql(f"SELECT {', '.join(map(item, functions))} FROM sample")
        results |= {field.name: spark_type(field.dataType) for field in frame.schema}
    plain = [(name, text) for name, texts in arguments.items() for text in texts if not NESTED.search(text)]
    frame = spark.sql(f"SELECT {', '.join(text for _, text in plain)} FROM sample")
    kinds = {text: spark_type(field.dataType) for (_, text), field in zip(plain, frame.schema, strict=True)}
    wrong = []
    for function in whole:
        texts = arguments[function.name]
        types = tuple(kinds.get(text, UNKNOWN) for text in texts)
        declared = function.result_type(types, tuple(literal(text) for text in texts))
        if declared != results[function.name] and declared != UNKNOWN:
            wrong.append(f"{function.example} is {results[function.name]}, declared {declared}")
    assert wrong == []
    assert len(whole) > 300
