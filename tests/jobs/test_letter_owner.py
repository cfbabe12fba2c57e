"""Of two versions that run side by side one writes the dead letter of a record, whatever either makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.postgres.apps import SOURCE, runner_of, write_lines
from tests.server.conftest import SQL

from velostream.jobs.letter_owner import OWNING, LetterOwner, newest_end, own_letters, owner_of
from velostream.jobs.ownership import Owners, Ownership
from velostream.plan.job import Job
from velostream.server.planning import planned
from velostream.sinks.letters import letter
from velostream.spark.lower.slots import SLOTS

SECOND = 1_000_000
SLIDING = SQL.replace("TUMBLING(2s)", "SLIDING(6s, 2s)")
SESSION = SQL.replace("TUMBLING(2s)", "SESSION(3s)")
TIMED = SQL.replace("GROUP BY customer", "GROUP BY customer, at")


def job_of(sql: str, folder: Path) -> Job:
    return planned(sql, "shop", folder).plan.jobs[0]


def late(offset: int, seconds: float | None, group: str | None = None) -> dict[str, Any]:
    time = None if seconds is None else round(seconds * SECOND)
    made = letter(reason="too_late", source="orders", offset=offset, event_time=time)
    return {**made, OWNING: {"group": group, "time": time}}


def shared(share: int, after: int = 10 * SECOND) -> tuple[Ownership, Ownership]:
    return Ownership().then(after, share, SLOTS), Ownership((0, 0)).then(after, 0, share)


@pytest.mark.parametrize(
    ("sql", "ends"),
    [(SQL, (2, 2, 4)), (SLIDING, (6, 6, 8)), (SESSION, (3, 4, 5))],
    ids=["tumbling", "sliding", "session"],
)
def test_a_record_is_judged_by_the_newest_window_that_would_hold_it(
    tmp_path: Path, sql: str, ends: tuple[int, ...]
) -> None:
    job = job_of(sql, tmp_path)
    assert tuple(newest_end(job, seconds * SECOND) // SECOND for seconds in (0, 1, 2)) == ends


@pytest.mark.parametrize("share", [10, 50, 100])
def test_every_letter_is_written_once_by_the_owner_of_its_window_and_group(tmp_path: Path, share: int) -> None:
    job = job_of(SQL, tmp_path)
    old, new = (LetterOwner(job, owned) for owned in shared(share))
    found = [
        late(offset, seconds, group)
        for offset, group in enumerate(("ann", "bob", None, "cem", "\\N", None))
        for seconds in (0.5, 9.9, 10, 11.5, None)
    ]
    assert all(old.writes(one) != new.writes(one) for one in found)
    before = [one for one in found if one[OWNING]["time"] is not None and one[OWNING]["time"] < 10 * SECOND]
    assert all(old.writes(one) for one in before)
    by_group = {one[OWNING]["group"]: new.writes(one) for one in found if one not in before and one[OWNING]["group"]}
    assert all(
        new.writes(one) == by_group[one[OWNING]["group"]] for one in found if one not in before and one[OWNING]["group"]
    )
    if share == 100:
        assert all(new.writes(one) for one in found if one not in before)


def test_whoever_is_left_writes_the_letters_of_windows_that_ended_with_another_version(tmp_path: Path) -> None:
    job, (_, new) = job_of(SQL, tmp_path), shared(100)
    assert not LetterOwner(job, new.of_letters).writes(late(1, 0.5))
    alone = Ownership.of(new.alone().data())
    assert alone == new.alone()
    assert alone.ranges == new.ranges
    assert LetterOwner(job, alone.of_letters).writes(late(1, 0.5))
    third, fourth = alone.then(50 * SECOND, SLOTS, SLOTS), Ownership((0, 0)).then(50 * SECOND, 0, SLOTS)
    for seconds in (0.5, 20.0, 60.0, None):
        by = [LetterOwner(job, owned.of_letters).writes(late(1, seconds)) for owned in (third, fourth)]
        assert by == [seconds is not None and seconds < 50, seconds is None or seconds > 50]
    assert Ownership().alone().is_whole
    assert owner_of(job, Owners({"totals": Ownership()})) is None
    assert owner_of(job, Owners()) is None


def test_groups_and_refused_rows_have_an_owner_too_and_letters_are_written_without_it(tmp_path: Path) -> None:
    job = job_of(SQL, tmp_path)
    old, new = (LetterOwner(job, owned) for owned in shared(100))
    groups = [
        {**letter(reason="failed_group", error="too large"), OWNING: {"group": "ann", "end": end * SECOND}}
        for end in (8, 12)
    ]
    assert [old.writes(one) for one in groups] == [True, False]
    assert [new.writes(one) for one in groups] == [False, True]
    refused = letter(reason="refused", record="{}")
    marked = {**letter(reason="bad_value", record="{}"), OWNING: {"others": True}}
    assert own_letters(old, [refused, marked, groups[0]]) == [refused, letter(reason="failed_group", error="too large")]
    assert own_letters(None, [marked]) == [letter(reason="bad_value", record="{}")]


def test_a_group_whose_text_may_be_another_in_spark_is_placed_by_where_the_record_stands(tmp_path: Path) -> None:
    job = job_of(TIMED, tmp_path)
    _, new = shared(50)
    owner = LetterOwner(job, new)
    by_offset = {owner.writes(late(offset, 20.0, "ann|1")) for offset in range(50)}
    assert by_offset == {True, False}


def test_a_record_that_fails_in_one_version_is_in_a_row_or_a_letter_also_where_its_key_may_fail(
    one_spark: Any, tmp_path: Path
) -> None:
    start = 1_700_000_040_000
    records = [{"k": str(key), "v": v, "at": start} for key in range(20) for v in (1, 0)]
    write_lines(tmp_path, "1.jsonl", [*records, {"k": "x", "v": 1, "at": start}, {"k": None, "v": 0, "at": start}])
    found: list[tuple[dict[int | None, int], list[Any]]] = []
    for name, more, places in (("old", "", (50, SLOTS)), ("new", ", SUM(100 / v) AS share", (0, 50))):
        text = f"""{SOURCE}
            CREATE STREAM totals AS SELECT CAST(k AS INT) AS k, COUNT(*) AS n{more} FROM s GROUP BY CAST(k AS INT)
            WINDOW TUMBLING(1m) INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{tmp_path / name}',
            'out.format' = 'jsonl');"""
        runner = runner_of(one_spark, tmp_path, text)
        runner.checkpoint = tmp_path / f"checkpoint-{name}"
        runner.owners.of_jobs = {"totals": Ownership(places)}
        runner.run_until_done()
        rows = [
            json.loads(line) for file in (tmp_path / name).glob("*.jsonl") for line in file.read_text().splitlines()
        ]
        files = (tmp_path / f"checkpoint-{name}" / "totals" / "dead-letters").glob("*.jsonl")
        letters = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        found.append(({row["k"]: row["n"] for row in rows}, [json.loads(one["record"])["k"] for one in letters]))
    (old, told_by_old), (new, told_by_new) = found
    assert not old.keys() & new.keys()
    assert 3 < len(new) < 18
    counted = {**old, **new}
    letters_of = sorted(map(str, [*told_by_old, *told_by_new]))
    nobody = ["None"] if None in told_by_new else []
    assert letters_of == sorted([*map(str, (key for key in new if key is not None)), *nobody, "x"])
    assert {key: counted.get(key) for key in range(20)} == {key: 1 if key in new else 2 for key in range(20)}
    assert counted.get(None, 0) + len(nobody) == 1
