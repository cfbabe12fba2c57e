"""The same result for any number of buckets, tasks and micro-batches, and any interleaving of partitions.

Through the router and the operator as Spark's workers run them; what Spark does between, the shuffle, is a dict here.
"""

from __future__ import annotations

import json
import os
from functools import partial
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.spark.test_state import Blobs
from tests.windows.driving import Record, frame, newest, settings
from tests.windows.oracle import expected

from velostream.sources.streams.watermarks import NONE_YET
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.operator import StageProcessor
from velostream.spark.stateful.payload import pack, unpack
from velostream.spark.stateful.router import routed
from velostream.windows.assigners import Cumulate, Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.combining import combines
from velostream.windows.emission import emission
from velostream.windows.lateness import Lateness
from velostream.windows.operator import Operator
from velostream.windows.settings import OperatorSettings
from velostream.windows.watermark import WatermarkSettings

WINDOWS = [Tumbling(10), Sliding(10, 4, offset=1), Cumulate(5, 15), Session(4), Session(4, max=9), Unbounded()]
EMISSIONS = [emission("FINAL"), emission("CHANGES", granularity="batch"), emission("CHANGES"), emission(count=2)]
COLUMNS = ("key", "value", "alarm", *names.POSITION, names.HASH)
FAR = 1_000
records = st.builds(
    Record,
    time=st.integers(-30, 60),
    key=st.sampled_from(["a", "b", "c", "d", None]),
    value=st.one_of(st.none(), st.integers(-5, 5)),
    partition=st.integers(0, 2),
)


def arriving(rows: list[Record], buckets: int) -> pl.DataFrame:
    """Rows as the plan hands them to the router."""
    hashed = pl.col("key").hash(1).reinterpret(signed=True)
    blank = {name: pl.lit(None, pl.String) for name in (names.STATUS, names.DETAIL, names.MARK)}
    return frame(rows).with_columns(
        hashed.alias(names.HASH),
        hashed.mod(buckets).cast(pl.Int32).alias(names.BUCKET),
        pl.lit(1_000, pl.Int64).alias(names.CLOCK),
        pl.lit("a record").alias(names.RECORD),
        **blank,
    )


class Job:
    """One stateful node with its buckets; every micro-batch finds new workers."""

    def __init__(self, what: OperatorSettings, buckets: int) -> None:
        folding = what if combines(what) else None
        numbers = tuple(range(100, 100 + buckets))
        self.layout = Layout(1, partial(Operator, what), COLUMNS, numbers, True, known={"s": 3}, folding=folding)
        self.state = {bucket: Blobs() for bucket in numbers}
        self.watermark: int | None = NONE_YET
        self.rows: list[dict[str, Any]] = []
        self.counted = self.in_results = 0

    def batch(self, tasks: list[list[Record]], *, flush: bool = False) -> None:
        shuffled: dict[int, list[Any]] = {bucket: [] for bucket in self.state}
        for task in tasks:
            if task:
                sent = routed(arriving(task, len(self.state)), self.layout, self.watermark)
                for row in sent.to_pylist():
                    shuffled[row.pop(names.BUCKET)].append(SimpleNamespace(**row))
        for given_rows in shuffled.values():
            given_rows.append(SimpleNamespace(facts=json.dumps({"flush": flush, "now": 0}), kind=None, payload=None))
        watermarks = {self._bucket(bucket, given_rows) for bucket, given_rows in shuffled.items()}
        assert len(watermarks) == 1
        ended = watermarks.pop()
        self.watermark = NONE_YET if ended is None else ended

    def _bucket(self, bucket: int, given_rows: list[Any]) -> int | None:
        worker = StageProcessor(self.layout, pack(arriving([], 1).select(*COLUMNS, names.RECORD)))
        worker.init(SimpleNamespace(getMapState=lambda *_: self.state[bucket]))
        watermark = None
        for row in worker.handleInputRows((bucket,), iter(given_rows), None):
            assert row.kind != names.LETTER
            if row.kind == names.RESULT:
                self.rows += unpack(row.payload).to_dicts()
            else:
                stats = json.loads(row.payload)
                watermark = stats["watermark"]
                self.counted += sum(stats["counts"].values())
                self.in_results += stats["in_results"]
        return watermark


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: f"{window.name} {getattr(window, 'max', '')}".strip())
@hypothesis_settings(
    max_examples=int(os.environ.get("VELO_EXAMPLES", "10")),
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(
    batches=st.lists(st.lists(st.lists(records, max_size=6), min_size=1, max_size=3), max_size=4),
    how=st.sampled_from(EMISSIONS),
    buckets=st.integers(1, 4),
    late=st.booleans(),
)
def test_buckets_tasks_micro_batches_and_interleavings_change_nothing(
    window: Any, how: Any, batches: list[list[list[Record]]], buckets: int, late: bool
) -> None:
    time = WatermarkSettings(max_out_of_orderness=0 if late else FAR)
    job = Job(settings(window, emission=how, watermark=time, lateness=Lateness(FAR)), buckets)
    offset = iter(range(10_000))
    everything: list[Record] = []
    for batch in batches:
        tasks = [[Record(r.time, r.key, r.value, r.partition, next(offset)) for r in task] for task in batch]
        everything += [record for task in tasks for record in task]
        job.batch(tasks)
    job.batch([], flush=True)
    assert newest(job.rows, by_start=isinstance(window, Session)) == expected(window, everything)
    assert job.counted == job.in_results == len(everything)
