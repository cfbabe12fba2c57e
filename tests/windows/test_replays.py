"""Records that come again: what becomes of them where they are late, or were the first of their key."""

import polars as pl
from tests.windows.driving import Record, Run, frame, settings, short

from velostream.replayed import LATE, marked, plain
from velostream.windows.assigners import Tumbling
from velostream.windows.dedup import Dedup, DedupSettings
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.store import MemoryStore


def again(record: Record, late: str, *, passed: bool = True) -> pl.DataFrame:
    source = marked("s", late, passed=passed)
    return frame([record]).with_columns(pl.lit(source).alias("_source"))


def late_run(*frames: pl.DataFrame, strategy: LateStrategy = LateStrategy.DEAD_LETTER) -> Run:
    run = Run(settings(Tumbling(10), lateness=Lateness(0, strategy)))
    run.batch(Record(3), Record(45))
    rows = pl.concat(frames)
    run.batch(more=rows)
    run.flush()
    return run


def test_a_late_record_that_comes_again_opens_its_window() -> None:
    run = late_run(again(Record(4, value=7), "process_all"))
    assert (0, 1, 7) in short(run.rows, "_window_start", "n", "total")
    assert run.letters == []


def test_each_way_to_treat_late_records_holds_for_those_alone_that_come_again_by_it() -> None:
    run = late_run(
        again(Record(4, offset=1), "dead_letter"),
        again(Record(4, offset=2), "drop"),
        again(Record(4, offset=3), "process_all"),
        again(Record(4, offset=4), "include_in_next"),
        frame([Record(5, offset=9)]),
    )
    assert sorted(letter["_offset"] for letter in run.letters if letter["_dead"]) == [1, 9]
    assert [letter["_offset"] for letter in run.letters if not letter["_dead"]] == [2]
    found = dict(short(run.rows, "_window_start", "n"))
    assert (found[0], found[40]) == (1, 2)


def test_what_is_said_of_a_record_that_comes_again_goes_before_update_previous() -> None:
    run = late_run(
        again(Record(4, offset=1), "dead_letter"),
        again(Record(14, offset=2), "process_all"),
        frame([Record(5, offset=9)]),
        strategy=LateStrategy.UPDATE_PREVIOUS,
    )
    assert [letter["_offset"] for letter in run.letters] == [1]
    newest = {row["_window_start"]: (row["n"], row["_revision"]) for row in run.rows if row["_emission"] == "late"}
    assert newest == {0: (2, 2), 10: (1, 1)}


def test_the_first_of_a_key_is_not_a_duplicate_of_itself() -> None:
    dedup = Dedup(DedupSettings(("value",)), MemoryStore(), None)
    dedup.split(frame([Record(1, value=1)]), None)
    first, duplicates = dedup.split(again(Record(1, value=1), "process_all"), None)
    assert (first.height, duplicates.height) == (1, 0)
    first, duplicates = dedup.split(again(Record(1, value=1), "process_all", passed=False), None)
    assert (first.height, duplicates.height) == (0, 1)


def test_the_name_of_the_source_is_found_again() -> None:
    assert {plain(marked("trades", late, passed=True)) for late in LATE} == {"trades"}
    assert plain("trades") == "trades"
