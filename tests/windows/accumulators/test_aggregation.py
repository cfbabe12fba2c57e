"""All calls of a query as one: what is kept, what comes out, and what an empty or an older state means."""

from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream import types
from velostream.errors import InvalidPlan
from velostream.windows.accumulators import grouping
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import POSITION, Call


def rows(values: list[int | None], groups: list[str | None] | None = None) -> pl.DataFrame:
    return pl.DataFrame({"g": groups or ["a"] * len(values), "x": values}, schema={"g": pl.String, "x": pl.Int64})


def on_x(result: str, name: str, **options: object) -> Call:
    return Call(result, name, ("x",), (types.BIGINT,), **options)  # type: ignore[arg-type]


def test_calls_share_what_they_keep() -> None:
    several = Aggregation((on_x("a", "avg"), on_x("s", "sum"), on_x("n", "count"), on_x("again", "sum")))
    assert list(several.state) == ["sum(x)", "count(x)"]


def test_three_percentiles_of_a_column_keep_one_table_of_values() -> None:
    calls = [on_x(f"p{p}", "percentile_cont", parameters=(p,)) for p in (0.5, 0.95, 0.99)]
    assert list(Aggregation((*calls, on_x("n", "count_distinct"))).state) == ["values(x)"]


def test_a_condition_makes_it_another_state() -> None:
    assert list(Aggregation((on_x("a", "sum"), on_x("b", "sum", where="late"))).state) == [
        "sum(x)",
        "count(x)",
        "sum(x)|late",
        "count(x)|late",
    ]


def test_the_state_has_the_types_it_says() -> None:
    everything = Aggregation(
        (on_x("s", "sum"), on_x("m", "median"), on_x("v", "var_pop"), on_x("h", "approx_count_distinct"))
    )
    state = everything.fold(rows([1, 2]), ["g"])
    assert dict(state.schema) == {"g": pl.String(), **everything.state}
    assert dict(everything.merge(state, ["g"]).schema) == dict(state.schema)
    assert dict(everything.empty({"g": pl.String()}).schema) == dict(state.schema)


def test_no_rows_are_no_groups() -> None:
    aggregation = Aggregation((on_x("s", "sum"), on_x("m", "median")))
    assert aggregation.fold(rows([]), ["g"]).height == 0
    assert aggregation.finish(aggregation.merge(aggregation.empty({"g": pl.String()}), ["g"])).height == 0
    assert aggregation.fold(rows([]), []).height == 0


def test_without_grouping_all_rows_are_one_group() -> None:
    aggregation = Aggregation((on_x("s", "sum"), on_x("m", "median")))
    halves = [aggregation.fold(rows(part), []) for part in ([1, 2], [6])]
    table = aggregation.finish(aggregation.merge(pl.concat(halves), []))
    assert table.to_dicts() == [{"s": 9, "m": 2.0, "_error": None}]


def test_null_is_a_group_of_its_own() -> None:
    aggregation = Aggregation((on_x("s", "sum"), on_x("m", "median")))
    table = aggregation.finish(aggregation.fold(rows([1, 2, 4], [None, "a", None]), ["g"]))
    assert {row["g"]: (row["s"], row["m"]) for row in table.to_dicts()} == {None: (5, 2.5), "a": (2, 2.0)}


def test_groups_may_have_several_keys_of_any_type() -> None:
    aggregation = Aggregation((on_x("s", "sum"), on_x("d", "count_distinct")))
    data = rows([1, 2, 4]).with_columns(k=pl.Series([[1], [1], [2]]), f=pl.Series([float("nan"), float("nan"), -0.0]))
    table = aggregation.finish(aggregation.fold(data, ["g", "k", "f"]))
    assert sorted((row["k"], row["s"], row["d"]) for row in table.to_dicts()) == [([1], 3, 2), ([2], 4, 1)]


def test_columns_that_are_not_state_pass_through_finish() -> None:
    aggregation = Aggregation((on_x("s", "sum"),))
    state = aggregation.fold(rows([1]), ["g"]).with_columns(_revision=pl.lit(2))
    assert aggregation.finish(state).to_dicts() == [{"g": "a", "_revision": 2, "s": 1, "_error": None}]


def test_a_state_of_before_an_aggregate_was_added_is_empty_for_it() -> None:
    old, new = (
        Aggregation((on_x("s", "sum"),)),
        Aggregation(
            (
                on_x("s", "sum"),
                Call("n", "count"),
                on_x("m", "median"),
                on_x("f", "first"),
                on_x("v", "var_pop"),
                on_x("l", "array_agg"),
            )
        ),
    )
    before = old.fold(rows([1, 2]), ["g"])
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in new.state.items() if name not in old.state]
    widened = before.with_columns(missing).select("g", *new.state)
    assert new.finish(widened).to_dicts() == [
        {"g": "a", "s": 3, "n": 0, "m": None, "f": None, "v": None, "l": [], "_error": None}
    ]
    position = {"_event_time": 1, "_source": "a", "_partition": 0, "_offset": 0}
    kinds = {"_event_time": pl.Int64, "_source": pl.String, "_partition": pl.Int32, "_offset": pl.Int64}
    later = new.fold(
        rows([4]).with_columns(pl.lit(value, dtype=kinds[name]).alias(name) for name, value in position.items()), ["g"]
    )
    merged = new.finish(new.merge(pl.concat([widened, later]), ["g"]))
    assert merged.to_dicts() == [{"g": "a", "s": 7, "n": 1, "m": 4.0, "f": 4, "v": 0.0, "l": [4], "_error": None}]


def test_an_error_voids_its_group_and_no_other() -> None:
    aggregation = Aggregation((on_x("s", "sum"), Call("n", "count")))
    table = aggregation.finish(aggregation.fold(rows([2**63 - 1, 1, 5], ["a", "a", "b"]), ["g"]))
    assert {row["g"]: row for row in table.to_dicts()} == {
        "a": {"g": "a", "s": None, "n": None, "_error": "SUM(x) overflows BIGINT"},
        "b": {"g": "b", "s": 5, "n": 1, "_error": None},
    }


def test_it_says_which_columns_rows_must_have() -> None:
    calls = (
        on_x("s", "sum", where="late"),
        on_x("f", "first"),
        Call("c", "corr", ("a", "b"), (types.DOUBLE, types.INT)),
    )
    assert Aggregation(calls).arguments == ("x", "late", *POSITION, "a", "b")


def test_results_tell_the_type_that_spark_must_give_them() -> None:
    calls = (Call("s", "sum", ("d",), (types.decimal(10, 2),)), on_x("l", "array_agg"))
    assert {name: str(kind) for name, kind in Aggregation(calls).results.items()} == {
        "s": "DECIMAL(20,2)",
        "l": "ARRAY<BIGINT>",
    }


@pytest.mark.parametrize("names", [("a", "a"), ("_error",)])
def test_two_results_of_one_name_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(InvalidPlan, match="distinct names"):
        Aggregation(tuple(on_x(name, "sum") for name in names))


def test_an_aggregation_travels_to_a_worker() -> None:
    import pickle

    aggregation = Aggregation((on_x("s", "sum"), on_x("m", "median")))
    assert aggregation.state
    assert pickle.loads(pickle.dumps(aggregation)) == aggregation


LARGE = st.sampled_from([None, 0, 1, -1, 7, 2**31, 2**62, 2**63 - 1, -(2**63)])


@given(st.lists(st.tuples(LARGE, st.sampled_from([None, -(2**31), 5]), st.sampled_from([None, "a", "b"])), min_size=1))
def test_columns_of_numbers_and_codes_are_grouped_as_one_number_would_be(
    keys: list[tuple[int | None, int | None, str | None]],
) -> None:
    kinds = {"k": pl.Int64, "i": pl.Int32, "t": pl.Enum(["b", "a"])}
    frame = pl.DataFrame(keys, schema=kinds, orient="row").with_row_index("x").with_columns(pl.col("x").cast(pl.Int64))
    aggregation = Aggregation((on_x("s", "sum"), on_x("n", "count")))
    for by in (["k", "t"], ["i", "t"], ["t", "i", "k"], ["k"]):
        plain = aggregation.fold(frame, by)
        with patch.object(grouping, "_MANY", 0):
            packed = aggregation.fold(frame, by)
        assert packed.schema == plain.schema
        assert sorted(map(str, packed.rows())) == sorted(map(str, plain.rows()))
