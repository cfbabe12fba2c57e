"""Loading in steps: what is there, then what is new; a load that was cut off goes on where it was."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from velostream.errors import VeloError
from velostream.tables.loading import FULL, INCREMENTAL, NONE, Loader, Step
from velostream.tables.newest import TIME
from velostream.tables.progress import LOADING, READY, REFRESHING, Progress
from velostream.tables.store import TableStore, Version
from velostream.tables.writer import TableWriter


class Parts:
    """A source of parts, each with rows of key and value; it can break before a part."""

    letters: tuple[dict[str, Any], ...] = ()

    def __init__(self, *parts: dict[str, int], breaks: int | None = None) -> None:
        self.parts = list(parts)
        self.breaks = breaks
        self.read: list[int] = []

    def measure(self, since: Mapping[str, Any]) -> int:
        return len(self.parts) - since.get("next", 0)

    def step(self, since: Mapping[str, Any]) -> Step | None:
        number = since.get("next", 0)
        if number >= len(self.parts):
            return None
        if number == self.breaks:
            raise OSError("the source is gone")
        self.read.append(number)
        rows = self.parts[number]
        table = pa.table({"k": [*rows], "v": [*rows.values()], TIME: pa.array([number] * len(rows), pa.int64())})
        return Step(table, {"next": number + 1}, last=number + 1 == len(self.parts), letters=self.letters, size=1)


def loader(home: Path, source: Parts) -> Loader:
    return Loader(TableWriter(TableStore(home, "t"), ("k",)), source, Progress("t", LOADING))


def values(version: Version) -> dict[str, int]:
    rows = version.read()
    return dict(zip(rows["k"].to_pylist(), rows["v"].to_pylist(), strict=True))


def test_all_parts_make_the_table(tmp_path: Path) -> None:
    made = loader(tmp_path, Parts({"a": 1, "b": 1}, {"a": 2}))
    assert values(made.load(INCREMENTAL)) == {"b": 1, "a": 2}
    assert (made.progress.read, made.progress.percent) == (3, 100.0)


def test_a_refresh_reads_only_what_is_new(tmp_path: Path) -> None:
    source = Parts({"a": 1})
    made = loader(tmp_path, source)
    made.load(INCREMENTAL)
    source.parts.append({"b": 2})
    assert values(made.load(INCREMENTAL)) == {"a": 1, "b": 2}
    assert source.read == [0, 1]
    assert made.load(INCREMENTAL).number == 2


def test_a_full_refresh_reads_all_of_it(tmp_path: Path) -> None:
    source = Parts({"a": 1, "b": 1})
    made = loader(tmp_path, source)
    made.load(FULL)
    source.parts[0] = {"a": 3}
    assert values(made.load(FULL)) == {"a": 3}


def test_without_refreshing_a_table_stays_as_it_is(tmp_path: Path) -> None:
    source = Parts({"a": 1})
    made = loader(tmp_path, source)
    made.load(NONE)
    source.parts.append({"b": 2})
    assert values(made.load(NONE)) == {"a": 1}


def test_a_load_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    parts = ({"a": 1}, {"b": 2}, {"c": 3})
    with pytest.raises(OSError, match="gone"):
        loader(tmp_path, Parts(*parts, breaks=2)).load(FULL)
    assert TableStore(tmp_path, "t").newest() is None
    source = Parts(*parts)
    assert values(loader(tmp_path, source).load(FULL)) == {"a": 1, "b": 2, "c": 3}
    assert source.read == [2]


def test_records_that_are_no_rows_are_kept_before_the_version_without_them_is_there(tmp_path: Path) -> None:
    source = Parts({"a": 1}, {"b": 2}, breaks=1)
    source.letters = ({"reason": "undecodable"},)
    made, kept = loader(tmp_path, source), []
    made.keep = lambda number, letters: kept.append((number, made.writer.store.numbers(), len(letters)))
    with pytest.raises(OSError, match="gone"):
        made.load(FULL)
    source.breaks = None
    made.load(FULL)
    assert kept == [(1, [], 1), (2, [1], 1)], "a load that is cut off never reads the first part again"


def test_a_refresh_that_fails_leaves_the_table_ready() -> None:
    about = Progress("t")
    about.begin(LOADING)
    about.end(5)
    about.begin(REFRESHING)
    about.fail("the source is gone")
    assert (about.state, about.rows, about.error) == (READY, 5, "the source is gone")
    assert about.report()["error"] == "the source is gone"


def test_a_record_that_is_no_row_is_told_once_however_often_all_is_read(tmp_path: Path) -> None:
    source = Parts({"a": 1})
    source.letters = ({"record": "x"}, {"record": "x"})
    made, kept = loader(tmp_path, source), []
    made.keep = lambda number, letters: kept.append(len(letters))
    made.load(FULL)
    made.load(FULL)
    source.letters = (*source.letters, {"record": "x"}, {"record": "y"})
    made.load(FULL)
    assert (kept, made.progress.dead_lettered) == ([2, 2], 4)


def test_what_a_source_says_when_nobody_waits_any_more_is_not_written(tmp_path: Path) -> None:
    source = Parts({"a": 1}, {"b": 2})
    made = loader(tmp_path, source)
    step = source.step

    def slow(since: Mapping[str, Any]) -> Step | None:
        if since:
            made.left.set()
        return step(since)

    source.step = slow  # type: ignore[method-assign]
    with pytest.raises(VeloError, match="no longer waited for"):
        made.load(FULL)
    assert source.read == [0, 1]
    again = loader(tmp_path, Parts({"a": 1}, {"b": 2}))
    assert values(again.writer.newest()) == {"a": 1}  # type: ignore[arg-type]
    assert values(again.load(FULL)) == {"a": 1, "b": 2}
