"""Random rows in random batches, merged in random order: the result is always that of plain Python over all rows."""

import io
import math
import random
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.windows.accumulators.reference import DoesNotExist, answer

from velostream import types
from velostream.types import Type
from velostream.windows.accumulators import ACCUMULATORS
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call, Sort, position_types
from velostream.windows.accumulators.dtypes import dtype

Row = dict[str, Any]
NAN, INFINITE = math.nan, math.inf
COLUMNS: dict[str, Type] = {
    "flag": types.BOOLEAN,
    "i": types.BIGINT,
    "k": types.TINYINT,
    "x": types.DOUBLE,
    "y": types.DOUBLE,
    "d": types.decimal(10, 2),
    "e": types.decimal(38, 3),
    "s": types.STRING,
}
EIGHTHS = st.integers(-80_000, 80_000).map(lambda n: n / 8)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "flag": st.booleans(),
    "i": st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63), 2**62]) | st.integers(-5, 5),
    "k": st.sampled_from([127, -128]) | st.integers(-3, 3),
    "x": st.sampled_from([NAN, 0.0, -0.0, INFINITE, -INFINITE, 0.1])
    | st.integers(-80_000, 80_000).map(lambda n: n / 8),
    "y": st.integers(-80_000, 80_000).map(lambda n: n / 8) | st.just(0.1),
    "d": st.integers(-(10**10) + 1, 10**10 - 1).map(lambda n: Decimal(n).scaleb(-2)),
    "e": (st.sampled_from([10**38 - 1, 1 - 10**38, 5 * 10**37, 1]) | st.integers(-9, 9)).map(
        lambda n: Decimal(f"{n}e-3")
    ),
    "s": st.sampled_from(["", "a", "é", "𝄞", "\uffff", "日本"]) | st.text(max_size=3),
}


def call(name: str, *arguments: str, **options: Any) -> Call:
    kinds = tuple(COLUMNS[one] for one in arguments)
    shown = f"{name}{arguments} {options.items()}"
    return Call(shown, name, arguments, kinds, **options)


def down(column: str) -> tuple[Sort, ...]:
    return (Sort(column, COLUMNS[column], descending=True),)


REGRESSIONS = [f"regr_{part}" for part in ["count", "avgx", "avgy", "sxx", "syy", "sxy", "slope", "intercept", "r2"]]
FAMILIES: dict[str, list[Call]] = {
    "counts": [
        call("count"),
        call("count", where="keep"),
        call("count", "x", "s"),
        call("count", "x", distinct=True),
        call("count_distinct", "s", "flag"),
        call("count_if", "flag"),
        call("count_if", "flag", distinct=True),
        call("approx_count_distinct", "x"),
        call("approx_count_distinct", "e"),
        call("approx_count_distinct", "s"),
    ],
    "sums": [call(name, c) for name in ("sum", "avg") for c in ("i", "x", "d", "e")],
    "sums of long decimals": [call("sum", "e"), call("avg", "e")],
    "sums of integers": [call("sum", "i", where="keep"), call("avg", "i", where="keep")],
    "distinct sums": [call(name, c, distinct=True, where="keep") for name in ("sum", "avg") for c in ("x", "d")],
    "extremes": [
        *(call(name, c) for name in ("min", "max") for c in COLUMNS),
        call("bool_and", "flag"),
        call("bool_or", "flag", where="keep"),
    ],
    "bits": [call(f"bit_{name}", "i", distinct=d) for name in ("and", "or", "xor") for d in (False, True)],
    "picks": [
        *(call(name, c) for name in ("first", "last", "any_value", "earliest", "latest") for c in ("x", "s")),
        call("first", "x", ignore_nulls=True, where="keep"),
        call("min_by", "s", "x"),
        call("max_by", "s", "x"),
        call("min_by", "x", "s", where="keep"),
    ],
    "changes": [call("delta", c) for c in ("k", "y", "d")],
    "changes of long decimals": [call("delta", "e")],
    "lists": [
        *(call("array_agg", c) for c in ("x", "s", "flag")),
        call("array_agg", "x", distinct=True),
        call("string_agg", "s", parameters=(";",)),
        call("string_agg", "s", parameters=(";",), distinct=True, where="keep"),
        call("collect_set", "x"),
        call("collect_set", "s"),
        call("topk", "x", parameters=(3,)),
        call("topk", "s", parameters=(2,), distinct=True),
        call("mode", "x"),
        call("mode", "s", order=down("s")),
    ],
    "percentiles": [
        *(call("median", c) for c in ("x", "i", "d")),
        *(
            call(f"percentile_{k}", c, parameters=(p,))
            for k in ("cont", "disc")
            for c in ("y", "e")
            for p in (0.0, 0.3, 1.0)
        ),
        call("percentile_cont", "x", parameters=([0.1, 0.9],), order=down("x")),
        call("percentile_disc", "x", parameters=(0.3,), order=down("x"), where="keep"),
        call("median", "y", distinct=True),
        call("approx_percentile", "y", parameters=(0.9,)),
        call("approx_percentile", "x", parameters=([0.2, 0.5],)),
    ],
    "moments": [
        *(call(name, c) for name in ("var_pop", "var_samp", "stddev_pop", "stddev_samp") for c in ("x", "y", "d")),
        *(call(name, "y") for name in ("skewness", "kurtosis")),
        call("var_samp", "y", distinct=True),
    ],
    "pairs": [
        *(call(name, "y", "x", ansi=False) for name in ("corr", "covar_pop", "covar_samp")),
        *(call(name, "x", "y") for name in REGRESSIONS),
        call("regr_slope", "y", "k", where="keep"),
    ],
    "correlations": [call("corr", "y", "k")],
}
EXACT = {"count", "min", "max", "first", "last", "array_agg", "collect_set", "topk", "mode"}


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Rows of three groups; the last draws decide which batch each is in."""
    size = draw(st.integers(1, 14))
    found = []
    for offset in range(size):
        values = {name: draw(st.none() | values) for name, values in VALUES.items()}
        where = {"_event_time": draw(st.integers(-2, 2)), "_source": draw(st.sampled_from("ab")), "_partition": 0}
        keep = draw(st.sampled_from([True, False, None]))
        found.append({"g": draw(st.sampled_from([None, 1])), **values, "keep": keep, **where, "_offset": offset})
    return found


def frame(of: list[Row]) -> pl.DataFrame:
    kinds = {name: dtype(kind) for name, kind in COLUMNS.items()}
    schema = {"g": pl.Int64(), **kinds, "keep": pl.Boolean(), **position_types()}
    return pl.DataFrame({name: [row[name] for row in of] for name in schema}, schema=schema)


def stored(state: pl.DataFrame) -> pl.DataFrame:
    """The state as it comes back from the store."""
    buffer = io.BytesIO()
    state.write_ipc_stream(buffer)
    buffer.seek(0)
    return pl.read_ipc_stream(buffer)


def equal(mine: Any, theirs: Any, scale: float) -> bool:
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(equal(a, b, scale) for a, b in zip(mine, theirs, strict=True))
    if isinstance(mine, float) and isinstance(theirs, float | int):
        if math.isnan(mine) or math.isnan(theirs):
            return math.isnan(mine) and math.isnan(theirs)
        return math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=scale)
    return type(mine) is type(theirs) and bool(mine == theirs)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=25)
@given(data=rows(), seed=st.integers(0, 2**32))
def test_the_result_does_not_depend_on_batches_or_their_order(family: str, data: list[Row], seed: int) -> None:
    chance = random.Random(seed)
    aggregation = Aggregation(tuple(FAMILIES[family]))
    batches: list[list[Row]] = [[] for _ in range(chance.randint(1, 4))]
    for row in chance.sample(data, len(data)):
        chance.choice(batches).append(row)
    states = [stored(aggregation.fold(frame(batch), ["g"])) for batch in batches]
    while len(states) > 1:
        chance.shuffle(states)
        taken = chance.randint(2, len(states))
        states = [stored(aggregation.merge(pl.concat(states[:taken]), ["g"])), *states[taken:]]
    found = {row["g"]: row for row in aggregation.finish(states[0]).to_dicts()}
    assert found.keys() == {row["g"] for row in data}
    for group, result in found.items():
        compare(aggregation, [row for row in data if row["g"] == group], result)


def compare(aggregation: Aggregation, rows: list[Row], result: dict[str, Any]) -> None:
    expected, failing = {}, []
    for one in aggregation.calls:
        try:
            expected[one.result] = answer(one, rows)
        except DoesNotExist:
            failing.append(one)
    if failing:
        assert result["_error"].startswith(failing[0].name.upper())
        assert all(result[one.result] is None for one in aggregation.calls)
        return
    assert result["_error"] is None
    for one in aggregation.calls:
        scale = 1e-300 if one.name in EXACT else 1e-6 if one.name.startswith("regr") else 1e-9
        assert equal(result[one.result], expected[one.result], scale), one


def test_every_accumulator_but_those_of_python_and_the_quiet_ones_is_tried() -> None:
    tried = {one.name for calls in FAMILIES.values() for one in calls}
    assert set(ACCUMULATORS) - tried == {"python", "try_sum", "try_avg"}
