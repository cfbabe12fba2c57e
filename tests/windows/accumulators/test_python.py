"""Aggregates written in Python: state that travels as bytes, in the order of records, errors kept to their group."""

from typing import Any

import polars as pl

from velostream import types
from velostream.types import Type
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call, position_types


class Words:
    """Joins what it is given, in order."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def add(self, word: str | None) -> None:
        if word == "bad":
            raise ValueError("no bad words\nat all")
        self.words.append(str(word))

    def merge(self, other: "Words") -> None:
        if other.words[0] == "unmergeable":
            raise TypeError("cannot merge")
        self.words += other.words

    def finish(self) -> str | int:
        if "end" in self.words:
            raise RuntimeError("the end")
        return 7 if "seven" in self.words else " ".join(self.words)


class Slotted:
    """Keeps its state in slots."""

    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0

    def add(self, *values: int) -> None:
        self.total += sum(values)

    def merge(self, other: "Slotted") -> None:
        self.total += other.total

    def finish(self) -> int:
        return self.total


class Packed(Slotted):
    """Says itself how it is written."""

    __slots__ = ()

    def __getstate__(self) -> str:
        return str(self.total)

    def __setstate__(self, held: str) -> None:
        self.total = int(held)


def answer(made_of: type, kind: Type, rows: list[tuple[int, Any]], where: list[bool] | None = None) -> dict[str, Any]:
    """Rows are (event time, value); each is folded alone, and all are merged."""
    given = (types.STRING if kind == types.STRING else types.BIGINT,)
    call = Call("r", "python", ("v",), given, parameters=(made_of, kind), where="keep" if where else "")
    aggregation = Aggregation((call,))
    position = {"_event_time": [t for t, _ in rows], "_source": "a", "_partition": 0, "_offset": range(len(rows))}
    values = pl.String() if kind == types.STRING else pl.Int64()
    data = {"v": [value for _, value in rows], "keep": where or [True] * len(rows), **position}
    frame = pl.DataFrame(data, schema={"v": values, "keep": pl.Boolean(), **position_types()})
    states = [aggregation.fold(frame[n : n + 1], []) for n in range(len(rows))]
    (row,) = aggregation.finish(aggregation.merge(pl.concat(states), [])).to_dicts()
    return row


def test_rows_and_states_come_in_the_order_of_records() -> None:
    assert answer(Words, types.STRING, [(3, "c"), (1, "a"), (2, None)]) == {"r": "a None c", "_error": None}


def test_state_in_slots_and_state_that_says_how_it_is_written_travel() -> None:
    for made_of in (Slotted, Packed):
        assert answer(made_of, types.BIGINT, [(1, 2), (2, 3)]) == {"r": 5, "_error": None}


def test_a_condition_leaves_rows_out_and_an_object_without_rows_is_asked_too() -> None:
    assert answer(Slotted, types.BIGINT, [(1, 2), (2, 3)], [True, False]) == {"r": 2, "_error": None}
    assert answer(Slotted, types.BIGINT, [(1, 2)], [False]) == {"r": 0, "_error": None}


def test_whatever_the_class_raises_is_an_error_of_the_group() -> None:
    raised = {
        "bad": "PYTHON(v) fails with ValueError: no bad words",
        "unmergeable": "PYTHON(v) fails with TypeError: cannot merge",
        "end": "PYTHON(v) fails with RuntimeError: the end",
        "seven": "PYTHON(v) answers 7, which is not of type STRING",
    }
    for word, message in raised.items():
        assert answer(Words, types.STRING, [(1, "a"), (2, word)]) == {"r": None, "_error": message}


def test_one_frame_may_hold_many_groups() -> None:
    call = Call("r", "python", ("a", "b"), (types.BIGINT, types.BIGINT), parameters=(Slotted, types.BIGINT))
    position = {"_event_time": [1, 2, 3], "_source": "a", "_partition": 0, "_offset": [0, 1, 2]}
    rows = pl.DataFrame(
        {"g": [1, 2, 1], "a": [1, 2, 3], "b": [10, 20, 30], **position}, schema_overrides=position_types()
    )
    aggregation = Aggregation((call,))
    table = aggregation.finish(aggregation.fold(rows, ["g"]))
    assert {row["g"]: row["r"] for row in table.to_dicts()} == {1: 44, 2: 22}
