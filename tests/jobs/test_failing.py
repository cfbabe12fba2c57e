"""Failure strategies, without Spark: which letters are written, what is given up, what is counted."""

from __future__ import annotations

import logging
from collections import Counter
from threading import Event
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.jobs.accounts import Accounts, Counted
from velostream.jobs.failing import Failing
from velostream.retrying import Patience
from velostream.sinks.letters import letter


def failing(strategy: str, **more: Any) -> Failing:
    return Failing("job", strategy, Patience(2, 0.001), **more)


LETTERS = [
    letter(reason="undecodable", error="no JSON", record="{"),
    letter(reason="bad_value", error="ValueError: no", record='{"a": 1}'),
    letter(reason="too_late", record="{}"),
]


def test_dead_letters_are_written_and_nothing_is_given_up() -> None:
    one = failing("SendToDLQ")
    one.check(LETTERS, 0)
    assert one.kept(LETTERS) == LETTERS
    assert not one.looks_first


def test_what_is_only_logged_is_counted_as_dropped(caplog: pytest.LogCaptureFixture) -> None:
    one, accounts = failing("LogAndContinue"), Accounts()
    before = Counter(accounts.dead_lettered)
    with caplog.at_level(logging.WARNING, "velostream"):
        kept = one.kept([*LETTERS, *[LETTERS[0]] * 200])
    assert kept == [LETTERS[2]], "late records have a strategy of their own"
    assert "job 'job' dropped a record (undecodable): no JSON: {" in caplog.messages[0]
    assert "job 'job' dropped 102 more records (undecodable)" in caplog.messages[-1]
    accounts.add(0, [], {}, [Counted("undecodable", False, False, 3), Counted("", False, False, 2)])
    accounts.dead_lettered["too_late"] += 1
    one.settle(accounts, before)
    assert accounts.dropped == {"undecodable": 3}
    assert accounts.dead_lettered == {"too_late": 1}
    one.settle(accounts, Counter(accounts.dead_lettered))
    assert accounts.dropped == {"undecodable": 3}


def test_one_failing_record_ends_the_job_before_anything_is_written() -> None:
    one = failing("FailBatch")
    assert one.looks_first
    one.check([LETTERS[2]], 0)
    with pytest.raises(VeloError, match=r"a record failed \(undecodable\): no JSON, and 1 more") as caught:
        one.check(LETTERS, 0)
    assert (caught.value.error_code, caught.value.exit_code) == ("record-failed", 2)


def test_records_are_asked_for_where_somebody_reads_of_them(caplog: pytest.LogCaptureFixture) -> None:
    def fill(letters: Any) -> None:
        for one in letters:
            one["record"] = "asked for"

    def gone(letters: Any) -> None:
        raise VeloError("no broker", code="broker-unreachable")

    bare = {"reason": "bad_value", "error": "no", "source": "s", "partition": 1, "offset": 7}
    with pytest.raises(VeloError) as caught:
        failing("FailBatch", fill=fill).check([letter(**bare)], 0)
    assert caught.value.hint == "the record is asked for"
    with caplog.at_level(logging.WARNING, "velostream"):
        assert not failing("LogAndContinue", fill=fill).kept([letter(**bare)])
        assert not failing("LogAndContinue", fill=gone).kept([letter(**bare)])
    assert [said.rpartition("no: ")[2] for said in caplog.messages] == [
        "asked for",
        "not at hand (partition 1, offset 7)",
    ]


def test_records_that_fail_in_functions_are_tried_again_then_dead_letters() -> None:
    one = failing("RetryWithBackoff", calls_functions=True)
    pauses = []
    for _ in range(2):
        with pytest.raises(VeloError, match="1 records of micro-batch 7 failed: ValueError: no") as caught:
            one.check(LETTERS, 7)
        assert one.starts_again(caught.value, 7)
        pauses.append(one.pause(caught.value, 7))
    assert pauses == [0.001, 0.002]
    one.check(LETTERS, 7)
    assert one.kept(LETTERS) == LETTERS
    failing("RetryWithBackoff").check(LETTERS, 0)
    failing("RetryWithBackoff", calls_functions=True).check([LETTERS[0]], 0)


def test_a_source_that_is_interrupted_is_read_again_as_often_as_is_set() -> None:
    one, error = failing("SendToDLQ"), VeloError("gone", code="source-interrupted")
    assert [one.starts_again(error, 3) for _ in range(3)] == [True, True, False]
    assert not one.starts_again(VeloError("x", code="source-unreadable"), 4)


def test_calls_of_sinks_are_tried_again_but_not_with_fail_batch() -> None:
    calls = []

    def down() -> None:
        calls.append(1)
        raise VeloError("down", code="database-unreachable")

    one = failing("SendToDLQ")
    with pytest.raises(VeloError, match="down"):
        one.call("db", None, down, Event())
    assert len(calls) == 3
    assert one.breakers["db"].report()["failures"] == 3

    def full() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(VeloError, match="'out' cannot be written: No space left on device") as caught:
        one.call("out", None, full, Event())
    assert caught.value.error_code == "file-unusable"
    assert one.breakers["out"].calls == 3
