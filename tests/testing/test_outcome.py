from typing import Any

import pytest
from tests.testing.plans import case_of, planned

from velostream.testing.agreement import agreement
from velostream.testing.document import InvalidSpec
from velostream.testing.outcome import compare
from velostream.testing.running import Outcome

TWO_SINKS = """CREATE STREAM x AS SELECT k FROM s INTO a, b
  WITH ('a.type' = 'file_sink', 'a.path' = 'a', 'b.type' = 'file_sink', 'b.path' = 'b');"""


def outcome(rows: list[dict[str, Any]], **report: Any) -> Outcome:
    one = {"name": "query_1", "records": {"read": 3, "dead_lettered": {}}, "partitions": {"s/0": {"idle": False}}}
    return Outcome({("query_1", ""): rows}, {"query_1": []}, {"query_1": {**one, **report}})


def failures(expect: str, found: Outcome) -> list[str]:
    return compare(case_of(f"sql: X\nexpect: {expect}"), planned("SELECT k FROM s"), found)


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ("{rows: [{k: a}]}", ""),
        ("{rows: []}", "rows of 'query_1' are not as expected: 0 expected, 1 found"),
        ("{count: 2}", "not as many as expected: 2 expected, 1 found"),
        ("{query_1: [{k: a}]}", ""),
        ("{QUERY_1: {count: 1}}", ""),
        ("{dead_letters: [{reason: too_late}]}", "dead letters of 'query_1' are not as expected"),
        ("{report: {records: {read: 3}}}", ""),
        ("{report: {records.read: 4}}", "'records.read' of the report of 'query_1': 4 expected, 3 found"),
        ("{report: {records.dead_lettered: {}}}", ""),
        ("{report: {records.dead_lettered.too_late: 0}}", ""),
        ("{report: {records.dead_lettered.too_late: 1}}", "has no 'records.dead_lettered.too_late'"),
        ("{report: {partitions.s/0.idle: false}}", ""),
        ("{report: {watermark: 10:01}}", ""),
        ("{report: {watermark: 10:02}}", "10:02"),
    ],
)
def test_what_is_not_as_expected_is_told(expect: str, message: str) -> None:
    found = failures(expect, outcome([{"k": "a"}], watermark="2024-01-01T10:01:00+00:00"))
    assert (message in found[0]) if message else not found


def test_only_the_newest_revisions_may_count() -> None:
    rows = [{"k": "a", "_revision": 1}, {"k": "a", "_revision": 2}]
    assert not failures("{newest: [k], rows: [{k: a, _revision: 2}], count: 1}", outcome(rows))


def test_printed_lines_may_come_in_any_order() -> None:
    case = case_of("sql: X\nprinted: [b, a]")
    plan = planned("SELECT k FROM s")
    assert not compare(case, plan, Outcome(printed=["a", "b"]))
    assert compare(case, plan, Outcome(printed=["a"])) == [
        "printed lines are not as expected: 2 expected, 1 found\n  missing     {line: b}"
    ]


def test_names_that_are_neither_jobs_nor_sinks_are_refused() -> None:
    with pytest.raises(InvalidSpec, match="no job or sink 'query1'") as refusal:
        failures("{query1: {count: 1}}", outcome([]))
    assert "did you mean 'query_1'" in refusal.value.hint


def test_with_several_jobs_or_sinks_one_must_be_named() -> None:
    found = Outcome({("x", "a"): [{"k": "p"}], ("x", "b"): []}, {"x": []}, {"x": {"name": "x"}})
    two = planned(TWO_SINKS)
    assert not compare(case_of("sql: X\nexpect: {a: [{k: p}], b: []}"), two, found)
    with pytest.raises(InvalidSpec, match="job 'x' has 2 sinks") as refusal:
        compare(case_of("sql: X\nexpect: {x: []}"), two, found)
    assert "a, b" in refusal.value.hint
    with pytest.raises(InvalidSpec, match="there are 2 jobs"):
        compare(case_of("sql: X\nexpect: []"), planned(TWO_SINKS + "SELECT k FROM s"), found)


def test_a_resumed_run_must_give_the_same() -> None:
    whole = outcome([{"k": "a"}, {"k": "b"}], watermark="1")
    assert not list(agreement(whole, outcome([{"k": "b"}, {"k": "a"}], watermark="1")))
    resumed = outcome([{"k": "b"}, {"k": "b"}], watermark="2")
    resumed.printed.append("x")
    rows, watermark, printed = agreement(whole, resumed)
    assert rows.splitlines()[1:] == ["  lost        {k: a}", "  additional  {k: b}"]
    assert "'watermark' of the report of 'query_1' is 2, not 1" in watermark
    assert "printed lines are ['x'], not []" in printed


def test_what_the_clock_of_the_machine_says_may_differ() -> None:
    whole = outcome([], partitions={"s/0": {"lag_ms": 1}})
    whole.letters["query_1"] = [{"reason": "x", "written_at": "1"}]
    resumed = outcome([], partitions={"s/0": {"lag_ms": 2}})
    resumed.letters["query_1"] = [{"reason": "x", "written_at": "2"}]
    assert not list(agreement(whole, resumed))
