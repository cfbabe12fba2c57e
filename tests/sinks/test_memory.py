from typing import Any

from velostream.sinks.memory import clear, keep, rows
from velostream.sinks.writers import Batch, BatchRows, write


def test_rows_are_read_back_by_the_name_of_the_sink() -> None:
    clear()
    keep("a", "q", 0, [{"x": 1}])
    keep("a", "q", 1, [{"x": 2}])
    keep("b", "q", 0, [{"x": 3}])
    assert rows("a") == [{"x": 1}, {"x": 2}]
    clear("a")
    assert rows("a") == []
    assert rows("b") == [{"x": 3}]
    clear()
    assert rows("b") == []


def test_a_batch_that_comes_again_is_there_once() -> None:
    keep("again", "q", 0, [{"x": 1}])
    keep("again", "q", 0, [{"x": 1}])
    assert rows("again") == [{"x": 1}]


def test_what_is_read_back_is_a_copy() -> None:
    keep("copy", "q", 0, [{"x": 1}])
    rows("copy")[0]["x"] = 2
    assert rows("copy") == [{"x": 1}]


def test_rows_of_spark_are_kept(one_spark: Any) -> None:
    write("memory_sink", "spark", BatchRows(one_spark.range(2)), None, Batch("q", 0))
    write("memory_sink", "spark", BatchRows(one_spark.range(2), at_most=0), None, Batch("q", 1))
    assert rows("spark") == [{"id": 0}, {"id": 1}]
