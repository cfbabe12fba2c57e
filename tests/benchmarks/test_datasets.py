"""Generated input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from benchmarks.datasets import HOUR, TAIL, partitioned, retained, sessions, trades


def test_files_come_in_order_of_name_and_of_change_with_the_tail_last(tmp_path: Path) -> None:
    folder, sizes = trades(1000, 5).write(tmp_path)
    files = sorted(folder.glob("*.parquet"))
    assert len(files) == 21
    assert sizes == [100] * 10
    assert files == sorted(files, key=lambda path: path.stat().st_mtime)
    assert pq.read_table(files[-1])["symbol"].to_pylist() == [TAIL]
    assert sum(pq.read_table(path).num_rows for path in files[:-1]) == 1000


def test_no_record_is_further_out_of_order_than_said() -> None:
    at = np.concatenate([batch["traded_at"] for batch in trades(10_000, 5, disorder=4).batches()])
    behind = np.maximum.accumulate(at) - at
    assert 0 < behind.max() < 4_000_000
    assert len(np.unique(at)) == 10_000


def test_partitions_each_cover_all_of_the_time_and_hold_the_same_records() -> None:
    ordered = np.concatenate([batch["traded_at"] for batch in trades(1000, 5).batches()])
    dealt = [batch["traded_at"] for batch in partitioned(1000, 5).batches()]
    assert sorted(np.concatenate(dealt)) == sorted(ordered)
    whole = ordered.max() - ordered.min()
    assert all(part.max() - part.min() > 0.9 * whole for part in dealt)


def test_a_tenth_of_the_sessions_is_bridged_hours_later() -> None:
    batches = list(sessions(20_000).batches())
    at = np.concatenate([batch["traded_at"] for batch in batches])
    late = np.maximum.accumulate(at) - at > 5 * HOUR
    assert 0.08 < late.sum() / (len(at) / 10) < 0.12
    assert (np.maximum.accumulate(at) - at).max() < 8 * HOUR


def test_every_key_is_there_before_the_batches_that_are_measured() -> None:
    first, *rest = retained(500, batches=3, size=50).batches()
    assert sorted(first["symbol"]) == list(range(500))
    assert [len(batch["symbol"]) for batch in rest] == [50, 50, 50]
