from datetime import datetime
from pathlib import Path

from velostream.sinks.letters import FIELDS, iso, letter, read_letters, write_letters


def test_a_letter_says_all_there_is_to_know(tmp_path: Path) -> None:
    one = letter(
        reason="too_late",
        error=None,
        source="s",
        partition=3,
        offset=42,
        event_time=1_700_000_000_000_000,
        watermark=1_700_000_060_000_001,
        lateness=60_000_001,
        record='{"k": "a"}',
    )
    assert write_letters(tmp_path / "letters", "x", 7, [one]) == 1
    [found] = read_letters(tmp_path / "letters")
    assert set(found) == {*FIELDS, "id", "job", "batch", "written_at"}
    assert (found["job"], found["batch"], found["partition"], found["offset"]) == ("x", 7, 3, 42)
    assert found["event_time"] == "2023-11-14T22:13:20Z"
    assert found["watermark"] == "2023-11-14T22:14:20.000001Z"
    assert found["lateness_ms"] == 60_000
    assert found["record"] == '{"k": "a"}'
    assert datetime.fromisoformat(found["written_at"]).tzinfo is not None


def test_letters_of_a_batch_that_comes_again_are_there_once(tmp_path: Path) -> None:
    for batch in (10, 2, 10):
        write_letters(tmp_path, "x", batch, [letter(reason="undecodable", record="{")])
    assert [found["batch"] for found in read_letters(tmp_path)] == [2, 10]


def test_a_batch_without_letters_leaves_no_file(tmp_path: Path) -> None:
    assert write_letters(tmp_path / "none", "x", 0, []) == 0
    assert list(read_letters(tmp_path / "none")) == []


def test_times_before_1970_and_beyond_all_years_have_a_text() -> None:
    assert iso(-1) == "1969-12-31T23:59:59.999999Z"
    assert iso(1 << 62) == f"{1 << 62} us"
    assert iso(None) is None
