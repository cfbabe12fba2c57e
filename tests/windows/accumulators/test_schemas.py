"""Every accumulator keeps and gives the types it says, with no rows, with rows of NULLs, and after a merge."""

from typing import Any

import polars as pl
import pytest

from velostream import types
from velostream.windows.accumulators import ACCUMULATORS
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call, position_types
from velostream.windows.accumulators.dtypes import dtype

COLUMNS = {"x": pl.Int64(), "t": pl.String(), "b": pl.Boolean()}
KINDS = {"string_agg": "t", "bool_and": "b", "bool_or": "b", "count_if": "b"}
NEVER_NULL = {"count": 0, "count_distinct": 0, "count_if": 0, "approx_count_distinct": 0, "regr_count": 0}
EMPTY: dict[str, Any] = {**NEVER_NULL, "array_agg": [], "collect_set": [], "topk": [], "python": 7}


class Seven:
    """Answers without rows, too."""

    def add(self, value: int) -> None: ...

    def merge(self, other: "Seven") -> None: ...

    def finish(self) -> int:
        return 7


PARAMETERS: dict[str, tuple[Any, ...]] = {
    "percentile_cont": (0.5,),
    "percentile_disc": ([0.5],),
    "approx_percentile": (0.5,),
    "topk": (2,),
    "string_agg": (",",),
    "python": (Seven, types.BIGINT),
}


def aggregation(name: str) -> Aggregation:
    column = KINDS.get(name, "x")
    kind = {"x": types.BIGINT, "t": types.STRING, "b": types.BOOLEAN}[column]
    arity = ACCUMULATORS[name].arity
    return Aggregation((Call("r", name, (column,) * arity, (kind,) * arity, parameters=PARAMETERS.get(name, ())),))


def frame(rows: int) -> pl.DataFrame:
    position = {"_event_time": [0] * rows, "_source": ["a"] * rows, "_partition": [0] * rows, "_offset": range(rows)}
    nothing = {name: [None] * rows for name in COLUMNS}
    return pl.DataFrame(
        {"g": [1] * rows, **nothing, **position}, schema={"g": pl.Int64(), **COLUMNS, **position_types()}
    )


@pytest.mark.parametrize("name", ACCUMULATORS)
@pytest.mark.parametrize("rows", [0, 2])
def test_types_are_fixed_and_a_group_of_nulls_has_an_answer(name: str, rows: int) -> None:
    one = aggregation(name)
    state = one.fold(frame(rows), ["g"])
    assert dict(state.schema) == {"g": pl.Int64(), **one.state}
    merged = one.merge(pl.concat([state, state]), ["g"])
    assert merged.schema == state.schema
    table = one.finish(merged)
    assert dict(table.schema) == {"g": pl.Int64(), "r": dtype(one.results["r"]), "_error": pl.String()}
    assert table["r"].to_list() == ([EMPTY.get(name)] if rows else [])


def test_a_column_may_be_grouped_by_and_aggregated() -> None:
    calls = [Call(name, name, ("x",), (types.BIGINT,)) for name in ("sum", "median", "max", "first", "var_pop")]
    both = Aggregation(tuple(calls))
    rows = frame(3).with_columns(x=pl.Series([1, 1, 2]))
    table = both.finish(both.merge(both.fold(rows, ["x"]), ["x"])).sort("x")
    assert table.select("x", "sum", "median", "max", "first", "var_pop").rows() == [
        (1, 2, 1.0, 1, 1, 0.0),
        (2, 2, 2.0, 2, 2, 0.0),
    ]


def test_maps_can_be_picked_and_listed() -> None:
    kind = types.map_of(types.STRING, types.BIGINT)
    calls = [Call(name, name, ("m",), (kind,)) for name in ("first", "last", "array_agg", "count")]
    both = Aggregation(tuple(calls))
    maps = pl.Series([[{"key": "a", "value": 1}], None, [{"key": "b", "value": 2}]]).list.to_map()
    rows = frame(3).with_columns(maps.alias("m"))
    (row,) = both.finish(
        both.merge(pl.concat([both.fold(rows[:1], ["g"]), both.fold(rows[1:], ["g"])]), ["g"])
    ).to_dicts()
    assert (row["first"], row["last"], row["array_agg"], row["count"]) == ({"a": 1}, {"b": 2}, [{"a": 1}, {"b": 2}], 2)
