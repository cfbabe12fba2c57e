"""What came from the web: read once, wherever a process dies, and not remembered for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

from velostream.sources.streams import inbox as module
from velostream.sources.streams.decoding import FileForm
from velostream.sources.streams.files import FileOptions
from velostream.sources.streams.inbox import Inbox, InboxReader


def reader(home: Path) -> InboxReader:
    """As a process has it that has just begun."""
    manifest = str(home / "hooks.jsonl")
    options = FileOptions("hooks", f"{home}/hooks/*.jsonl", "", manifest, FileForm("jsonl", ()), interval=0.0)
    return InboxReader(options, StructType())


def paths(one: InboxReader, start: dict[str, Any], end: dict[str, Any]) -> list[str]:
    return [Path(part.value.path).read_text() for part in one.partitions(start, end)]


def test_the_manifest_lets_go_what_was_committed_and_a_new_process_finds_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OLD", 5)
    inbox, one = Inbox(tmp_path / "hooks", "jsonl"), reader(tmp_path)
    start, read = one.initialOffset(), []
    for number in range(100):
        inbox.put(f"{number}".encode(), repeats=True)
        end = one.latestOffset(start, one.getDefaultReadLimit())
        assert end["files"] == number + 1
        if number % 7 == 3:  # killed before the micro-batch is committed, which then runs again
            one = reader(tmp_path)
        read += paths(one, start, end)
        one.commit(end)
        start = end
        assert len((tmp_path / "hooks.jsonl").read_text().splitlines()) <= 2 * 5 + 2
        assert len(one.manifest.taken.held) == len(one.manifest.numbers) == 0
    assert read == [f"{number}" for number in range(100)]
    assert not list((tmp_path / "hooks").glob("[0-9]*"))


def test_what_a_process_left_unremoved_is_removed_and_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OLD", 1)
    inbox, one = Inbox(tmp_path / "hooks", "jsonl"), reader(tmp_path)
    for number in range(3):
        inbox.put(f"{number}".encode())
    first = one.latestOffset(one.initialOffset(), one.getDefaultReadLimit())
    killed = pytest.raises(KeyboardInterrupt)
    with monkeypatch.context() as killing, killed:
        killing.setattr(module, "_settle", _dies)
        one.commit(first)
    again = reader(tmp_path)
    assert again.latestOffset(first, again.getDefaultReadLimit()) == first
    inbox.put(b"3")
    second = again.latestOffset(first, again.getDefaultReadLimit())
    assert paths(again, first, second) == ["3"]
    again.commit(second)
    assert json.loads((tmp_path / "hooks.jsonl").read_text()) == {"gone": 4}


def _dies(folder: Path) -> None:
    raise KeyboardInterrupt
