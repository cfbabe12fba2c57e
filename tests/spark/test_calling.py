"""Calls of functions that users wrote, without Spark: Arrow arrays in, values and errors out."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from velostream.functions.python import PythonFunction, scalar, table, vectorised
from velostream.spark.calling import answers


def ask(function: PythonFunction, kind: pa.DataType, *columns: list[Any]) -> list[tuple[Any, str | None]]:
    """What the function answers to every row."""
    told = pa.struct([("value", kind), ("error", pa.string())])
    found = answers(function.function, [pa.array(column) for column in columns], told)
    return [(one["value"], one["error"]) for one in found.to_pylist()]


@scalar("DOUBLE")
def share(part: float, whole: float) -> float:
    """The share of a whole."""
    return part / whole


@scalar("DECIMAL(10,2)")
def net(gross: Decimal, rate: Decimal) -> Decimal:
    """The price without tax."""
    return gross / (1 + rate)


@vectorised("BIGINT")
def twice(values: Any) -> Any:
    """Twice the value."""
    if pc.any(pc.equal(values, 3)).as_py():
        raise ValueError("not three")
    return pc.multiply(values, 2)


@table("word STRING, place INT")
def words(text: str) -> Any:
    """The words of a text."""
    for place, word in enumerate(text.split()):
        yield word, place


@table("one INT, two INT")
def pairs(value: int) -> Any:
    """Rows that are too short."""
    yield (value,)


@scalar("INT")
def seven() -> int:
    """Always seven."""
    return 7


def test_a_row_that_fails_is_the_only_one() -> None:
    assert ask(share, pa.float64(), [1, 2, None], [2, 0, 1])[0] == (0.5, None)
    _, zero, nothing = ask(share, pa.float64(), [1, 2, None], [2, 0, 1])
    assert zero == (None, "ZeroDivisionError: float division by zero")
    assert nothing[0] is None
    assert str(nothing[1]).startswith("TypeError")


def test_numbers_come_as_the_annotations_say_and_go_as_the_type_says() -> None:
    assert ask(share, pa.float64(), [Decimal("1.5")], [3]) == [(0.5, None)]
    assert ask(net, pa.decimal128(10, 2), [10], [Decimal("0.19")]) == [(Decimal("8.40"), None)]


def test_a_batch_that_fails_is_asked_row_by_row() -> None:
    assert ask(twice, pa.int64(), [1, 2]) == [(2, None), (4, None)]
    assert ask(twice, pa.int64(), [1, 3]) == [(2, None), (None, "ValueError: not three")]


def test_rows_of_a_table_function_have_the_names_of_its_columns() -> None:
    kind = pa.list_(pa.struct([("word", pa.string()), ("place", pa.int32())]))
    assert ask(words, kind, ["a b"]) == [([{"word": "a", "place": 0}, {"word": "b", "place": 1}], None)]
    short = pa.list_(pa.struct([("one", pa.int32()), ("two", pa.int32())]))
    assert ask(pairs, short, [1]) == [(None, "ValueError: gives 1 values for 2 columns")]


def test_a_function_without_parameters_is_called_for_every_row() -> None:
    assert ask(seven, pa.int32(), [0, 0]) == [(7, None), (7, None)]


def test_a_value_of_another_type_is_an_error_of_its_row() -> None:
    [(value, error)] = ask(share, pa.string(), [1], [2])
    assert value is None
    assert str(error).startswith("ArrowTypeError")
