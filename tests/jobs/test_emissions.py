"""The log of what was written of each window."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from velostream.jobs import emissions
from velostream.jobs.emissions import Emissions, emissions_of, windows
from velostream.jobs.home import Home
from velostream.plan import plan
from velostream.spark.stateful.payload import pack
from velostream.validation import validate

MINUTE = 60_000_000


def rows(*said: tuple[str, int, int, str, int]) -> bytes:
    """Rows of an operator: symbol, price class, the number of the minute, emission, revision."""
    frame = pl.DataFrame(said, schema=["k0", "k1", "minute", "_emission", "_revision"], orient="row")
    start = pl.col("minute") * MINUTE
    return pack(frame.with_columns(start.alias("_window_start"), (start + MINUTE).alias("_window_end")))


def log(folder: Path) -> Emissions:
    return Emissions(folder, ("symbol", "class"))


def test_all_that_was_written_of_a_window_is_together_and_the_newest_window_is_first(tmp_path: Path) -> None:
    kept = log(tmp_path)
    kept.take([rows(("A", 1, 0, "early", 1)), rows(("B", 1, 0, "final", 1))], 1)
    kept.take([rows(("A", 1, 0, "final", 2), ("A", 1, 1, "early", 1))], 2)
    kept.take([rows(("A", 1, 0, "late", 3))], 3)
    found = windows(tmp_path)
    assert [(one.text, one.start) for one in found] == [("A|1", MINUTE), ("A|1", 0), ("B|1", 0)]
    assert [(each[0], each[1], each[3]) for each in found[1].emissions] == [
        ("early", 1, 1),
        ("final", 2, 2),
        ("late", 3, 3),
    ]


@pytest.mark.parametrize(("key", "wanted"), [("a", ["A|1"]), ("A|1", ["A|1"]), ("1", ["B|1", "A|1"]), ("C", [])])
def test_windows_are_found_by_a_part_of_their_key_or_all_of_it(tmp_path: Path, key: str, wanted: list[str]) -> None:
    log(tmp_path).take([rows(("A", 1, 0, "final", 1), ("B", 1, 0, "final", 1))], 1)
    assert [one.text for one in windows(tmp_path, key)] == wanted


def test_a_micro_batch_that_runs_again_is_seen_once_and_a_cut_line_is_passed_over(tmp_path: Path) -> None:
    log(tmp_path).take([rows(("A", 1, 0, "final", 1))], 7)
    log(tmp_path).take([rows(("A", 1, 0, "final", 1))], 7)
    with next(tmp_path.glob("*.jsonl")).open("a") as file:
        file.write('[8, "2026')
    (only,) = windows(tmp_path)
    assert len(only.emissions) == 1


def test_the_log_keeps_the_newest_rows_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emissions, "FULL", 200)
    kept = log(tmp_path)
    for number in range(20):
        kept.take([rows(("A", 1, number, "final", 1))], number)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    starts = [(one.start or 0) // MINUTE for one in windows(tmp_path)]
    assert starts[0] == 19
    assert 0 not in starts
    assert log(tmp_path)._file() == max(tmp_path.glob("*.jsonl"))


def test_of_a_very_large_micro_batch_the_first_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emissions, "MOST", 3)
    many = rows(*(("A", 1, minute, "final", 1) for minute in range(5)))
    log(tmp_path).take([many, many], 1)
    assert len(windows(tmp_path)) == 3


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("SELECT a, COUNT(*) AS n FROM s GROUP BY a WINDOW TUMBLING(1m)", ("s.a",)),
        ("SELECT a, COUNT(*) AS n FROM s GROUP BY a EMIT CHANGES", None),
        ("SELECT a FROM s", None),
    ],
)
def test_only_rows_of_windows_are_kept(tmp_path: Path, query: str, keys: tuple[str, ...] | None) -> None:
    answer = validate(
        f"CREATE STREAM s (a STRING, t TIMESTAMP) WITH ('type' = 'datagen', 'event.time.field' = 't'); {query}"
    )
    job = plan(answer.bound, answer.library).jobs[-1]
    found = emissions_of(job, Home(tmp_path))
    assert (None if found is None else found.keys) == keys
