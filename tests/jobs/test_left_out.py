"""What the rows of a query could not hold is said in words."""

from __future__ import annotations

from velostream.jobs.left_out import letters_of, said


def test_dead_letters_of_all_jobs_are_said_by_reason_and_nothing_where_there_are_none() -> None:
    jobs = [{"records": {"dead_lettered": each}} for each in ({"too_late": 1_200}, {"bad_value": 1, "too_late": 3}, {})]
    assert letters_of({"jobs": jobs}) == {"too_late": 1_203, "bad_value": 1}
    assert said({"jobs": jobs}) == "dead letters: 1 bad_value, 1,203 too_late"
    assert said({"jobs": jobs[2:]}) == ""
    assert said({}) == ""
