"""Versions out of changes: what they hold, what they cost, and what is known of earlier times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from velostream.errors import VeloError
from velostream.tables.newest import GONE, TIME, newest
from velostream.tables.past import MOST_FILES
from velostream.tables.store import BASE, DELTA, PAST, About, TableStore, Version
from velostream.tables.writer import TableWriter

Change = tuple[str, int, int, bool]


def rows(*given: Change) -> pa.Table:
    """Rows of key, value, time, and whether they delete."""
    return pa.table(
        {
            "k": pa.array([one[0] for one in given], pa.string()),
            "v": pa.array([one[1] for one in given], pa.int64()),
            TIME: pa.array([one[2] for one in given], pa.int64()),
            GONE: pa.array([one[3] for one in given], pa.bool_()),
        }
    )


def puts(*given: tuple[str, int, int]) -> pa.Table:
    return rows(*((*one, False) for one in given))


def values(version: Version) -> dict[str, int]:
    found = version.read()
    assert found.column_names == ["k", "v", TIME]
    return dict(zip(found["k"].to_pylist(), found["v"].to_pylist(), strict=True))


def writer(home: Path, **more: Any) -> TableWriter:
    return TableWriter(TableStore(home, "t"), ("k",), **more)


def test_a_change_is_written_beside_the_base(tmp_path: Path) -> None:
    made = writer(tmp_path)
    first = made.replace(puts(*((f"k{number}", 1, 0) for number in range(100))), About())
    second = made.change(puts(("k1", 2, 1), ("new", 3, 1)), About())
    assert second.files[BASE] == first.files[BASE]
    assert sum(file.stat().st_size for file in second.paths(DELTA)) < sum(f.stat().st_size for f in first.paths(BASE))
    assert (second.rows, len(values(second))) == (101, 101)
    assert (values(second)["k1"], values(second)["new"]) == (2, 3)


def test_as_many_rows_of_deltas_as_the_base_has_make_a_new_base(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.replace(puts(*((f"k{number}", 1, 0) for number in range(10))), About())
    kinds = [DELTA in made.change(puts((f"k{number}", 2, 1)), About()).files for number in range(5)]
    assert kinds == [True, True, True, False, True]  # 1 + 2 + 3 + 4 rows were written, as many as the base has


def test_what_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    made = writer(tmp_path)
    first = made.replace(puts(("a", 1, 10)), About())
    second = made.change(rows(("a", 0, 5, False), ("b", 0, 5, True)), About(offset={"next": 1}))
    assert second.files == first.files
    assert (second.number, second.about.offset) == (2, {"next": 1})


def test_a_new_writer_goes_on_where_another_was(tmp_path: Path) -> None:
    writer(tmp_path).replace(puts(("a", 1, 10), ("b", 1, 10), ("c", 1, 10)), About())
    writer(tmp_path).change(rows(("a", 2, 11, False), ("b", 0, 11, True)), About())
    last = writer(tmp_path).change(puts(("a", 3, 5), ("d", 4, 5)), About())
    assert values(last) == {"a": 2, "c": 1, "d": 4}


def test_forgetting_keeps_the_files_that_newer_versions_are_made_of(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.replace(puts(*((f"k{number}", 1, 0) for number in range(100))), About())
    for number in range(3):
        last = made.change(puts((f"k{number}", 2, 1)), About())
    made.store.forget(())
    assert made.store.numbers() == [4]
    assert len(values(last)) == 100
    assert made.store.next_number == 5
    made.replace(puts(("a", 1, 2)), About())
    made.store.forget(())
    assert [folder.name for folder in made.store.folder.iterdir()] == ["000000005"]


CHANGES = st.lists(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.integers(0, 9), st.integers(0, 5), st.booleans()), min_size=1, max_size=5
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60)
@given(CHANGES, st.sampled_from([None, 2]))
def test_changes_one_by_one_give_what_they_give_from_the_beginning(
    tmp_path_factory: pytest.TempPathFactory, batches: Sequence[Sequence[Change]], keeps: int | None
) -> None:
    made = writer(tmp_path_factory.mktemp("table"), keeps=keeps)
    expected = None
    for batch in batches:
        version = made.change(rows(*batch), About())
        expected = newest(expected, rows(*batch), ["k"], keeps)
    assert expected is not None
    assert values(version) == dict(zip(expected["k"].to_pylist(), expected["v"].to_pylist(), strict=True))
    assert version.rows == expected.num_rows


def past(version: Version) -> list[tuple[str, int, int, bool]]:
    found = version.table(PAST)
    assert found is not None
    return sorted((row["k"], row[TIME], row["v"], row[GONE]) for row in found.to_pylist())


def test_all_that_rows_were_is_kept_where_somebody_asks(tmp_path: Path) -> None:
    made = writer(tmp_path, past=True)
    made.replace(puts(("a", 1, 10), ("a", 2, 20)), About())
    last = made.change(rows(("a", 3, 15, False), ("a", 0, 30, True)), About())
    assert values(last) == {}
    assert past(last) == [("a", 10, 1, False), ("a", 15, 3, False), ("a", 20, 2, False), ("a", 30, 0, True)]


def test_a_key_that_a_load_from_the_beginning_does_not_find_was_deleted(tmp_path: Path) -> None:
    made = writer(tmp_path, past=True)
    made.replace(puts(("a", 1, 10), ("b", 1, 10)), About(watermark=50))
    last = made.replace(puts(("a", 2, 60)), About(watermark=100))
    assert past(last) == [("a", 10, 1, False), ("a", 60, 2, False), ("b", 10, 1, False), ("b", 100, 1, True)]


def test_the_past_is_joined_now_and_then_and_forgets_what_nobody_asks_for(tmp_path: Path) -> None:
    made = writer(tmp_path, past=True, keeps=5)
    dice = Random(1)
    for time in range(MOST_FILES + 4):
        last = made.change(puts((dice.choice("ab"), time, time)), About())
    assert len(last.files[PAST]) < MOST_FILES
    assert min(one[1] for one in past(last)) > 0
    assert len(past(last)) < MOST_FILES


def test_a_table_that_is_asked_about_earlier_times_later_begins_with_what_it_is(tmp_path: Path) -> None:
    writer(tmp_path).replace(puts(("a", 1, 10)), About())
    asked = writer(tmp_path, past=True)
    assert asked.newest() is None
    assert past(asked.change(puts(("a", 2, 20)), About())) == [("a", 10, 1, False), ("a", 20, 2, False)]


def test_a_deletion_of_a_source_in_order_takes_away_whatever_came_before_it(tmp_path: Path) -> None:
    made = writer(tmp_path, past=True, ordered=True)
    made.replace(puts(("a", 1, 10), ("b", 1, 99)), About())
    last = made.change(rows(("b", 0, 50, True), ("c", 1, 80, False), ("c", 0, 50, True), ("a", 0, 50, True)), About())
    assert values(last) == {}
    held = [("a", 10, 1, False), ("a", 50, 0, True), ("b", 99, 0, True), ("b", 99, 1, False)]
    assert past(last) == sorted([*held, ("c", 80, 0, True), ("c", 80, 1, False)])
    assert values(made.change(puts(("b", 2, 60)), About())) == {"b": 2}


def test_a_load_from_the_beginning_writes_only_what_differs(tmp_path: Path) -> None:
    made = writer(tmp_path)
    first = made.replace(puts(*((f"k{number}", 1, 0) for number in range(10))), About())
    same = made.replace(puts(*((f"k{number}", 1, 7) for number in range(10))), About(offset={"next": 1}))
    assert (same.files, same.about.offset) == (first.files, {"next": 1})
    other = made.replace(puts(*((f"k{number}", 1 + (number == 3), 8) for number in range(9))), About())
    assert (other.files[BASE], other.rows) == (first.files[BASE], 9)
    assert values(other) == {f"k{number}": 1 + (number == 3) for number in range(9)}
    found = other.table(DELTA)
    assert found is not None
    assert found.num_rows == 2


def test_columns_that_are_new_are_null_in_the_rows_that_were_there(tmp_path: Path) -> None:
    before = writer(tmp_path, columns=(("k", "STRING"), ("v", "BIGINT")), past=True)
    before.replace(puts(("a", 1, 10), ("b", 1, 10)), About())
    columns = (("k", "STRING"), ("v", "DOUBLE"), ("w", "STRING"))
    after = writer(tmp_path, columns=columns, past=True)
    assert after.newest() is None, "a table from outside is read anew"
    changes = rows(("b", 2, 11, False)).set_column(1, "v", pa.array([2.5])).add_column(2, "w", pa.array(["new"]))
    last = after.change(changes, About())
    assert last.read().drop_columns([TIME]).to_pylist() == [
        {"k": "a", "v": 1.0, "w": None},
        {"k": "b", "v": 2.5, "w": "new"},
    ]
    told = last.table(PAST)
    assert told is not None
    assert [(row["k"], row["w"]) for row in told.to_pylist()] == [("a", None), ("b", None), ("b", "new")]


def test_rows_are_not_put_under_another_key(tmp_path: Path) -> None:
    writer(tmp_path).replace(puts(("a", 1, 10)), About())
    with pytest.raises(VeloError, match="holds rows by k, and is now to hold them by v") as refusal:
        TableWriter(TableStore(tmp_path, "t"), ("v",)).change(puts(("a", 2, 11)), About())
    assert "checkpoint" in refusal.value.hint


def test_changes_that_are_settled_hold_whatever_their_times_say(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.replace(puts(*((f"k{number}", 1, 10) for number in range(20))), About())
    gone, told = rows(("k1", 0, 0, True), ("k2", 0, 0, True), ("other", 0, 0, True)), puts(("k1", 2, 5))
    version = made.put(pa.concat_tables([gone, told]), About())
    assert (version.rows, "k2" in values(version), values(version)["k1"]) == (19, False, 2)
    delta = version.table(DELTA)
    assert delta is not None
    assert delta["k"].to_pylist() == ["k2", "k1"], "what was not there need not be deleted"
