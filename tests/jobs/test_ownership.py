"""Of each key and window one version writes the rows: in Spark as in the arithmetic of ranges."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from velostream.jobs.ownership import OTHERS, Owners, Ownership
from velostream.plan.nodes import Sinks
from velostream.spark.lower.context import SLOT, column
from velostream.spark.lower.job import LoweredJob
from velostream.spark.lower.slots import SLOTS, slot_at, slot_of

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


def test_a_group_has_the_same_place_in_the_operator_as_its_rows_have_in_spark(one_spark: SparkSession) -> None:
    import polars as pl

    from velostream.spark.stateful.groups import group_text

    data = [(key, number) for key in (*KEYS, "ä€ \n") for number in (None, 0, -7, 1 << 40)]
    rows = one_spark.createDataFrame(data, "k STRING, n BIGINT")
    by_spark = [row[0] for row in rows.select(slot_of(column("k"), column("n"))).collect()]
    groups = pl.DataFrame(data, schema={"k": pl.String, "n": pl.Int64}, orient="row")
    texts = groups.select(group_text(["k", "n"], groups.schema)).to_series().to_list()
    assert [crc32(text.encode()) % SLOTS for text in texts] == by_spark
    strange = pl.DataFrame({"k": [["a"], None], "n": [1, 2]})
    for keys in (["k", "n"], ["n", "away"], []):
        assert strange.select(group_text(keys, strange.schema).alias("g"))["g"].unique().to_list() == [None]


def written(owner: Ownership, lowered: LoweredJob, rows: Any) -> set[tuple[Any, ...]]:
    applied = Owners({"totals": owner}).applied(job(), lowered)
    assert applied.table is None
    return {tuple(row) for row in applied.rows(rows).drop(OTHERS).collect()}


def letters(owner: Ownership, one: Any, lowered: LoweredJob, rows: Any) -> list[str]:
    """The keys of the rows whose letters a version writes."""
    made = Owners({"totals": owner}).applied(one, lowered).rows(rows)
    return [row["k"] for row in made.filter("_status IS NOT NULL").collect() if not row[OTHERS]]


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
    assert (letters(old, job(), lowered, rows), letters(new, job(), lowered, rows)) == (["bad"], [])
    assert letters(new.alone(), job(), lowered, rows) == ["bad"]


def test_of_rows_that_something_is_wrong_with_one_version_writes_the_letter(one_spark: SparkSession) -> None:
    data = [(f"k{number}", (number % 2 and "bad_value") or None, number) for number in range(100)]
    rows = one_spark.createDataFrame([*data, (None, "undecodable", 7)], f"k STRING, _status STRING, {SLOT} INT")
    lowered = LoweredJob(rows, lambda batch: batch, packed=False, stateful=False)
    keyless: Any = SimpleNamespace(name="totals", stateful=False, root=SimpleNamespace())
    for one in (job(), keyless):
        of_both = [letters(Ownership(places), one, lowered, rows) for places in ((40, 100), (0, 40))]
        assert sorted(map(str, [*of_both[0], *of_both[1]])) == sorted(["None", *(k for k, wrong, _ in data if wrong)])
        assert all(len(each) > 10 for each in of_both)
    assert None in of_both[1]
