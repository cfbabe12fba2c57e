"""Generated records are the same for the same seed, whatever the batches, and late ones are late."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.config.asking import Asked, source

from velostream.errors import VeloError
from velostream.sources.made_columns import Made, made_columns
from velostream.sources.streams.arrivals import Arrivals
from velostream.sources.streams.datagen import DatagenReader, Recipe, records
from velostream.sources.streams.dice import Dice
from velostream.sources.streams.making import make
from velostream.types import parse

START = 1_700_000_000_000_000
SECOND = 1_000_000


def recipe(**more: Any) -> Recipe:
    columns = (Made("k", "STRING", values=("a", "b")), Made("v", "BIGINT"))
    return Recipe(
        **{"source": "s", "seed": 7, "partitions": 3, "batched": False, "lap": SECOND, "per_lap": 1} | more,
        columns=columns,
    )


SCHEMA = pa.schema(
    [
        ("k", pa.string()),
        ("v", pa.int64()),
        ("_partition", pa.int32()),
        ("_offset", pa.int64()),
        ("_timestamp", pa.timestamp("us", "UTC")),
        ("_mark", pa.string()),
    ]
)


def made(recipe: Recipe, *edges: int) -> list[dict[str, Any]]:
    spans = pairwise(edges)
    return [row for first, last in spans for row in records(recipe, SCHEMA, first, last, START, START).to_pylist()]


def settings(**given: str) -> Any:
    asked = Asked({"s.type": "datagen_source"} | {f"s.{key}": text for key, text in given.items()}, source("s"))
    assert not asked.problems, asked.problems
    return asked.resolved["s"]


def test_records_do_not_depend_on_the_batches_they_come_in() -> None:
    assert made(recipe(rows=100), 0, 100) == made(recipe(rows=100), 0, 1, 17, 64, 100)


def test_another_seed_gives_other_records() -> None:
    assert made(recipe(rows=100), 0, 100) != made(recipe(rows=100, seed=8), 0, 100)


def test_partitions_one_after_another_hold_the_same_records() -> None:
    def sort(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return sorted(rows, key=lambda row: (row["_partition"], row["_offset"]))

    batched = made(recipe(rows=100, batched=True), 0, 100)
    assert [row["_partition"] for row in batched] == [0] * 34 + [1] * 33 + [2] * 33
    assert sort(batched) == sort(made(recipe(rows=100), 0, 100))
    assert [row["_offset"] for row in batched] == [*range(34), *range(33), *range(33)]


@pytest.mark.parametrize(("batched", "edges"), [(False, (0, 97, 98, 99, 100)), (True, (0, 34, 67, 100))])
def test_a_partition_is_finished_with_its_last_record(batched: bool, edges: tuple[int, ...]) -> None:
    arrivals = Arrivals(0, 100, 3, batched, 1, 1)
    found = [arrivals.finished(first, last) for first, last in pairwise(edges)]
    assert found == ([[], [1], [2], [0]] if not batched else [[0], [1], [2]])


def test_a_partition_without_records_is_finished_at_once() -> None:
    assert Arrivals(0, 2, 4, False, 1, 1).finished(0, 1) == [0, 2, 3]


def test_late_records_come_after_newer_ones_of_their_partition_by_as_much_as_they_should() -> None:
    arrivals = Arrivals(1, None, 3, False, SECOND, 100, 0.2, 5 * SECOND, 0.1, 60 * SECOND)
    ids = arrivals.ids(0, 30_000)
    times = arrivals.times(ids, START)
    behind = []
    for partition in range(3):
        mine = times[ids % 3 == partition]
        behind.append(np.maximum.accumulate(mine)[:-1] - mine[1:])
    distance = np.concatenate(behind)
    late = (distance > 59 * SECOND).mean()
    disordered = ((distance > 0) & (distance <= 5 * SECOND)).mean()
    assert late == pytest.approx(0.1, abs=0.01)
    assert disordered == pytest.approx(0.2, abs=0.01)
    assert late + disordered + (distance < 0).mean() == pytest.approx(1)


def test_offsets_fix_the_time_of_the_first_start() -> None:
    reader = DatagenReader(recipe(rows=5_000), None)  # type: ignore[arg-type]
    first = reader.latestOffset(reader.initialOffset(), None)
    second = DatagenReader(recipe(rows=5_000), None).latestOffset(first, None)  # type: ignore[arg-type]
    assert first["arrived"] == 1_000
    assert second == {"arrived": 2_000, "start": first["start"]}
    assert reader.latestOffset({"arrived": 5_000, "start": "1"}, None) == {"arrived": 5_000, "start": "1"}


def test_a_rate_counts_the_time_of_running_only() -> None:
    reader = DatagenReader(recipe(rate=1_000_000), None)  # type: ignore[arg-type]
    start = {"arrived": 50, "start": "1"}
    assert reader.latestOffset(start, None) == start
    assert 50 < reader.latestOffset(start, None)["arrived"] < 1_000_000


def test_numbers_are_spread_over_their_bounds() -> None:
    ids = np.arange(50_000)
    drawn = Dice(3, "x").whole(ids, -5, 5)
    assert set(drawn) == set(range(-5, 6))
    assert np.bincount(drawn + 5).min() > 4_000
    extremes = Dice(3, "y").whole(ids, -(2**63), 2**63 - 1)
    assert extremes.min() < -(2**62) < 2**62 < extremes.max()


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        ("TINYINT", "-3", "3"),
        ("DECIMAL(38,10)", "-1e27", "1e27"),
        ("DECIMAL(5,2)", "0.01", "0.02"),
        ("DOUBLE", "1", "2"),
    ],
)
def test_numbers_stay_within_their_bounds(kind: str, least: str, most: str) -> None:
    values = make(Made("x", kind, least=least, most=most), np.arange(1_000), 1, START).to_pylist()
    assert float(least) <= float(min(values)) < float(max(values)) <= float(most)


def test_the_share_of_nulls_and_the_length_of_arrays_are_as_set() -> None:
    values = make(Made("x", "ARRAY<INT>", length=3, nulls=0.25), np.arange(10_000), 1, START).to_pylist()
    assert sum(value is None for value in values) == pytest.approx(2_500, abs=200)
    assert {len(value) for value in values if value is not None} == {3}


def test_a_sequence_begins_again_after_its_end() -> None:
    values = make(Made("x", "STRING", sequence=True, start=5, end=7), np.arange(5), 1, START).to_pylist()
    assert values == ["5", "6", "7", "5", "6"]


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("INT", {"fields.y.min": "1"}, "column 'y', which is not declared"),
        ("STRING", {"fields.x.min": "1"}, "bounds are for numbers"),
        ("INT", {"fields.x.length": "3"}, "has no length"),
        ("TINYINT", {"fields.x.max": "200"}, "does not fit into TINYINT"),
        ("INT", {"fields.x.min": "5", "fields.x.max": "4"}, "leaves nothing"),
        ("INT", {"fields.x.values": "1, two"}, "'two' of 'fields.x.values' is not a INT"),
        ("INT", {"fields.x.start": "1"}, "they are for a sequence"),
        ("ARRAY<INT>", {"fields.x.kind": "sequence"}, "cannot be a sequence"),
        ("INTERVAL", {}, "cannot be generated"),
        ("TIMESTAMP", {"fields.at.values": "2026-01-01"}, "holds the event time"),
    ],
)
def test_settings_that_could_have_no_effect_are_refused(kind: str, given: dict[str, str], message: str) -> None:
    with pytest.raises(VeloError, match=message):
        made_columns([("x", parse(kind)), ("at", parse("TIMESTAMP"))], settings(**given), "at")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"order": "partition_batched"}, "missing-property"),
        ({"late.fraction": "60%", "out_of_order.fraction": "50%"}, "conflicting-properties"),
    ],
)
def test_contradictions_are_refused(given: dict[str, str], code: str) -> None:
    asked = Asked({"s.type": "datagen_source"} | {f"s.{key}": text for key, text in given.items()}, source("s"))
    assert asked.codes == [code]
