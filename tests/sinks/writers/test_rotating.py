"""Rows of several micro-batches in one file: it appears in time, whole and once, whatever dies in between."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.config.asking import Asked, sink

from velostream.errors import VeloError
from velostream.sinks.writers import Batch, BatchRows, begin, release, rotating, write
from velostream.sinks.writers.rotating import ASIDE

QUERY = "0a1b2c3d-0000-0000-0000-000000000000"


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    yield
    forget()


def forget() -> None:
    """As a process that dies."""
    for one in rotating._open.values():
        one.close()
    rotating._open.clear()


def settings(folder: Path, **more: str) -> Any:
    given = {"s.type": "file_sink", "s.path": str(folder)} | {f"s.{key}": text for key, text in more.items()}
    asked = Asked(given, sink("s"))
    assert not asked.problems, asked.problems
    return asked.resolved["s"]


def put(chosen: Any, number: int, *values: int) -> None:
    table = pa.table({"v": list(values)}, pa.schema([("v", pa.int64())]))
    write("file_sink", "s", BatchRows(None, len(values), table), chosen, Batch(QUERY, number))


def rows(folder: Path) -> dict[str, list[int]]:
    return {
        file.name.split("-", 3)[3]: [json.loads(line)["v"] for line in file.read_text().splitlines()]
        for file in sorted(folder.glob("part-*"))
    }


def test_rows_of_several_micro_batches_are_one_file_that_appears_in_time(tmp_path: Path) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1s"})
    for number in range(3):
        put(chosen, number, number, number + 10)
    put(chosen, 3)
    assert rows(tmp_path) == {}, "nothing is seen of a file that is not whole"
    late = time.monotonic() + 10
    while not rows(tmp_path) and time.monotonic() < late:
        time.sleep(0.02)
    assert rows(tmp_path) == {"000000002-00000.jsonl": [0, 10, 1, 11, 2, 12]}
    put(chosen, 4, 5)
    release(QUERY)
    assert rows(tmp_path)["000000004-00000.jsonl"] == [5]


def test_a_file_appears_when_it_is_large_and_is_split_where_it_is_larger(tmp_path: Path) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1h", "rotation.size": "1KB"})
    for number in range(7):
        assert rows(tmp_path) == {}
        put(chosen, number, *range(20))
    assert [file.stat().st_size for file in sorted(tmp_path.glob("part-*"))] == [1_020, 170]
    assert sum(len(found) for found in rows(tmp_path).values()) == 140


def test_what_a_killed_process_kept_aside_appears_once(tmp_path: Path) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1h"})
    put(chosen, 0, 1)
    put(chosen, 1, 2)
    forget()
    put(chosen, 1, 2)
    aside = tmp_path / ASIDE / "s-0a1b2c3d"
    assert sorted(one.name for one in aside.iterdir()) == ["000000000", "000000001"], "a batch takes its own place"
    one = rotating._open[QUERY, "s"]
    moving = one._finish
    one._finish = lambda: None  # type: ignore[method-assign]
    one.appear()
    assert rows(tmp_path) == {}, "it died before the file was in its place"
    one._finish = moving  # type: ignore[method-assign]
    forget()
    put(chosen, 1, 2)
    assert rows(tmp_path) == {"000000001-00000.jsonl": [1, 2]}, "and the batch whose rows are there is not taken again"
    put(chosen, 2, 3)
    forget()
    begin("file_sink", "s", settings(tmp_path), QUERY, tmp_path)
    assert rows(tmp_path)["000000002-00000.jsonl"] == [3], "also where rotation.interval was taken away"


def test_what_a_query_kept_aside_that_never_came_back_appears_after_a_day(tmp_path: Path) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1h"})
    put(chosen, 0, 1)
    forget()
    fresh = Batch("ffffffff-0000", 0)
    for expected in ({}, {"000000000-00000.jsonl": [1]}):
        write("file_sink", "s", BatchRows(None, 0, None), chosen, fresh)
        assert rows(tmp_path) == expected
        forget()
        os.utime(tmp_path / ASIDE / "s-0a1b2c3d", (1, 1))


@pytest.mark.parametrize("more", [{"format": "csv"}, {"format": "csv", "compression": "gzip"}, {"format": "parquet"}])
def test_every_format_can_be_joined(tmp_path: Path, more: dict[str, str]) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1h"}, **more)
    put(chosen, 0, 1, 2)
    put(chosen, 1, 3)
    release(QUERY)
    [file] = tmp_path.glob("part-*")
    if more["format"] == "parquet":
        assert pq.read_table(file)["v"].to_pylist() == [1, 2, 3]
        return
    data = file.read_bytes()
    assert (gzip.decompress(data) if "compression" in more else data).decode() == "v\n1\n2\n3\n"


def test_rows_that_cannot_appear_are_kept_and_said(tmp_path: Path) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1h"})
    put(chosen, 0, 1)
    aside = tmp_path / ASIDE / "s-0a1b2c3d"
    (aside / ".made-00000").mkdir()
    with pytest.raises(VeloError, match="the last files of sink 's' cannot be written") as caught:
        release(QUERY)
    assert str(aside) in caught.value.hint
    (aside / ".made-00000").rmdir()
    put(chosen, 0, 1)
    release(QUERY)
    assert rows(tmp_path) == {"000000000-00000.jsonl": [1]}


def test_a_file_that_could_not_be_made_does_not_take_the_place_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings(tmp_path, **{"rotation.interval": "1h"})
    put(chosen, 0, 1, 2)
    [rotation] = rotating._open.values()
    rotation.appear()
    put(chosen, 1, 3)

    def full(_: Any, pieces: Any, target: Path) -> None:
        target.write_text("")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(type(rotation.encoding), "join", full)
        with pytest.raises(OSError, match="No space"):
            rotation.appear()
    forget()
    put(chosen, 2, 4)
    release(QUERY)
    assert rows(tmp_path) == {"000000000-00000.jsonl": [1, 2], "000000002-00000.jsonl": [3, 4]}
    assert not list((tmp_path / ASIDE).glob("*/.made-*"))
