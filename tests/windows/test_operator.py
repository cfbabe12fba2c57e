"""The operator by example: what goes out, when, and what becomes of every record."""

from typing import Any

import polars as pl
import pytest
from tests.windows.driving import Record, Run, frame, settings, short

from velostream.durations import MINUTE, SECOND
from velostream.errors import EmissionConflict, InvalidPlan
from velostream.types import BIGINT
from velostream.windows.accumulators.base import Call
from velostream.windows.assigners import Cumulate, Session, Sliding, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import emission
from velostream.windows.facts import Progress
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.store import MemoryStore
from velostream.windows.watermark import Scope, Strategy, WatermarkSettings

FIVE = 5 * SECOND
ROW = ("_window_start", "_window_end", "n", "_emission", "_revision")


def at(*seconds: float, key: str = "a") -> list[Record]:
    return [Record(int(second * SECOND), key, offset=number) for number, second in enumerate(seconds)]


def points(*times: int, key: str = "a") -> list[Record]:
    return [Record(time, key, offset=100 + time) for time in times]


def test_two_rows_without_an_emit_clause() -> None:
    #  0   1 2   5 6 7   10
    #  [   * *   )
    #            [ * *    )
    run = Run(settings(Tumbling(FIVE)))
    run.batch(*at(1, 2, 6, 7))
    run.flush()
    assert short(run.rows, *ROW) == [(0, FIVE, 2, "final", 1), (FIVE, 2 * FIVE, 2, "final", 1)]


def test_four_rows_with_emit_changes() -> None:
    run = Run(settings(Tumbling(FIVE), emission=emission("CHANGES")))
    run.batch(*at(1, 2, 6, 7))
    run.flush()
    assert short(run.rows, "_window_start", "n", "_emission", "_revision") == [
        (0, 1, "change", 1),
        (0, 2, "change", 2),
        (FIVE, 1, "change", 1),
        (FIVE, 2, "change", 2),
    ]


def test_a_window_closes_when_the_watermark_reaches_its_end_and_not_before() -> None:
    run = Run(settings(Tumbling(10)))
    assert run.batch(*points(3, 9)) == []
    assert run.outcomes[-1].stats.open == 2
    assert short(run.batch(*points(10)), *ROW) == [(0, 10, 2, "final", 1)]
    assert run.outcomes[-1].stats.in_results == 2


def test_an_event_exactly_on_a_boundary_belongs_to_the_later_window() -> None:
    run = Run(settings(Tumbling(10)))
    run.batch(*points(10, 0, -10, -1))
    run.flush()
    assert short(run.rows, "_window_start", "n") == [(-10, 2), (0, 1), (10, 1)]


def test_rows_carry_the_watermark_and_the_number_of_events() -> None:
    run = Run(settings(Tumbling(10)))
    (row,) = run.batch(*points(3, 4, 25))
    assert (row["_watermark"], row["_event_count"], row["total"]) == (25, 2, 2)


def test_a_late_record_that_is_accepted_fires_again_with_the_next_revision() -> None:
    #  0        10       20       watermark 15: [0, 10) has fired; 8 comes late
    run = Run(settings(Tumbling(10), lateness=Lateness(10)))
    run.batch(*points(3, 15))
    assert short(run.batch(*points(8)), *ROW) == [(0, 10, 2, "late", 2)]
    assert run.total("late_firings") == 1
    assert run.total("windows_with_late_data") == 1


def test_a_late_record_whose_window_has_not_fired_only_joins_it() -> None:
    run = Run(settings(Tumbling(10)))
    run.batch(*points(7))
    assert run.batch(*points(3)) == []
    assert short(run.batch(*points(10)), *ROW) == [(0, 10, 2, "final", 1)]
    assert run.total("late_events") == 1


def test_a_late_record_of_a_new_group_opens_it_with_a_late_row_at_revision_one() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(10)))
    run.batch(*points(3, 15))
    assert short(run.batch(*points(8, key="b")), "key", *ROW) == [("b", 0, 10, 1, "late", 1)]


def test_too_late_is_a_dead_letter_with_partition_offset_and_lateness() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(5)))
    run.batch(*points(15))
    assert run.batch(Record(4, partition=3, offset=77), progress=()) == []
    (letter,) = run.letters
    assert (letter["_reason"], letter["_partition"], letter["_offset"]) == ("too_late", 3, 77)
    assert (letter["_lateness"], letter["_watermark"], letter["_dead"]) == (11, 15, True)
    assert run.outcomes[-1].stats.dead_lettered == {"too_late": 1}


def test_state_goes_when_the_lateness_is_over() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(5)))
    run.batch(*points(3, 14))
    assert run.outcomes[-1].stats.windows_held == 1
    run.batch(*points(15))
    assert run.outcomes[-1].stats.windows_held == 0
    assert run.outcomes[-1].stats.open_windows == 1


def test_drop_counts_what_it_drops() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(0, LateStrategy.DROP)))
    run.batch(*points(15))
    run.batch(*points(3))
    assert run.outcomes[-1].stats.dropped == {"too_late": 1}
    assert [letter["_dead"] for letter in run.letters] == [False]


@pytest.mark.parametrize("strategy", [LateStrategy.PROCESS_ALL, LateStrategy.PROCESS_WITH_WARNING])
def test_process_all_opens_the_window_again_with_what_came_since(strategy: LateStrategy) -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(0, strategy)))
    run.batch(*points(3, 15))
    assert short(run.batch(*points(4, 5)), *ROW) == [(0, 10, 2, "late", 1)]
    assert short(run.batch(*points(6)), *ROW) == [(0, 10, 1, "late", 1)]
    assert run.total("warnings") == (3 if strategy is LateStrategy.PROCESS_WITH_WARNING else 0)


@pytest.mark.parametrize("window", [Tumbling(10), Session(5), Session(5, max=20)])
def test_process_all_has_a_row_for_every_late_record_where_changes_have(window: Any) -> None:
    run = Run(settings(window, lateness=Lateness(0, LateStrategy.PROCESS_ALL), emission=emission("changes")))
    run.batch(*points(40))
    together = run.batch(Record(5, value=2), Record(3, offset=1), Record(4, "b", 7), Record(5, value=3, offset=2))
    assert short(together, "key", "n", "total", "_emission", "_revision") == [
        ("a", 1, 1, "late", 1),
        ("b", 1, 7, "late", 1),
        ("a", 1, 2, "late", 1),
        ("a", 1, 3, "late", 1),
    ]
    assert run.total("in_results") == 5


def test_include_in_next_counts_in_the_window_that_holds_the_watermark() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(0, LateStrategy.INCLUDE_IN_NEXT)))
    run.batch(*points(15))
    run.batch(*points(3))
    assert short(run.batch(*points(20)), *ROW) == [(10, 20, 2, "final", 1)]


@pytest.mark.parametrize("allowed", [0, 100])
def test_update_previous_fires_the_last_closed_window_of_the_key_again(allowed: int) -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(allowed, LateStrategy.UPDATE_PREVIOUS)))
    run.batch(*points(3, 12, 25))
    run.batch(*points(200))
    assert short(run.batch(*points(-50)), *ROW) == [(20, 30, 2, "late", 2)]
    assert short(run.batch(*points(-40)), *ROW) == [(20, 30, 3, "late", 3)]
    assert run.batch(*points(-40, key="b")) == []
    assert [letter["key"] for letter in run.letters] == ["b"]


def test_update_previous_knows_the_last_closed_window_for_its_time_to_live() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(0, LateStrategy.UPDATE_PREVIOUS), ttl=100))
    run.batch(*points(3))
    run.batch(*points(105, key="b"))
    assert short(run.batch(*points(4)), *ROW) == [(0, 10, 2, "late", 2)]
    run.batch(*points(110, key="b"))
    assert run.batch(*points(4)) == []
    assert [letter["key"] for letter in run.letters] == ["a"]


def test_update_previous_is_not_forgotten_by_a_later_correction() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(20, LateStrategy.UPDATE_PREVIOUS)))
    run.batch(*points(15, 25))
    run.batch(*points(-50))
    assert short(run.batch(*points(16)), *ROW) == [(10, 20, 3, "late", 3)]


def test_update_previous_moves_with_its_session() -> None:
    run = Run(settings(Session(5), lateness=Lateness(50, LateStrategy.UPDATE_PREVIOUS)))
    run.batch(*points(10, 40))
    assert short(run.batch(*points(-60)), *ROW) == [(10, 15, 2, "late", 2)]
    assert short(run.batch(*points(14)), *ROW) == [(10, 19, 3, "late", 3)]
    run.batch(*points(200))
    assert short(run.batch(*points(-60)), *ROW) == [(40, 45, 2, "late", 2)]


def test_sliding_is_too_late_only_for_all_windows_and_each_missed_one_is_a_violation() -> None:
    #  windows of 12:  [0, 10) and [5, 15) are gone; [10, 20) is not
    run = Run(settings(Sliding(10, 5)))
    run.batch(*points(16))
    run.batch(*points(12))
    assert run.letters == []
    assert run.total("allowed_lateness_violations") == 1
    run.flush()
    assert short(run.rows, "_window_start", "n") == [(10, 2), (15, 1)]
    assert run.total("in_results") == 2


def test_sliding_of_fifteen_minutes_by_one_gives_fifteen_windows() -> None:
    run = Run(settings(Sliding(15 * MINUTE, MINUTE)))
    run.batch(Record(7 * MINUTE + 1))
    assert len(run.flush()) == 15
    assert run.total("windows_created") == 15


def test_cumulating_windows_grow() -> None:
    run = Run(settings(Cumulate(5, 15)))
    run.batch(*points(1, 6, 11, 15))
    assert short(run.rows, "_window_start", "_window_end", "n") == [(0, 5, 1), (0, 10, 2), (0, 15, 3)]


def test_a_session_bridged_by_a_late_event_withdraws_the_second_and_corrects_the_first() -> None:
    #  0 . . . . 5          two sessions have fired; 3 joins them
    #  [---)     [---)
    run = Run(settings(Session(3), lateness=Lateness(100)))
    run.batch(*points(0, 5, 30))
    assert short(run.rows, *ROW) == [(0, 3, 1, "final", 1), (5, 8, 1, "final", 1)]
    assert short(run.batch(*points(3)), *ROW) == [(5, 8, 1, "retract", 1), (0, 8, 3, "late", 2)]


def test_a_session_that_begins_earlier_than_thought_is_withdrawn_and_said_anew() -> None:
    run = Run(settings(Session(5), lateness=Lateness(100)))
    run.batch(*points(10, 40))
    assert short(run.batch(*points(7)), *ROW) == [(10, 15, 1, "retract", 1), (7, 15, 2, "late", 1)]


def test_a_session_takes_an_event_exactly_at_its_end_and_closes_after() -> None:
    run = Run(settings(Session(5)))
    run.batch(*points(0))
    assert run.batch(Record(5, "b")) == []
    assert run.batch(*points(5)) == []
    assert sorted(short(run.batch(Record(11, "b")), "key", *ROW))[0] == ("a", 0, 10, 2, "final", 1)


def test_a_session_is_closed_by_its_gap_or_by_max() -> None:
    run = Run(settings(Session(5, max=10)))
    run.batch(*points(0, 4, 8))
    assert short(run.batch(*points(12)), *ROW, "closed_by") == [(0, 10, 3, "final", 1, "max")]
    assert short(run.batch(*points(60)), *ROW, "closed_by") == [(12, 17, 1, "final", 1, "gap")]


def test_an_event_too_old_by_itself_is_accepted_where_it_joins_a_retained_session() -> None:
    run = Run(settings(Session(10)))
    run.batch(*points(20, 28))
    run.batch(Record(35, "b"))
    assert run.batch(*points(12)) == []
    assert sorted(short(run.batch(Record(60, "b")), "key", *ROW))[0] == ("a", 12, 38, 3, "final", 1)
    assert run.letters == []


def test_group_by_without_a_window_gives_changes_and_nothing_is_late() -> None:
    run = Run(settings(Unbounded(), emission=emission(windowed=False)))
    run.batch(*points(5, 50))
    assert short(run.batch(*points(1)), "_window_start", "n", "_emission", "_revision") == [(None, 3, "change", 3)]
    assert run.flush() == []


def test_final_without_a_window_speaks_on_a_flush_and_again_when_changed() -> None:
    run = Run(settings(Unbounded(), emission=emission("FINAL")))
    run.batch(*points(5, 50))
    assert run.rows == []
    assert short(run.flush(), "n", "_emission", "_revision") == [(2, "final", 1)]
    assert short(run.batch(*points(6)), "n", "_emission", "_revision") == [(3, "late", 2)]


def test_a_time_to_live_forgets_groups_and_counts_what_was_never_said() -> None:
    run = Run(settings(Unbounded(), emission=emission("FINAL"), ttl=20))
    run.batch(*points(5))
    run.batch(Record(26, "b"))
    assert run.outcomes[-1].stats.dropped == {"state_ttl": 1}
    assert run.total("expired_groups") == 1
    assert short(run.flush(), "key") == [("b",)]


def test_a_flush_moves_no_watermark_and_deletes_nothing() -> None:
    run = Run(settings(Tumbling(10)))
    run.batch(*points(3))
    assert short(run.flush(), *ROW) == [(0, 10, 1, "final", 1)]
    assert run.outcomes[-1].stats.watermark == 3
    assert run.flush() == []
    assert short(run.batch(*points(4)), *ROW) == [(0, 10, 2, "late", 2)]
    assert run.batch(*points(12)) == []
    assert run.outcomes[-1].stats.open == 1


def test_early_rows_come_by_the_clock_only_for_groups_that_changed() -> None:
    run = Run(settings(Tumbling(100), emission=emission(early=30)))
    assert run.batch(*points(1), now=0) == []
    assert run.outcomes[-1].next_tick == 30
    assert run.batch(now=29) == []
    assert short(run.batch(now=30), "n", "_emission", "_revision") == [(1, "early", 1)]
    assert run.batch(now=90) == []
    assert short(run.batch(*points(2), now=95), "n", "_emission") == [(2, "early")]
    assert short(run.batch(*points(100), now=96), "n", "_emission", "_revision") == [(2, "final", 3)]
    assert run.outcomes[-1].stats.open == 1


def test_without_a_clock_no_early_rows_come() -> None:
    run = Run(settings(Tumbling(100), emission=emission(early=30)))
    run.batch(*points(1), now=0, clocked=False)
    assert run.batch(*points(2), now=500, clocked=False) == []


def test_a_critical_record_speaks_at_once_and_the_fallback_later() -> None:
    run = Run(settings(Sliding(20, 10), emission=emission(on="alarm", fallback=5)))
    rows = run.batch(Record(12, alarm=True), now=0)
    assert short(rows, "_window_start", "_emission") == [(0, "early"), (10, "early")]
    assert run.batch(Record(13), now=3) == []
    assert short(run.batch(now=5), "_window_start", "n") == [(0, 2), (10, 2)]


def test_every_n_rows_counts_records_since_the_last_row() -> None:
    run = Run(settings(Tumbling(100), emission=emission(count=2)))
    assert run.batch(*points(1)) == []
    assert short(run.batch(*points(2)), "n", "_emission") == [(2, "early")]
    assert run.batch(*points(3)) == []


def test_retracting_withdraws_the_previous_value_before_each_new_one() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(20), emission=emission(accumulation="retracting")))
    run.batch(*points(3, 15))
    assert short(run.batch(*points(4)), "n", "_emission", "_revision") == [(1, "retract", 1), (2, "late", 2)]


def test_a_row_carries_the_values_that_it_corrects_where_the_plan_needs_them() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(20), keeps_previous=True))
    first = run.batch(*points(3, 15))
    assert first[0]["_previous"] is None
    assert run.batch(*points(4))[0]["_previous"]["n"] == 1


def test_changes_by_record_are_in_event_order_and_sliding_windows_oldest_first() -> None:
    run = Run(settings(Sliding(10, 5), emission=emission("CHANGES")))
    rows = run.batch(*points(12, 7))
    assert short(rows, "_window_start", "n", "_revision") == [(0, 1, 1), (5, 1, 1), (5, 2, 2), (10, 1, 1)]


def test_changes_after_the_close_are_late() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(50), emission=emission("CHANGES", granularity="batch")))
    run.batch(*points(3, 15))
    assert short(run.batch(*points(4)), *ROW) == [(0, 10, 2, "late", 2)]


def test_a_skewed_clock_is_refused_and_drags_nothing_forward() -> None:
    run = Run(settings(Tumbling(10), max_clock_skew=30))
    run.batch(*points(3, 500), now=100)
    assert short(run.letters, "_event_time", "_reason") == [(500, "clock_skew")]
    assert run.outcomes[-1].stats.watermark == 3


def test_a_record_without_a_time_is_a_dead_letter() -> None:
    run = Run(settings(Tumbling(10)))
    run.batch(Record(None), Record(3))
    assert run.outcomes[-1].stats.dead_lettered == {"no_event_time": 1}


def test_processing_time_closes_windows_by_the_clock_and_knows_no_lateness() -> None:
    run = Run(settings(Tumbling(10), watermark=WatermarkSettings(strategy=Strategy.PROCESSING)))
    run.batch(Record(3), now=5)
    run.batch(Record(4), now=6)
    assert short(run.batch(now=10), *ROW) == [(0, 10, 2, "final", 1)]
    assert run.total("late_events") == 0


def test_an_overflow_is_a_failure_of_its_group_alone() -> None:
    calls = (Call("total", "sum", ("value",), (BIGINT,)),)
    run = Run(settings(Tumbling(10), calls=calls))
    most = (1 << 63) - 1
    run.batch(Record(1, "a", most), Record(2, "a", most), Record(3, "b", 5), Record(10, "b", 1))
    assert short(run.rows, "key", "total") == [("b", 5)]
    assert run.outcomes[-1].failures["key"].to_list() == ["a"]
    assert run.total("failed_groups") == 1
    assert run.outcomes[-1].stats.dead_lettered == {"failed_group": 2}
    assert (run.outcomes[-1].stats.in_results, run.outcomes[-1].stats.open) == (1, 1)


MOST = (1 << 63) - 1
SUM = (Call("total", "sum", ("value",), (BIGINT,)),)


def test_what_failed_is_told_in_the_words_of_the_statement_with_its_group_and_window() -> None:
    meanings = {"key": "s.k", "value": "s.price"}
    run = Run(settings(Tumbling(10_000_000), calls=(Call("total", "sum", ("value",), (BIGINT,)),), meanings=meanings))
    run.batch(Record(3, "a", 2**63 - 1), Record(4, "a", 1), Record(5, None, 2**63 - 1), Record(6, None, 1))
    run.flush()
    assert sorted(run.outcomes[-1].failures["_error"]) == [
        "SUM(s.price) overflows BIGINT: s.k = NULL in the window from 1970-01-01T00:00:00Z to 1970-01-01T00:00:10Z",
        "SUM(s.price) overflows BIGINT: s.k = a in the window from 1970-01-01T00:00:00Z to 1970-01-01T00:00:10Z",
    ]


@pytest.mark.parametrize(
    ("window", "more", "batches", "dead", "in_results"),
    [
        (Tumbling(10), {"lateness": Lateness(50)}, ["1 1 11", "2M", "3M"], 2, 3),
        (Tumbling(10), {"lateness": Lateness(50)}, ["1M 2M 11", "3", "4- 5-"], 3, 3),
        (Tumbling(10), {"lateness": Lateness(0, LateStrategy.PROCESS_ALL)}, ["15", "1M 2M"], 2, 1),
        (Tumbling(10), {"lateness": Lateness(0, LateStrategy.UPDATE_PREVIOUS)}, ["1M 15", "2M"], 1, 2),
        (Sliding(20, 10), {}, ["1M 12M", "20", "40"], 1, 3),
        (Sliding(20, 10), {}, ["1M 12M 40"], 0, 3),
        (Sliding(20, 10), {"emission": emission("changes")}, ["1M 2M 12"], 1, 2),
        (Session(5), {}, ["1M 2M 20", "40"], 2, 2),
        (Session(5), {"emission": emission("changes")}, ["1", "2M", "3M", "4- 5-"], 3, 2),
        (Unbounded(), {"emission": emission("changes")}, ["1 2M 3-"], 1, 2),
        (Unbounded(), {"emission": emission("changes", granularity="batch")}, ["1M", "2M 3M", "4- 5-"], 2, 3),
        (Unbounded(), {"emission": emission("final")}, ["1M 2M"], 2, 0),
    ],
)
def test_records_of_groups_that_failed_are_dead_and_in_no_result(
    window: Any, more: Any, batches: list[str], dead: int, in_results: int
) -> None:
    run = Run(settings(window, calls=SUM, **more))
    values = {"M": MOST, "-": -MOST}
    for batch in batches:
        given = [(int(one.rstrip("M-")), values.get(one[-1], 1)) for one in batch.split()]
        run.batch(*(Record(time, value=value, offset=time) for time, value in given))
    run.flush()
    assert sum(outcome.stats.dead_lettered["failed_group"] for outcome in run.outcomes) == dead
    assert (run.total("in_results"), run.outcomes[-1].stats.open) == (in_results, 0)


def test_without_keys_there_is_one_group() -> None:
    for window in (Tumbling(10), Session(5), Unbounded()):
        run = Run(settings(window, keys=()))
        run.batch(*points(1, 2), *points(3, key="b"))
        assert short(run.flush(), "n") == [(3,)]


def test_partition_after_partition_gives_what_time_order_gives() -> None:
    everything = [Record(i * 1_000, f"k{i % 50}", partition=i % 10, offset=i) for i in range(2_000)]
    results = []
    for order in (everything, sorted(everything, key=lambda r: r.partition)):
        run = Run(settings(Tumbling(60_000), watermark=WatermarkSettings(max_out_of_orderness=5_000)), known={"s": 10})
        for begin in range(0, 2_000, 200):
            run.batch(*order[begin : begin + 200])
        run.flush()
        assert run.total("in_results") == 2_000
        assert run.total("late_events") == 0
        results.append(sorted(short(run.rows, "key", "_window_start", "n")))
    assert results[0] == results[1]


def test_with_the_scope_of_a_source_it_is_complete_through_late_firings() -> None:
    everything = [Record(i * 1_000, f"k{i % 5}", partition=i % 10, offset=i) for i in range(1_000)]
    time = WatermarkSettings(scope=Scope.SOURCE)
    run = Run(settings(Tumbling(60_000), watermark=time, lateness=Lateness(10_000_000)))
    for begin in range(0, 1_000, 100):
        run.batch(*sorted(everything, key=lambda r: r.partition)[begin : begin + 100])
    run.flush()
    assert run.total("in_results") == 1_000
    assert run.total("late_firings") > 0
    assert run.letters == []


def test_a_batch_without_rows_can_close_windows() -> None:
    run = Run(settings(Tumbling(10)))
    run.batch(*points(3))
    assert short(run.batch(progress=(Progress("s", 0, 12),)), "n") == [(1,)]


def test_statistics_are_plain_data() -> None:
    run = Run(settings(Tumbling(10), lateness=Lateness(20)))
    run.batch(*points(3, 15))
    run.batch(*points(4))
    data = run.outcomes[-1].stats.as_data()
    assert data["late_events"] == 1
    assert sum(data["lateness"]["counts"]) == 1
    assert run.outcomes[0].stats.initial_firings == 1
    assert run.outcomes[0].stats.early_firings == 0
    assert run.outcomes[-1].stats.emissions == 1
    assert run.outcomes[-1].stats.dropped_events == 0
    assert run.outcomes[-1].stats.idle_partitions == 0


def test_counting_rows_goes_on_from_the_last_one_where_what_was_said_is_discarded() -> None:
    run = Run(settings(Tumbling(100), emission=emission(count=3, accumulation="discarding")))
    counts = [[row["n"] for row in run.batch(*points(*times))] for times in ((1, 2), (3, 4), (5,), (6, 7), (8,))]
    assert counts == [[], [4], [], [3], []]
    assert [(row["n"], row["_emission"], row["_revision"]) for row in run.flush()] == [(1, "final", 3)]


def test_memory_is_bounded_by_open_windows() -> None:
    run = Run(settings(Tumbling(10)))
    sizes = []
    for step in range(60):
        run.batch(*(Record(step * 5 + n % 5, f"k{n}", offset=n) for n in range(20)))
        sizes.append(run.outcomes[-1].stats.state_rows)
    assert max(sizes[30:]) <= max(sizes[:30])
    assert len(run.store) < 40


def test_what_cannot_work_together_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="taken"):
        settings(Tumbling(10), calls=(Call("key", "count"),))
    with pytest.raises(EmissionConflict, match="session"):
        settings(Session(10), emission=emission(early=1, accumulation="discarding"))
    with pytest.raises(InvalidPlan, match="discarded"):
        settings(Tumbling(10), replaces=True, emission=emission(early=1, accumulation="discarding"))
    with pytest.raises(InvalidPlan, match="update_previous"):
        settings(Tumbling(10), lateness=Lateness(0, LateStrategy.UPDATE_PREVIOUS), emission=emission("CHANGES"))


def test_a_hash_of_the_key_spreads_groups_without_bounds_on_the_clock() -> None:
    run = Run(settings(Session(5), lateness=Lateness(100)))
    for times in ((0, 20), (3,), (50,)):
        rows = frame(points(*times) + points(*times, key="b"))
        run.batch(more=rows.with_columns(pl.col("key").str.len_chars().cast(pl.Int32).alias("_hash")))
    assert sorted(short(run.rows, "key", *ROW)[-2:]) == [("a", 20, 25, 1, "final", 1), ("b", 20, 25, 1, "final", 1)]


def test_sessions_are_counted_as_they_open_close_and_go() -> None:
    run = Run(settings(Session(5), lateness=Lateness(10)))
    run.batch(*points(0, 10))
    first = run.outcomes[-1].stats
    assert (first.windows_created, first.open_windows, first.windows_held) == (2, 1, 1)
    run.batch(*points(16))
    second = run.outcomes[-1].stats
    assert (second.open_windows, second.windows_held) == (1, 1)
    run.batch(*points(50))
    third = run.outcomes[-1].stats
    assert (third.open_windows, third.windows_held) == (1, 0)
    assert run.total("windows_completed") == 3


def test_changes_of_sessions_are_in_event_order_over_all_keys() -> None:
    run = Run(settings(Session(5), emission=emission("CHANGES")))
    rows = run.batch(*points(1, 4, 30), *points(2, 3, key="b"))
    assert short(rows, "key", "_window_start", "n") == [
        ("a", 1, 1),
        ("b", 2, 1),
        ("b", 2, 2),
        ("a", 1, 2),
        ("a", 30, 1),
    ]


@pytest.mark.parametrize("window", [Tumbling(10), Sliding(10, 5), Session(5), Unbounded()], ids=repr)
def test_an_aggregate_that_is_added_later_counts_from_then_on(window: object) -> None:
    store = MemoryStore()
    first = Run(settings(window, calls=(Call("n", "count"),), emission=emission("FINAL")), store=store)
    first.batch(*points(1, 2))
    both = (Call("n", "count"), Call("total", "sum", ("value",), (BIGINT,)))
    second = Run(settings(window, calls=both, emission=emission("FINAL")), store=store)
    second.outcomes.append(first.outcomes[-1])
    second.batch(*points(3))
    row = second.flush()[0]
    assert (row["n"], row["total"]) == (3, 1)
