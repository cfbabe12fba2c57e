"""What must hold for every function, whatever it does."""

import subprocess
import sys
from collections import Counter

import pytest
from tests.functions.calls import call_in, lowered

from velostream.functions import LIBRARY
from velostream.functions.base import Function, FunctionKind
from velostream.functions.check import admits
from velostream.sql.parse import parse_expression
from velostream.sql.printing.text import spark_sql
from velostream.windows.accumulators import ACCUMULATORS

OF_THE_DIALECT = (
    "COUNT SUM AVG MIN MAX COUNT_DISTINCT APPROX_COUNT_DISTINCT FIRST LAST FIRST_VALUE LAST_VALUE STRING_AGG "
    "GROUP_CONCAT LISTAGG COLLECT ARRAY_AGG COLLECT_LIST COLLECT_SET MEDIAN PERCENTILE_CONT PERCENTILE_DISC "
    "APPROX_PERCENTILE STDDEV STDDEV_SAMP STDDEV_POP VARIANCE VAR_SAMP VAR_POP CORR COVAR_SAMP COVAR_POP "
    "REGR_SLOPE REGR_INTERCEPT REGR_R2 REGR_COUNT DELTA TOPK EARLIEST LATEST BOOL_AND BOOL_OR ANY_VALUE MIN_BY "
    "MAX_BY MODE KURTOSIS SKEWNESS BIT_AND BIT_OR BIT_XOR COUNT_IF HISTOGRAM_NUMERIC LAG LEAD ROW_NUMBER RANK "
    "DENSE_RANK PERCENT_RANK CUME_DIST NTILE NTH_VALUE EXPLODE UNNEST POSEXPLODE INLINE STACK HEADER HAS_HEADER "
    "HEADER_KEYS SET_HEADER REMOVE_HEADER PROCTIME TUMBLE_START TUMBLE_END HOP_START HOP_END SESSION_START "
    "SESSION_END CUMULATE_START CUMULATE_END MILLIS NOW SPLIT_PART POSITION REGEXP_REPLACE JSON_VALUE JSON_QUERY "
    "JSON_EXISTS JSON_EXTRACT DATE_TRUNC DATEDIFF EXTRACT FROM_UNIXTIME UNIX_TIMESTAMP NULLIF COALESCE GREATEST "
    "LEAST IF LEN UCASE LCASE IFNULL EXTRACTJSONFIELD ARRAY_LENGTH LATEST_BY_OFFSET EARLIEST_BY_OFFSET "
    "TIMESTAMPTOSTRING STRINGTOTIMESTAMP TO_TIMESTAMP_LTZ CHAR_LENGTH TRUNCATE SPLIT_INDEX TRANSFORM FILTER "
    "AGGREGATE ZIP_WITH RAND UUID CAST TRY_CAST TIMESTAMPADD TIMESTAMPDIFF "
)


@pytest.mark.parametrize("name", OF_THE_DIALECT.split())
def test_the_names_that_users_of_other_systems_type_are_known(name: str) -> None:
    assert LIBRARY.find(name) is not None


def test_a_function_says_what_it_does_in_a_sentence_without_a_full_stop() -> None:
    assert [one.name for one in LIBRARY.functions if one.name != one.name.upper()] == []
    assert [one.name for one in LIBRARY.functions if len(one.doc) <= 5 or one.doc.endswith(".")] == []


def test_an_example_calls_its_function_with_arguments_that_are_allowed() -> None:
    worded = ("EXTRACT", "CAST", "TRY_CAST")
    assert [one.name for one in LIBRARY.functions if not example_is_allowed(one) and one.name not in worded] == []


def example_is_allowed(function: Function) -> bool:
    arguments = call_in(function).arguments
    return any(admits(parameters, len(arguments)) for parameters in function.parameter_lists)


def test_every_number_of_arguments_can_be_lowered() -> None:
    for function in LIBRARY.functions:
        for count in range(function.least, (function.most or 4) + 1) if function.lowers else ():
            if any(admits(parameters, count) for parameters in function.parameter_lists):
                assert function.lower([f"a{index}" for index in range(count)]), f"{function.name} of {count}"


def test_examples_and_what_they_become_are_of_the_dialect() -> None:
    for function in LIBRARY.functions:
        for text in (function.example, lowered(function)):
            assert spark_sql(parse_expression(text)), text


AGGREGATES = [function for function in LIBRARY.functions if function.kind is FunctionKind.AGGREGATE]


@pytest.mark.parametrize("function", AGGREGATES, ids=lambda function: function.name)
def test_an_aggregate_has_an_accumulator_or_a_reason_why_not(function: Function) -> None:
    assert bool(function.accumulator) != bool(function.refused)
    assert not function.accumulator or function.accumulator in ACCUMULATORS


def test_every_accumulator_has_a_function() -> None:
    assert {function.accumulator for function in AGGREGATES} - {""} == set(ACCUMULATORS) - {"python"}


def test_what_cannot_be_combined_in_any_order_says_so() -> None:
    apart = {function.accumulator for function in AGGREGATES if not function.merges}
    assert apart >= {"array_agg", "string_agg", "approx_percentile"}
    assert not apart & {"sum", "count", "min", "max", "avg", "first", "last"}


def test_only_what_is_random_is_not_deterministic() -> None:
    random = {function.name for function in LIBRARY.functions if not function.deterministic}
    assert {"RAND", "UUID", "SHUFFLE"} <= random
    assert not random & {"SUM", "NOW", "UPPER"}


def test_one_family_is_one_kind_but_for_json() -> None:
    kinds = Counter(family for family, _ in {(function.family, function.kind) for function in LIBRARY.functions})
    assert [family for family, count in kinds.items() if count > 1] == ["json"]


def test_the_functions_load_without_anything_heavy() -> None:
    heavy = ["pyspark", "polars", "pyarrow", "sqlglot", "yaml", "rich", "numpy", "pandas"]
    program = f"import sys, velostream.functions; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
