"""State that another version of the statement left: taken where it fits, else refused with what differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from tests.windows.driving import CALLS, Record, Run, frame, newest, settings

from velostream.errors import VeloError
from velostream.types import DOUBLE
from velostream.windows.accumulators import ACCUMULATORS
from velostream.windows.accumulators.base import Call
from velostream.windows.assigners import Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import emission
from velostream.windows.facts import Facts
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.operator import Operator
from velostream.windows.ranking import SORTED, Ranking
from velostream.windows.root import Made
from velostream.windows.rows import Standing, StandingSettings
from velostream.windows.settings import OperatorSettings
from velostream.windows.watermark import WatermarkSettings

OPEN = WatermarkSettings(max_out_of_orderness=1_000)
FIRST = settings(Tumbling(10), watermark=OPEN)


def upgraded(before: OperatorSettings, after: OperatorSettings) -> Run:
    """Two records under one statement, one more and the flush under another, on the same state."""
    run = Run(before)
    run.batch(Record(1, value=10), Record(2, value=20))
    run.settings = after
    run.batch(Record(3, value=5, offset=9))
    run.flush()
    return run


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (settings(Tumbling(20)), "its window was 'TUMBLING(size 10us)' and is 'TUMBLING(size 20us)' now"),
        (settings(Sliding(10, 5)), "its window was 'TUMBLING(size 10us)' and is 'SLIDING(size 10us, advance 5us)' now"),
        (settings(Tumbling(10), keys=("key", "value")), "its keys was 'key' and is 'key, value' now"),
        (settings(Tumbling(10), replaces=True), "its input was 'a stream of records'"),
        (settings(Tumbling(10), emission=emission(count=2, accumulation="discarding")), "its accumulation was"),
        (
            settings(Tumbling(10), calls=(Call("total", "sum", ("value",), (DOUBLE,)),)),
            "was 'Int128' and is 'Float64' now",
        ),
        (settings(Tumbling(10), meanings={"value": "price * 2"}), "was 'value' and is 'price * 2' now"),
    ],
)
def test_state_of_another_statement_is_refused_with_what_differs(after: OperatorSettings, told: str) -> None:
    run = Run(FIRST)
    run.batch(Record(1))
    run.settings = after
    with pytest.raises(VeloError) as refusal:
        run.batch(Record(2))
    assert told in refusal.value.message
    assert refusal.value.error_code == "state-mismatch"
    assert "checkpoint" in refusal.value.hint


def test_keys_of_another_type_are_refused() -> None:
    run = Run(replace(FIRST, meanings={"key": "symbol"}))
    run.batch(Record(1))
    numbers = frame([Record(2)]).with_columns(pl.lit(7).alias("key"))
    with pytest.raises(VeloError, match="key 'symbol' was 'String' and is 'Int32' now"):
        run.batch(more=numbers)


@pytest.mark.parametrize("window", [Tumbling(10), Session(100), Unbounded()], ids=lambda window: window.name)
def test_an_added_aggregate_begins_with_the_upgrade_and_the_others_go_on(window: Any) -> None:
    before = settings(window, calls=CALLS[:1], watermark=OPEN, emission=emission(windowed=window.name != "UNBOUNDED"))
    run = upgraded(before, replace(before, calls=CALLS))
    last = run.rows[-1]
    assert (last["n"], last["total"], last["_event_count"]) == (3, 5, 3)


@pytest.mark.parametrize("window", [Tumbling(10), Session(100), Unbounded()], ids=lambda window: window.name)
def test_an_added_aggregate_is_there_for_groups_that_saw_no_record_since(window: Any) -> None:
    how = emission("FINAL", windowed=window.name != "UNBOUNDED")
    before = settings(window, calls=CALLS[:1], watermark=OPEN, emission=how)
    run = Run(before)
    run.batch(Record(1))
    run.settings = replace(before, calls=CALLS)
    run.flush()
    assert [(row["n"], row["total"]) for row in run.rows] == [(1, None)]


def constants(name: str) -> tuple[Any, ...]:
    least = ACCUMULATORS[name].constants[0]
    return ((",",) if name == "string_agg" else (1,) if name == "topk" else (0.5,)) * least


NUMERIC = [name for name, kind in ACCUMULATORS.items() if name not in ("python", "count_if") and kind.arity < 3]
"""All that take numbers; the others are refused by their own check and left out below."""


def every_call() -> list[Call]:
    made = []
    for name in NUMERIC:
        call = Call("added", name, ("value",) * ACCUMULATORS[name].arity, (DOUBLE,) * ACCUMULATORS[name].arity)
        call = replace(call, parameters=constants(name))
        try:
            ACCUMULATORS[name](call)
        except VeloError:
            continue
        made.append(call)
    return made


@pytest.mark.parametrize("call", every_call(), ids=lambda call: call.name)
def test_every_aggregate_can_be_added(call: Call) -> None:
    before = settings(Tumbling(10), calls=CALLS[:1], watermark=OPEN)
    run = Run(before)
    run.batch(Record(1))
    run.settings = replace(before, calls=(CALLS[0], call))
    run.batch(more=frame([Record(2), Record(3, "b")]).with_columns(pl.col("value").cast(pl.Float64)))
    run.batch(more=frame([]).with_columns(pl.col("value").cast(pl.Float64)), flush=True)
    assert sorted((row["key"], row["n"]) for row in run.rows) == [("a", 2), ("b", 1)]


def test_a_removed_aggregate_is_forgotten() -> None:
    run = upgraded(FIRST, replace(FIRST, calls=CALLS[:1]))
    assert [row["n"] for row in run.rows] == [3]
    assert "total" not in run.rows[0]


@pytest.mark.parametrize(
    "change",
    [
        {"emission": emission("CHANGES")},
        {"emission": emission("CHANGES", granularity="batch")},
        {"emission": emission(accumulation="retracting")},
        {"emission": emission(count=2)},
        {"lateness": Lateness(50)},
        {"watermark": WatermarkSettings(max_out_of_orderness=2_000)},
        {"keeps_previous": True},
    ],
    ids=str,
)
def test_emission_lateness_and_time_may_change_both_ways(change: dict[str, Any]) -> None:
    changed = replace(FIRST, **change)
    for before, after in ((FIRST, changed), (changed, FIRST)):
        run = upgraded(before, after)
        assert newest(run.rows) == {("a", 0, 10): (3, 35, 3)}


def test_aggregates_and_retractions_may_change_together() -> None:
    before = settings(
        Tumbling(10), calls=CALLS[:1], lateness=Lateness(100), emission=emission(accumulation="retracting")
    )
    run = Run(before)
    run.batch(Record(1), Record(15))
    run.settings = replace(before, calls=CALLS)
    rows = run.batch(Record(2, value=7))
    assert [(row["_emission"], row["n"], row["total"]) for row in rows] == [("retract", 1, None), ("late", 2, 7)]


def test_other_operators_do_not_take_the_state_of_this_one() -> None:
    run = Run(FIRST)
    run.batch(Record(1))
    with pytest.raises(VeloError, match="its operator was 'aggregate' and is 'order and limit' now"):
        Standing(StandingSettings(Ranking(limit=1, kind=SORTED), ("n",)), run.store)


def test_state_that_says_nothing_of_its_purpose_is_taken() -> None:
    run = Run(FIRST)
    run.batch(Record(1))
    text = run.store["root"].decode("latin-1")
    begin, end = text.index('"made"'), text.index('"number"')
    run.store["root"] = (text[:begin] + text[end:]).encode("latin-1")
    assert Operator(FIRST, run.store).process(frame([]), Facts(flush=True)).results.height == 1


def test_parts_that_an_earlier_version_did_not_know_are_not_compared() -> None:
    Made({"operator": "a", "colour": "red"}).check({"fixed": {"operator": "a"}, "columns": {}})


def test_an_added_aggregate_is_there_when_a_closed_window_is_updated() -> None:
    late = Lateness(strategy=LateStrategy.UPDATE_PREVIOUS)
    before = settings(Tumbling(10), calls=CALLS[:1], lateness=late)
    run = Run(before)
    run.batch(Record(1), Record(30))
    run.settings = replace(before, calls=CALLS)
    rows = run.batch(Record(2, value=7))
    assert [(row["_emission"], row["n"], row["total"]) for row in rows] == [("late", 2, 7)]
