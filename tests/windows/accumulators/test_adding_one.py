"""The page that shows how to add an aggregate, tried out: its two files, its line of registration, and the result."""

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

from velostream import types
from velostream.windows.accumulators import ACCUMULATORS
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call, ScalarCell
from velostream.windows.accumulators.cells.naming import chosen, label

PAGE = Path(__file__).parents[3] / "docs" / "contribute" / "add-an-aggregate.md"
CELL = "velostream.windows.accumulators.cells.logarithms"


def test_the_aggregate_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    accumulator, cell = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    module = ModuleType(CELL)
    module.__dict__.update(dataclass=dataclass, pl=pl, ScalarCell=ScalarCell, chosen=chosen, label=label)
    monkeypatch.setitem(sys.modules, CELL, module)
    exec(cell, module.__dict__)
    made: dict[str, object] = {}
    exec(accumulator, made)
    monkeypatch.setitem(ACCUMULATORS, "geometric_mean", made["GeometricMean"])

    calls = (
        Call("all", "geometric_mean", ("x",), (types.INT,)),
        Call("some", "geometric_mean", ("x",), (types.INT,), where="keep"),
        Call("once", "geometric_mean", ("x",), (types.INT,), distinct=True),
    )
    aggregation = Aggregation(calls)
    rows = pl.DataFrame({"g": [1, 1, 1, 2], "x": [2, 8, 8, None], "keep": [True, False, True, True]})
    states = [aggregation.fold(rows[:2], ["g"]), aggregation.fold(rows[2:], ["g"])]
    table = aggregation.finish(aggregation.merge(pl.concat(states), ["g"]))
    found = {row["g"]: (row["all"], row["some"], row["once"]) for row in table.to_dicts()}
    assert all(map(math.isclose, found[1], (128 ** (1 / 3), 4.0, 4.0)))
    assert found[2] == (None, None, None)
