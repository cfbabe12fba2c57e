"""A million records whose partitions arrive one after another: none is late, and the rows are those of the batch query.

VELO_MILLION sets the number of records (1000000 is what the project promises); without it these tests are passed over.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

RECORDS = int(os.environ.get("VELO_MILLION", "0"))
PARTITIONS = 10
KEYS = 5_000
START = 1_700_000_040_000_000
LASTS = 120_000_000
"""How long the records last, in microseconds: two windows of a minute, and the whole of the lateness."""

pytestmark = pytest.mark.skipif(not RECORDS, reason="a long run: VELO_MILLION=1000000 switches it on")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each partition, all of which last equally long; and the same records in the order of their times."""
    home = tmp_path_factory.mktemp("million")
    n = pl.int_range(RECORDS, eager=True)
    frame = pl.DataFrame(
        {
            "k": "k" + (n * 7919 % KEYS).cast(pl.String),
            "v": n % 1_000,
            "p": (n % PARTITIONS).cast(pl.Int32),
            "at": (START + n * (LASTS // RECORDS)).cast(pl.Datetime("us", "UTC")),
        }
    )
    (home / "apart").mkdir()
    (home / "mixed").mkdir()
    for number in range(PARTITIONS):
        frame.filter(pl.col("p") == number).write_parquet(home / "apart" / f"{number}.parquet")
        size = RECORDS // PARTITIONS
        frame.slice(number * size, size).write_parquet(home / "mixed" / f"{number}.parquet")
    return home


def run(spark: Any, records: Path, order: str, home: Path, more: str = "", **source: str) -> tuple[dict[str, Any], Any]:
    """The report of a run, and the newest rows of all groups and windows."""
    told = {
        "type": "file_source",
        "path": f"{records}/{order}/*.parquet",
        "files.per.batch": "1",
        "event.time.field": "at",
        "partition.by": "p",
        "partitions": str(PARTITIONS),
        "watermark.max_out_of_orderness": "5s",
        **{name.replace("_", "."): value for name, value in source.items()},
    }
    written = ", ".join(f"'{name}' = '{value}'" for name, value in told.items())
    text = f"""CREATE STREAM s (k STRING, v BIGINT, p INT, at TIMESTAMP) WITH ({written});
        CREATE STREAM x AS SELECT k, COUNT(*) AS n, SUM(v) AS total, UNIX_MICROS(_window_start) AS ws
        FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out
        WITH ('out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'parquet'{more});"""
    answer = validate(text, "million.sql", variables={})
    assert answer.ok, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    began = time.monotonic()
    runner.run_until_done()
    [report] = runner.report()["jobs"]
    print(f"{order}{more}: {RECORDS:,} records in {time.monotonic() - began:.1f} s, {report['emitted']}")
    assert runner.jobs[0].accounts.adds_up
    rows = pl.read_parquet(f"{home}/out/*.parquet")
    revised = rows.sort("_revision") if "_revision" in rows.columns else rows
    newest = revised.group_by("k", "ws").last().select("k", "ws", "n", "total").sort("k", "ws")
    return report, newest


def expected(records: Path) -> pl.DataFrame:
    frame = pl.read_parquet(f"{records}/mixed/*.parquet")
    window = (pl.col("at").dt.timestamp("us") // 60_000_000 * 60_000_000).alias("ws")
    made = frame.group_by("k", window).agg(pl.len().cast(pl.Int64).alias("n"), pl.col("v").sum().alias("total"))
    return made.sort("k", "ws")


def test_no_record_is_late_whatever_the_order_of_partitions(one_spark: Any, records: Path, tmp_path: Path) -> None:
    wanted = expected(records)
    for order in ("apart", "mixed"):
        report, rows = run(one_spark, records, order, tmp_path / order)
        assert report["records"]["in_results"] == report["records"]["read"] == RECORDS
        assert report["windows"]["late_events_total"] == 0
        assert report["emitted"]["late"] == 0
        assert rows.equals(wanted)


def test_by_source_it_is_complete_through_late_firings(one_spark: Any, records: Path, tmp_path: Path) -> None:
    report, rows = run(
        one_spark,
        records,
        "apart",
        tmp_path,
        ", 'allowed.lateness' = '2m'",
        watermark_scope="source",
        scan_in_worker="auto",
    )
    assert report["records"]["in_results"] == RECORDS
    assert report["records"]["dead_lettered"] == {}
    assert report["windows"]["late_firings"] == report["emitted"]["late"] > 0
    assert report["windows"]["records_in_late_firing"] > 0
    assert rows.equals(expected(records))
