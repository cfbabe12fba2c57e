"""Tables that statements make, without Spark: micro-batches in, versions out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from velostream import tables
from velostream.errors import VeloError
from velostream.plan import plan
from velostream.plan.nodes import Materialise
from velostream.tables.materialised import MaterialisedTable
from velostream.tables.progress import LOADING, Progress
from velostream.tables.store import TableStore
from velostream.tables.writer import TableWriter
from velostream.validation import validate

SQL = """CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
CREATE TABLE totals AS SELECT k, SUM(v) AS total FROM s GROUP BY k EMIT CHANGES@more"""


def table(home: Path, more: str = "") -> MaterialisedTable:
    answer = validate(SQL.replace("@more", more), "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    root = plan(answer.bound, answer.library).jobs[-1].root
    assert isinstance(root, Materialise)
    keeps = root.settings.get("retention") if root.settings is not None else None
    return MaterialisedTable(root, TableWriter(TableStore(home, "totals"), root.key, keeps), Progress("totals"))


def batch(made: MaterialisedTable, *rows: tuple[str, int, int, str]) -> pa.Table:
    """Rows of key, total, second and emission."""
    columns: dict[str, Any] = {
        "k": pa.array([row[0] for row in rows], pa.string()),
        "total": pa.array([row[1] for row in rows], pa.int64()),
        "_event_time": pa.array([datetime.fromtimestamp(row[2], UTC) for row in rows], pa.timestamp("us", "UTC")),
        "_emission": pa.array([row[3] for row in rows], pa.string()),
        "_revision": pa.array([1] * len(rows), pa.int32()),
    }
    return pa.table({name: columns[name] for name in made.needs})


def totals(home: Path) -> dict[str, int]:
    found = tables.read(str(home), "totals")
    assert found.column_names == ["k", "total"]
    return dict(zip(found["k"].to_pylist(), found["total"].to_pylist(), strict=True))


def test_changes_replace_and_retractions_delete(tmp_path: Path) -> None:
    made = table(tmp_path)
    made.apply(batch(made, ("a", 1, 10, "change"), ("b", 2, 11, "change")), "q", 0)
    assert made.progress.state == LOADING
    made.apply(batch(made, ("a", 5, 12, "change"), ("b", 2, 12, "retract")), "q", 1)
    assert totals(tmp_path) == {"a": 5}


def test_a_table_that_goes_on_tells_its_rows_before_anything_comes(tmp_path: Path) -> None:
    made = table(tmp_path)
    made.apply(batch(made, ("a", 1, 10, "change"), ("b", 2, 11, "change")), "q", 0)
    assert table(tmp_path).progress.rows == 2


def test_a_micro_batch_that_is_run_again_makes_no_second_version(tmp_path: Path) -> None:
    made = table(tmp_path)
    made.apply(batch(made, ("a", 1, 10, "change")), "q", 0)
    table(tmp_path).apply(batch(made, ("a", 1, 10, "change")), "q", 0)
    assert TableStore(tmp_path, "totals").numbers() == [1]


def test_a_new_checkpoint_counts_its_micro_batches_from_the_beginning(tmp_path: Path) -> None:
    made = table(tmp_path)
    made.apply(batch(made, ("a", 1, 10, "change")), "q", 7)
    made.apply(batch(made, ("a", 2, 11, "change")), "other", 0)
    assert totals(tmp_path) == {"a": 2}


def test_a_table_that_nothing_came_for_is_there_without_rows(tmp_path: Path) -> None:
    made = table(tmp_path)
    made.apply(batch(made), "q", 0)
    made.apply(batch(made), "q", 1)
    assert totals(tmp_path) == {}
    assert TableStore(tmp_path, "totals").numbers() == [1]


def test_rows_that_were_not_updated_for_long_go(tmp_path: Path) -> None:
    made = table(tmp_path, " WITH ('totals.retention' = '1m')")
    made.apply(batch(made, ("a", 1, 10, "change")), "q", 0)
    made.apply(batch(made, ("b", 2, 100, "change")), "q", 1)
    assert totals(tmp_path) == {"b": 2}


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="table 'nothing' has no rows"):
        tables.read(tmp_path, "nothing")
