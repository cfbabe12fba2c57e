import json
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.durations import MINUTE, SECOND
from velostream.errors import InvalidProperty
from velostream.windows.facts import Facts, Progress, progress_of, without_skewed
from velostream.windows.watermark import Scope, Strategy, Watermark, WatermarkSettings


def at(clock: str) -> int:
    return int(datetime.fromisoformat(f"2026-01-01T{clock}").replace(tzinfo=UTC).timestamp()) * SECOND


def seen(source: str, **times: int) -> tuple[Progress, ...]:
    return tuple(Progress(source, int(name[1:]), time) for name, time in times.items())


def test_the_slowest_partition_decides_minus_the_disorder() -> None:
    watermark = Watermark(WatermarkSettings(max_out_of_orderness=2 * MINUTE))
    facts = Facts(seen("s", p0=at("10:05"), p1=at("10:04"), p2=at("10:07"), p3=at("10:03")))
    assert watermark.advance(facts) == at("10:01")
    assert watermark.holding() == [("s", 3)]


def test_it_never_goes_back() -> None:
    watermark = Watermark(WatermarkSettings())
    assert watermark.advance(Facts(seen("s", p0=100))) == 100
    assert watermark.advance(Facts(seen("s", p0=50))) == 100
    assert watermark.advance(Facts(seen("s", p1=20))) == 100


def test_each_source_has_its_own_disorder() -> None:
    watermark = Watermark(WatermarkSettings(max_out_of_orderness=10, per_source={"slow": 60}))
    assert watermark.advance(Facts(seen("fast", p0=100) + seen("slow", p0=120))) == 60


def test_a_known_partition_holds_it_back_until_it_speaks() -> None:
    watermark = Watermark(WatermarkSettings())
    known = {"s": frozenset({0, 1})}
    assert watermark.advance(Facts(seen("s", p0=100), known=known)) is None
    assert watermark.holding() == [("s", 1)]
    assert watermark.advance(Facts(seen("s", p1=40), known=known)) == 40


def test_partitions_that_are_only_counted_hold_it_back_and_more_may_appear() -> None:
    watermark = Watermark(WatermarkSettings())
    assert watermark.advance(Facts(seen("s", p7=100), known={"s": 2})) is None
    assert watermark.advance(Facts(seen("s", p9=90), known={"s": 2})) == 90
    assert watermark.advance(Facts(seen("s", p7=200, p9=200, p11=150), known={"s": 2})) == 150


def test_a_partition_added_later_joins_at_the_current_watermark() -> None:
    watermark = Watermark(WatermarkSettings())
    assert watermark.advance(Facts(seen("s", p0=100), known={"s": frozenset({0})})) == 100
    both = {"s": frozenset({0, 1})}
    assert watermark.advance(Facts(seen("s", p0=200), known=both)) == 100
    assert watermark.advance(Facts(seen("s", p1=130), known=both)) == 130


def test_an_idle_partition_is_released_by_running_time_alone() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    watermark.advance(Facts(seen("s", p0=100, p1=10), running=0))
    assert watermark.advance(Facts(seen("s", p0=200), running=59, now=10_000)) == 10
    assert watermark.advance(Facts(seen("s", p0=300), running=60)) == 300
    assert watermark.partitions[("s", 1)].idle


def test_an_idle_partition_that_speaks_again_counts_again() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    watermark.advance(Facts(seen("s", p0=100, p1=10), running=0))
    watermark.advance(Facts(seen("s", p0=300), running=60))
    assert watermark.advance(Facts(seen("s", p0=500, p1=350), running=61)) == 350


def test_silence_with_a_backlog_is_not_idleness() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    watermark.advance(Facts(seen("s", p0=100, p1=10), running=0))
    assert watermark.advance(Facts((Progress("s", 0, 200), Progress("s", 1, backlog=True)), running=90)) == 10


def test_nothing_is_idle_in_a_bounded_run() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    watermark.advance(Facts(seen("s", p0=100, p1=10), running=0, bounded=True))
    assert watermark.advance(Facts(seen("s", p0=300), running=1_000, bounded=True)) == 10


def test_when_all_are_idle_it_stands_still() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    watermark.advance(Facts(seen("s", p0=100, p1=10), running=0))
    assert watermark.advance(Facts(running=120)) == 10
    assert watermark.holding() == []


def test_a_finished_partition_leaves_and_does_not_join_anew() -> None:
    watermark = Watermark(WatermarkSettings())
    known = {"s": frozenset({0, 1, 2})}
    watermark.advance(Facts((Progress("s", 0, 50, finished=True),), known=known))
    assert watermark.advance(Facts(seen("s", p1=80), known=known)) is None
    assert watermark.advance(Facts(seen("s", p2=90), known=known)) == 80
    assert ("s", 0) not in watermark.partitions


def test_a_file_that_comes_and_ends_in_one_batch_still_moves_it() -> None:
    watermark = Watermark(WatermarkSettings())
    assert watermark.advance(Facts((Progress("s", 0, 50, finished=True),), known={"s": 2})) is None
    assert watermark.advance(Facts((Progress("s", 1, 70, finished=True),), known={"s": 2})) == 70
    assert watermark.advance(Facts((Progress("s", 2, 90, finished=True),), known={"s": 2})) == 90


def test_the_scope_of_a_source_takes_its_largest_time() -> None:
    watermark = Watermark(WatermarkSettings(scope=Scope.SOURCE, max_out_of_orderness=5))
    assert watermark.advance(Facts(seen("a", p0=100, p1=10) + seen("b", p0=60), known={"a": 3})) == 55


def test_a_punctuated_watermark_moves_on_marks_alone() -> None:
    watermark = Watermark(WatermarkSettings(strategy=Strategy.PUNCTUATED))
    assert watermark.advance(Facts(seen("s", p0=100))) is None
    assert watermark.advance(Facts((Progress("s", 0, 120, mark=90),))) == 90


def test_a_periodic_watermark_moves_once_per_interval() -> None:
    watermark = Watermark(WatermarkSettings(strategy=Strategy.PERIODIC, emit_interval=10))
    assert watermark.advance(Facts(seen("s", p0=100), running=0)) == 100
    assert watermark.advance(Facts(seen("s", p0=200), running=9)) == 100
    assert watermark.advance(Facts(seen("s", p0=300), running=10)) == 300


def test_processing_time_is_the_clock() -> None:
    watermark = Watermark(WatermarkSettings(strategy=Strategy.PROCESSING))
    assert watermark.advance(Facts(seen("s", p0=100), now=7)) == 7
    assert watermark.advance(Facts(now=5)) == 7


@pytest.mark.parametrize(
    "settings",
    [
        {"max_out_of_orderness": -1},
        {"per_source": {"s": -1}},
        {"max_out_of_orderness": 5, "strategy": Strategy.ASCENDING},
    ],
)
def test_settings_that_contradict_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidProperty) as refusal:
        WatermarkSettings(**settings)  # type: ignore[arg-type]
    assert refusal.value.hint


def test_rows_tell_the_progress_of_their_partitions() -> None:
    rows = pl.DataFrame(
        {"_source": ["s", "s", "t"], "_partition": [0, 0, 1], "_event_time": [5, None, 9], "end": [False, None, True]}
    )
    assert list(progress_of(rows)) == [Progress("s", 0, 5, records=2), Progress("t", 1, 9, records=1)]
    assert list(progress_of(rows, mark="end")) == [
        Progress("s", 0, 5, None, records=2),
        Progress("t", 1, 9, 9, records=1),
    ]
    assert [p.mark for p in progress_of(rows.with_columns(end=pl.Series([1, 2, 3])), mark="end")] == [2, 3]


def test_a_skewed_clock_is_kept_apart_before_it_can_move_anything() -> None:
    rows = pl.DataFrame({"_event_time": [100, 131, 130, None]})
    honest, skewed = without_skewed(rows, now=100, most=30)
    assert skewed["_event_time"].to_list() == [131]
    assert honest["_event_time"].to_list() == [100, 130, None]
    assert without_skewed(rows, now=0, most=None)[0].height == 4


batches = st.lists(
    st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 3), st.integers(-50, 50)), max_size=6), max_size=8
)


@given(batches, st.sampled_from(list(Scope)))
def test_a_restart_between_any_two_batches_changes_nothing(run: list[list[tuple[str, int, int]]], scope: Scope) -> None:
    settings = WatermarkSettings(max_out_of_orderness=3, scope=scope, idle_timeout=20)
    steady, restarted = Watermark(settings), Watermark(settings)
    previous = None
    for number, batch in enumerate(run):
        facts = Facts(
            tuple(Progress(*row) for row in batch), known={"a": 2, "b": frozenset({0, 1})}, running=number * 9
        )
        value = steady.advance(facts)
        assert restarted.advance(facts) == value
        assert previous is None or (value is not None and value >= previous)
        previous = value
        restarted = Watermark(settings, json.loads(json.dumps(restarted.snapshot())))


def test_the_report_shows_every_partition_with_its_lag() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    watermark.advance(Facts(seen("s", p0=5_000), known={"s": frozenset({0, 1})}))
    watermark.advance(Facts(seen("s", p0=8_000), known={"s": frozenset({0, 1})}, running=60))
    assert watermark.report(10_000) == {
        "s/0": {"max_event_time": 8_000, "lag_ms": 2, "idle": False},
        "s/1": {"max_event_time": None, "lag_ms": None, "idle": True},
    }


def test_partitions_that_are_only_counted_are_reported_as_unknown() -> None:
    watermark = Watermark(WatermarkSettings())
    watermark.advance(Facts(seen("s", p7=5_000), known={"s": 3}))
    assert watermark.holders() == ["s/?3", "s/?2"]
    assert set(watermark.report(10_000)) == {"s/?3", "s/?2", "s/7"}


def test_partitions_that_were_only_counted_give_way_to_those_that_are_named() -> None:
    watermark = Watermark(WatermarkSettings())
    watermark.advance(Facts(known={"s": 2}))
    named = {"s": frozenset({0, 1})}
    progress = (Progress("s", 0, 50), Progress("s", 1, 70))
    assert watermark.advance(Facts(progress, named)) == 50
    assert sorted(watermark.partitions) == [("s", 0), ("s", 1)]


def test_running_time_leaves_out_pauses_and_most_of_a_long_batch() -> None:
    watermark = Watermark(WatermarkSettings(idle_timeout=60))
    clock: dict[str, Any] = {"known": {"s": frozenset({0, 1})}, "running": None}
    watermark.advance(Facts((Progress("s", 0, 9), Progress("s", 1, 5)), now=1_000, **clock))
    assert watermark.next_look(1_000) == 1_000 + SECOND
    assert watermark.advance(Facts((Progress("s", 0, 90),), now=9_000, **clock)) == 5
    assert watermark.ran == 30
    watermark.advance(Facts((Progress("s", 0, 91),), now=99_000, resumed=True, **clock))
    assert watermark.ran == 30
    assert watermark.advance(Facts((Progress("s", 0, 92),), now=99_030, **clock)) == 92
    assert watermark.snapshot()["ran"] == 60


def test_sources_go_by_their_own_settings() -> None:
    slow = WatermarkSettings(max_out_of_orderness=20, scope=Scope.SOURCE)
    watermark = Watermark(WatermarkSettings(sources={"slow": slow, "fast": WatermarkSettings()}))
    facts = Facts((Progress("slow", 0, 10), Progress("slow", 1, 100), Progress("fast", 0, 90)))
    assert watermark.advance(facts) == 80


def test_the_topics_of_a_source_have_its_settings_and_partitions_of_their_own() -> None:
    settings = WatermarkSettings(idle_timeout=None, sources={"s": WatermarkSettings(max_out_of_orderness=10)})
    watermark = Watermark(settings)
    known = {"s/a": frozenset({0}), "s/b": frozenset({0})}
    assert watermark.advance(Facts(seen("s/a", p0=100), known=known)) is None
    assert watermark.holding() == [("s/b", 0)]
    assert watermark.advance(Facts(seen("s/b", p0=50), known=known)) == 40
    assert set(watermark.report(0)) == {"s/a/0", "s/b/0"}


def test_the_largest_time_of_a_source_is_that_of_all_its_topics() -> None:
    settings = WatermarkSettings(sources={"s": WatermarkSettings(scope=Scope.SOURCE)})
    watermark = Watermark(settings)
    assert watermark.advance(Facts(seen("s/a", p0=100) + seen("s/b", p0=50))) == 100


def test_a_partition_that_was_read_to_its_end_holds_it_again_in_the_next_run() -> None:
    watermark = Watermark(WatermarkSettings())
    known = {"s": frozenset({0, 1})}
    ends = (Progress("s", 0, 100), Progress("s", 1, 40, finished=True))
    assert watermark.advance(Facts(ends, known=known, bounded=True)) == 40
    assert watermark.advance(Facts(seen("s", p0=200), known=known, bounded=True)) == 200
    assert watermark.advance(Facts(seen("s", p0=300), known=known, bounded=True, resumed=True)) == 200
    assert watermark.holding() == [("s", 1)]
