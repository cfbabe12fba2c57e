"""What a job says that goes on after a flush."""

import logging
from pathlib import Path

import pytest

from velostream.jobs.after_flush import warn_after_flush
from velostream.jobs.home import Home
from velostream.plan import plan
from velostream.validation import validate

SOURCE = (
    "CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('s.type' = 'file_source', 's.path' = 'in/*.jsonl', "
    "'s.format' = 'jsonl', 's.event.time.field' = 'at');\n-- @name: sums\n"
)
SUMS = "SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(10s)"


def warnings(sql: str, home: Home, caplog: pytest.LogCaptureFixture) -> list[str]:
    answer = validate(SOURCE + sql, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    [job] = plan(answer.bound, answer.library).jobs
    with caplog.at_level(logging.WARNING, "velostream"):
        warn_after_flush(job, home)
    return caplog.messages


def test_windows_whose_corrections_look_like_other_rows_say_so_after_a_flush_and_not_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert warnings(SUMS, Home(tmp_path), caplog) == []
    Home(tmp_path).will_flush()
    [message] = warnings(SUMS, Home(tmp_path), caplog)
    assert message.startswith("job 'sums' goes on after a flush")
    assert "set 'allowed.lateness' = '1s'" in message


def test_a_condition_that_cannot_take_back_what_it_let_through_says_so_whatever_is_selected(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Home(tmp_path).will_flush()
    sql = SUMS.replace(" AS total", " AS total, _revision AS told") + " HAVING SUM(v) < 10"
    assert len(warnings(sql, Home(tmp_path), caplog)) == 1


@pytest.mark.parametrize(
    "sql",
    [
        f"{SUMS} WITH ('allowed.lateness' = '1s')",
        f"{SUMS} EMIT CHANGES",
        SUMS.replace(" AS total", " AS total, _revision AS told"),
        "SELECT k, v FROM s WHERE v > 1",
    ],
)
def test_rows_that_tell_what_they_correct_need_no_warning(
    sql: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Home(tmp_path).will_flush()
    assert warnings(sql, Home(tmp_path), caplog) == []
