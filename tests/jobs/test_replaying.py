"""Requests to replay letters: once, whatever is cut short, and only what is a record."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.jobs.home import Home
from velostream.jobs.letters import JobLetters, Wanted, letters_of
from velostream.jobs.replaying import NOTES, recover, replay, replays
from velostream.plan import plan
from velostream.replayed import marked
from velostream.sinks.letters import letter, store_of
from velostream.validation import validate


@pytest.fixture
def letters(tmp_path: Path) -> JobLetters:
    home = Home(tmp_path / "job")
    home.checkpoint.mkdir(parents=True)
    store = store_of("", "job", home.letters, tmp_path)
    late: dict[str, Any] = {"source": "s", "partition": 2, "offset": 9, "lateness": 5_000, "watermark": 10}
    store.write("q", 3, [letter(reason="too_late", record="{}", **late), letter(reason="failed_group", error="x")])
    store.write("q", 4, [letter(reason="undecodable", record="base64:/w==", source="s/topic")])
    return JobLetters("job", home, store)


def requests(letters: JobLetters) -> list[dict[str, Any]]:
    files = sorted((letters.home.folder / "replay").glob("*/*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_letter_is_replayed_once_and_says_so(letters: JobLetters) -> None:
    done = replay(letters.home, letters.found(Wanted()), "drop")
    assert done.records == 2
    assert done.passed_over == [("000000003-000001", "it is a row that the job made, and no record of a source")]
    first, second = requests(letters)
    assert base64.b64decode(first["value"]) == b"{}"
    assert (first["source"], first["partition"], first["offset"]) == (marked("s", "drop", passed=True), 2, 9)
    assert base64.b64decode(second["value"]) == b"\xff"
    assert second["source"] == marked("s/topic", "drop", passed=False)
    assert [bool(found["replayed_at"]) for found in letters.found(Wanted())] == [True, False, True]
    again = replay(letters.home, letters.found(Wanted(reason="too_late")))
    assert again.records == 0
    assert again.passed_over[0][1].startswith("it was replayed at ")
    assert len(requests(letters)) == 2


def test_what_was_cut_short_is_finished_or_removed(letters: JobLetters) -> None:
    replay(letters.home, letters.found(Wanted(reason="too_late")))
    folder = letters.home.folder / "replay" / "s"
    (folder / "000000001.jsonl").replace(folder / ".request-000000001")
    (folder / ".request-000000002").write_text("{}\n")
    recover(letters.home)
    assert [file.name for file in folder.iterdir()] == ["000000001.jsonl"]
    assert list(replays(letters.home)) == ["000000003-000000"]


def test_nothing_is_noted_where_nothing_comes_again(letters: JobLetters) -> None:
    assert replay(letters.home, letters.found(Wanted(text="no such text"))).records == 0
    assert not (letters.home.folder / NOTES).exists()


def test_letters_are_chosen_by_reason_source_time_and_text(letters: JobLetters) -> None:
    def ids(**wanted: Any) -> list[str]:
        return [found["id"][-8:] for found in letters.found(Wanted(**wanted))]

    assert ids(reason="TOO_LATE") == ["3-000000"]
    assert ids(source="s") == ["3-000000", "4-000000"], "whatever topic of it a record is from"
    assert ids(source="S/topic") == ["4-000000"]
    assert ids(until="2000-01-01T00:00:00Z") == []
    assert len(ids(since="2000-01-01T00:00:00Z")) == 3
    assert ids(text="/W=") == ["4-000000"]


def test_the_time_of_a_letter_is_compared_as_a_time_and_not_as_text(letters: JobLetters) -> None:
    one = {**next(letters.found(Wanted())), "written_at": "2026-01-31T12:00:00.500000Z"}
    assert Wanted(since="2026-01-31T12:00:00Z").takes(one)
    assert not Wanted(until="2026-01-31T12:00:00Z").takes(one)
    assert Wanted(until="2026-01-31T12:00:01Z").takes(one)


def test_two_who_replay_at_once_replay_each_letter_once(letters: JobLetters) -> None:
    found = list(letters.found(Wanted()))
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: replay(letters.home, found).records, range(8)))
    assert sorted(done) == [0] * 7 + [2]
    assert len(requests(letters)) == 2


def test_purged_letters_are_gone_and_the_others_keep_their_ids(letters: JobLetters) -> None:
    assert letters.store.purge({one["id"] for one in letters.found(Wanted(reason="too_late"))}) == 1
    assert [found["id"] for found in letters.found(Wanted())] == ["000000003-000001", "000000004-000000"]
    assert letters.store.purge({"000000004-000000"}) == 1
    assert not (letters.home.letters / "000000004.jsonl").exists()


def test_a_job_that_never_ran_takes_nothing_back(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="job 'x' has never run here"):
        replay(Home(tmp_path / "x"), [])


def test_windows_are_not_opened_again_over_complete_rows(letters: JobLetters) -> None:
    upserting = replace(letters, overwrites="totals")
    for late in ("process_all", "process_with_warning"):
        with pytest.raises(VeloError, match="would overwrite complete rows in 'totals'") as caught:
            upserting.replay(letters.found(Wanted()), late)
        assert caught.value.error_code == "late-strategy"
    assert upserting.replay(letters.found(Wanted()), "include_in_next").records == 2
    assert letters.replay(letters.found(Wanted())).records == 0


def test_only_jobs_with_windows_or_groups_could_overwrite_rows(tmp_path: Path) -> None:
    text = """
        CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
        CREATE TABLE sums AS SELECT k, SUM(v) AS v FROM s GROUP BY k;
        CREATE TABLE newest AS SELECT k PRIMARY KEY, v FROM s;
        CREATE STREAM counted AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH (
            'out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl');"""
    answer = validate(text, "app.sql", variables={}, folder=tmp_path)
    assert answer.ok, answer.findings.errors
    found = {job.name: letters_of(job, tmp_path, tmp_path).overwrites for job in plan(answer.bound).jobs}
    assert found == {"sums": "sums", "newest": "", "counted": ""}
