"""Of each key and window one version writes the rows: in Spark as in the arithmetic of ranges."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from velostream.jobs.ownership import Owners, Ownership
from velostream.plan.nodes import Sinks
from velostream.spark.lower.context import SLOT, column
from velostream.spark.lower.job import LoweredJob
from velostream.spark.lower.slots import slot_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECOND = 1_000_000
KEYS = ["ann", "bob", "cem", "dan", "eve", "a|b", None]


def job() -> Any:
    """A job whose rows have the key k."""
    root = object.__new__(Sinks)
    object.__setattr__(root, "targets", (SimpleNamespace(key=("k",)),))
    return SimpleNamespace(name="totals", root=root)


def test_rows_without_a_key_are_shared_by_where_their_record_stood(one_spark: SparkSession) -> None:
    data = [(number, None, source, part, number) for number in range(100) for source in "ab" for part in (0, 1)]
    rows = one_spark.createDataFrame(data, "n INT, _status STRING, source STRING, part INT, _offset BIGINT")
    slots = rows.select("n", "source", "part", "_status", slot_at(column("source"), rows).alias(SLOT))
    keyless: Any = SimpleNamespace(name="totals", stateful=False, root=SimpleNamespace())
    lowered = LoweredJob(slots, lambda batch: batch, packed=False, stateful=False)
    of_both = [
        {
            tuple(row)[:3]
            for row in Owners({"totals": Ownership(places)}).applied(keyless, lowered).rows(slots).collect()
        }
        for places in ((40, 100), (0, 40))
    ]
    assert not of_both[0] & of_both[1]
    assert len(of_both[0]) + len(of_both[1]) == len(data)
    assert 100 < len(of_both[1]) < 220
    assert {row[:2] for row in of_both[0] if row[2] == 0} == {row[:2] for row in of_both[0] if row[2] == 1}


def written(owner: Ownership, lowered: LoweredJob, rows: Any) -> set[tuple[Any, ...]]:
    applied = Owners({"totals": owner}).applied(job(), lowered)
    assert applied.table is None
    return {tuple(row) for row in applied.rows(rows).collect()}


def test_the_rows_of_two_versions_are_all_rows_once_and_faults_are_told_by_both(one_spark: SparkSession) -> None:
    ends = [datetime.fromtimestamp(seconds, UTC) for seconds in range(0, 60, 10)]
    data = [(key, end, None) for key in KEYS for end in ends] + [("bad", None, "failed")]
    rows = one_spark.createDataFrame(data, "k STRING, _window_end TIMESTAMP, _status STRING")
    lowered = LoweredJob(rows, lambda batch: batch, packed=True, stateful=True, table=lambda payloads: None)
    old, new = Ownership(), Ownership((0, 0))
    for seconds, share in ((10, 40), (30, 100)):
        old, new = old.then(seconds * SECOND, share, 100), new.then(seconds * SECOND, 0, share)
    of_old, of_new = written(old, lowered, rows), written(new, lowered, rows)
    everything = {tuple(row) for row in rows.collect()}
    assert of_old | of_new == everything
    assert {row[0] for row in of_old & of_new} == {"bad"}
    first = {(row[0], row[1]) for row in of_new if row[2] is None}
    assert {end.timestamp() for _, end in first} == {20.0, 30.0, 40.0, 50.0}
    assert len([key for key, end in first if end.timestamp() == 20.0]) not in (0, len(KEYS))
    assert len([key for key, end in first if end.timestamp() == 40.0]) == len(KEYS)
    assert Owners().applied(job(), lowered) is lowered
