"""Aggregate calls: accumulator, arguments, constants, order, filter."""

import pytest
from tests.plan.asking import found, job

from velostream.plan.nodes import Aggregate, AggregateCall
from velostream.types import BIGINT, DOUBLE, STRING


def call(text: str) -> AggregateCall:
    root = job(f"SELECT symbol, {text} AS x FROM trades GROUP BY symbol WINDOW TUMBLING(1m)").root
    [node] = found(root, Aggregate)
    assert isinstance(node, Aggregate)
    [only] = node.calls
    return only


def test_a_count_of_rows_has_no_argument() -> None:
    assert call("COUNT(*)").arguments == ()
    assert call("COUNT(1)").arguments == ()
    assert call("COUNT(*)").type == BIGINT
    assert [str(each) for each in call("COUNT(price)").arguments] == ["trades.price"]


def test_distinct_is_told_apart() -> None:
    plain, distinct = call("COUNT(id)"), call("COUNT(DISTINCT id)")
    assert (plain.distinct, distinct.distinct) == (False, True)
    assert [str(each) for each in distinct.arguments] == ["trades.id"]


def test_constants_are_parameters() -> None:
    joined = call("STRING_AGG(id, ';')")
    assert joined.accumulator == "string_agg"
    assert joined.parameters == (";",)
    assert [str(each) for each in joined.arguments] == ["trades.id"]
    assert joined.type == STRING
    assert not joined.merges


def test_within_group_gives_the_argument() -> None:
    percentile = call("PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY price)")
    assert percentile.parameters == (0.95,)
    assert [str(each) for each in percentile.arguments] == ["trades.price"]
    assert percentile.order == ()
    assert percentile.type == DOUBLE
    backwards = call("PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY price DESC)")
    assert [str(term) for term in backwards.order] == ["trades.price DESC"]


def test_an_order_of_what_is_listed_is_kept() -> None:
    listed = call("LISTAGG(id, ',') WITHIN GROUP (ORDER BY price)")
    assert [str(term) for term in listed.order] == ["trades.price"]
    assert listed.parameters == (",",)


def test_a_filter_is_a_condition_of_the_call() -> None:
    filtered = call("SUM(price) FILTER (WHERE quantity > 1)")
    assert str(filtered.where) == "trades.quantity > 1"
    assert filtered.name == "SUM(trades.price) FILTER (WHERE trades.quantity > 1)"


@pytest.mark.parametrize("text", ["FIRST(price) IGNORE NULLS", "FIRST(price, TRUE)"])
def test_nulls_can_be_ignored_in_both_spellings(text: str) -> None:
    first = call(text)
    assert first.ignore_nulls
    assert first.parameters == ()
    assert first.accumulator == "first"
    assert not call("FIRST(price)").ignore_nulls


def test_negative_numbers_and_arrays_are_constants_too() -> None:
    several = call("APPROX_PERCENTILE(price, ARRAY(0.5, 0.9), 100)")
    assert several.parameters == ((0.5, 0.9), 100)


def test_aliases_of_functions_have_one_accumulator() -> None:
    assert call("MEAN(price)").function == call("AVG(price)").function == "AVG"
