from typing import Any

from tests.cli.live.test_drawing import drawn

from velostream.cli.live.summary import rows, sentence, table

RECORDS: dict[str, Any] = {
    "read": 10,
    "in_results": 5,
    "filtered": 1,
    "open": 1,
    "duplicates": 0,
    "unmatched": 0,
    "expanded": 0,
    "replayed": 0,
    "dead_lettered": {"too_late": 2},
    "dropped": {"late": 1},
}
EMITTED = {"early": 0, "final": 4, "late": 1, "change": 0, "retract": 0}
JOB = {"name": "x", "state": "done", "stateful": True, "records": RECORDS, "emitted": EMITTED, "seconds": 2.0}


def test_the_summary_adds_up_in_words() -> None:
    assert sentence(JOB) == "x done: 10 read = 5 in results + 1 filtered + 1 open + 2 dead letters + 1 dropped"


def test_rare_classes_are_named_where_there_are_any() -> None:
    records = {**RECORDS, "duplicates": 3, "unmatched": 4, "expanded": 7, "replayed": 2}
    assert "10 read + 7 expanded + 2 replayed = 5 in results" in sentence({**JOB, "records": records})
    assert sentence({**JOB, "records": records}).endswith("+ 1 dropped + 3 duplicates + 4 unmatched")


def test_rows_are_told_by_kind() -> None:
    assert rows(JOB) == "4 final, 1 late"
    assert rows({**JOB, "emitted": {}, "stateful": False}) == "5"


def test_a_job_whose_files_are_read_to_their_end_and_that_said_nothing_shows_no_rows() -> None:
    assert rows({**JOB, "emitted": dict.fromkeys(EMITTED, 0), "partitions": {}}) == "0"


def test_a_terminal_gets_a_table() -> None:
    text = drawn(
        table([JOB, {**JOB, "name": "y", "state": "failed", "records": {**RECORDS, "expanded": 2, "unmatched": 2}}])
    )
    for part in ("= in results", "+ dead letters", "+ expanded", "+ unmatched", "failed"):
        assert part in text
