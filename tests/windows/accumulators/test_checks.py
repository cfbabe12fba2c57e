"""Calls that cannot be answered are refused, each with what would work."""

from typing import Any

import pytest

from velostream import types
from velostream.errors import InvalidPlan
from velostream.windows.accumulators import accumulator, casts
from velostream.windows.accumulators.base import Call, Sort

UP = Sort("other", types.INT)


def on(name: str, *kinds: types.Type, **options: Any) -> Call:
    columns = tuple(f"c{n}" for n in range(len(kinds)))
    return Call("r", name, columns, kinds, **options)


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (on("summ", types.INT), "no accumulator 'summ'", "'sum'"),
        (on("sum"), "SUM cannot take 0 columns", "1"),
        (on("corr", types.INT), "CORR cannot take 1 columns", "2"),
        (Call("r", "sum", ("x",)), "1 columns of 0 types", "1"),
        (on("topk", types.INT), "TOPK cannot take 0 constants", "1 to 1"),
        (on("topk", types.INT, parameters=(0,)), "TOPK cannot give 0 values", "from 1"),
        (on("topk", types.INT, parameters=(True,)), "TOPK cannot give True values", "from 1"),
        (on("percentile_cont", types.INT, parameters=(1.5,)), "cannot be asked for 1.5", "0.95"),
        (on("percentile_disc", types.INT, parameters=([0.5, "x"],)), "cannot be asked for 'x'", "0.95"),
        (on("approx_percentile", types.INT, parameters=(0.5, 0)), "accuracy of 0", "from 1"),
        (on("approx_count_distinct", types.INT, parameters=(0.0,)), "error of 0.0", "0.001"),
        (on("approx_count_distinct", types.INT, parameters=(0.00001,)), "error of 1e-05", "0.001"),
        (on("string_agg", types.STRING, parameters=(1,)), "1 cannot separate values of type STRING", "same type"),
        (on("string_agg", types.BINARY, parameters=("a",)), "'a' cannot separate values of type BINARY", "same type"),
        (on("sum", types.INT, order=(UP,)), "SUM does not take ORDER BY", "does not matter"),
        (on("sum", types.INT, ignore_nulls=True), "SUM does not take IGNORE NULLS", "NULLs"),
        (on("mode", types.INT, order=(UP,)), "MODE cannot be sorted by another column", "ORDER BY c0"),
        (on("python", parameters=(list, types.INT), distinct=True), "PYTHON does not take DISTINCT", "repeated"),
        (on("python", parameters=("x", types.INT)), "not a class and its result type", "decorated"),
        (on("sum", types.STRING), "SUM does not take STRING", "DOUBLE"),
        (on("sum", types.BOOLEAN), "BOOLEAN cannot be aggregated here", "a number"),
        (on("var_pop", types.INTERVAL), "INTERVAL cannot be aggregated here", "a number"),
        (on("bit_and", types.DOUBLE), "DOUBLE cannot be aggregated here", "a whole number"),
        (on("bool_or", types.INT), "INT cannot be aggregated here", "a condition"),
        (on("max", types.map_of(types.INT, types.INT)), "cannot be aggregated here", "compared"),
        (on("collect_set", types.array(types.VARIANT)), "cannot be aggregated here", "compared"),
    ],
)
def test_what_cannot_be_answered_is_refused(call: Call, message: str, hint: str) -> None:
    with pytest.raises(InvalidPlan, match=message) as refusal:
        accumulator(call)
    assert hint in refusal.value.hint


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("sum", types.STRING, types.DOUBLE),
        ("avg", types.TIMESTAMP, types.DOUBLE),
        ("median", types.NULL, types.DOUBLE),
        ("sum", types.decimal(10, 2), types.decimal(10, 2)),
        ("string_agg", types.INT, types.STRING),
        ("string_agg", types.BINARY, types.BINARY),
        ("min", types.NULL, types.STRING),
        ("first", types.map_of(types.INT, types.INT), types.map_of(types.INT, types.INT)),
        ("approx_percentile", types.DATE, types.DATE),
        ("approx_percentile", types.STRING, types.DOUBLE),
        ("python", types.NULL, types.STRING),
    ],
)
def test_it_says_what_to_cast_arguments_to(name: str, given: types.Type, wanted: types.Type) -> None:
    assert casts(name, (given,)) == (wanted,)


def test_functions_name_accumulators_that_exist_and_agree_on_types() -> None:
    from tests.windows.accumulators.catalogue import QUERIES

    from velostream.functions import FUNCTIONS

    named = {function.accumulator: function for function in FUNCTIONS.values() if function.accumulator}
    constants = {float: types.DOUBLE, int: types.INT, str: types.STRING, list: types.array(types.DOUBLE)}
    for case in (case for cases in QUERIES.values() for case in cases if case.call.name in named):
        given = (*case.call.types, *(constants[type(one)] for one in case.call.parameters))
        assert named[case.call.name].result_type(given) == accumulator(case.call).type, case.sql
