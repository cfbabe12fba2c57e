"""What goes to Python workers: they start for every query and hold their memory for as long as it runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.cloudpickle import dumps

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.spark.daemon import NEEDED
from velostream.spark.lower import stage
from velostream.spark.stateful.operator import StageProcessor
from velostream.spark.stateful.router import router
from velostream.validation import validate

SQL = """
CREATE STREAM a (k STRING, v DOUBLE, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
CREATE STREAM b (k STRING, w DOUBLE, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
SELECT k, SUM(v) AS s, APPROX_COUNT_DISTINCT(v) AS d FROM a GROUP BY k WINDOW TUMBLING(1m);
SELECT k, COUNT(*) AS n FROM a GROUP BY k WINDOW SESSION(1m) EMIT CHANGES;
SELECT k, SUM(v) AS s FROM a GROUP BY k EMIT CHANGES;
SELECT DISTINCT k FROM a;
SELECT k, AVG(v) OVER (ROWS WINDOW BUFFER 10 ROWS PARTITION BY k ORDER BY at) AS m FROM a;
SELECT a.k, b.w FROM a LEFT JOIN b WITHIN 1m ON a.k = b.k;
"""
HEAVY = ("sqlglot", "pandas", "velostream.sql", "velostream.validation", "velostream.plan", "velostream.spark.lower")
LOADING = """
import pickle, sys
pickle.load(sys.stdin.buffer)
print(*(name for name in {heavy} if name in sys.modules))
"""


def test_the_operator_of_a_stateful_node_brings_nothing_of_plans_and_sql_into_a_worker(
    one_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = validate(SQL, "app.sql", variables={})
    assert answer.ok, answer.findings.errors
    layouts: list[Any] = []
    original = stage.layout_of

    def kept(*given: Any) -> Any:
        layouts.append(original(*given))
        return layouts[-1]

    monkeypatch.setattr(stage, "layout_of", kept)
    Runner(plan(answer.bound, answer.library), one_spark, tmp_path, tmp_path, print).prepare(bounded=False)
    assert len(layouts) == 6
    sent = dumps([(StageProcessor(layout, b""), router(layout)) for layout in layouts])  # type: ignore[no-untyped-call]
    command = [sys.executable, "-c", LOADING.format(heavy=HEAVY)]
    found = subprocess.run(command, input=sent, capture_output=True, check=True).stdout.decode().split()
    assert found == []


def test_workers_are_forked_with_what_they_need_and_without_threads_that_a_fork_loses(one_spark: Any) -> None:
    asked = ("pandas", "polars", "sqlglot", "velostream.windows.operator")
    code = "from importlib import import_module as load; import sys; [load(name) for name in sys.argv[1:]]"
    code += f"; print(*(name for name in {asked} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code, *NEEDED], capture_output=True, check=True).stdout
    assert found.decode().split() == ["pandas", "velostream.windows.operator"]

    def frozen(_: Any) -> Iterator[int]:
        import gc

        yield gc.get_freeze_count()

    assert one_spark.sparkContext.parallelize([1], 1).mapPartitions(frozen).first() > 10_000
