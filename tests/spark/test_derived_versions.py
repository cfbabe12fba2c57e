"""What tables made of other tables were, on Spark: at every time as their queries give over what these were."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from velostream.jobs.tables import Tables
from velostream.plan import plan
from velostream.tables.loading import Step
from velostream.tables.newest import GONE, TIME
from velostream.tables.past import ORDER
from velostream.tables.store import PAST, TableStore
from velostream.validation import validate

DECLARED = """CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'event.time.field' = 'at');
CREATE TABLE a (k STRING PRIMARY KEY, g STRING, v INT) WITH ('type' = 'file_source', 'path' = 'a.csv',
    'format' = 'csv', 'version.time' = 'v');
CREATE TABLE b (k STRING PRIMARY KEY, g STRING, v INT) WITH ('type' = 'file_source', 'path' = 'b.csv',
    'format' = 'csv', 'version.time' = 'v');
CREATE TABLE larger AS SELECT k PRIMARY KEY, g, 12 / (v - 3) AS w FROM a WHERE v > 1;
CREATE TABLE met AS SELECT l.k PRIMARY KEY, l.w, b.v FROM larger l JOIN b ON l.g = b.k AND b.v > 1;
CREATE TABLE kept AS SELECT a.k PRIMARY KEY, a.g, b.v FROM a LEFT JOIN b ON a.g = b.k AND b.v > a.v;
CREATE TABLE filled AS SELECT a.k PRIMARY KEY, i.w, o.v FROM a LEFT JOIN met i ON a.k = i.k
    LEFT JOIN kept o ON a.k = o.k
    WITH ('met.missing.data.strategy' = 'use_defaults(w = -1.0)');
SELECT s.k, f.w FROM s JOIN filled FOR SYSTEM_TIME AS OF s.at AS f ON s.k = f.k
"""
NAMES = ("larger", "met", "kept", "filled")
Rows = dict[str, tuple[Any, ...]]


class Changes:
    """A source of a table that tells what has changed, in steps: key, time, and the row or None."""

    def __init__(self) -> None:
        self.steps: list[list[tuple[str, int, tuple[str, int] | None]]] = [[]]

    def measure(self, since: Mapping[str, Any]) -> int:
        return 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        place = since.get("place", 0)
        if since and place == len(self.steps):
            return None
        told = self.steps[place]
        columns = {
            "k": pa.array([key for key, _, _ in told], pa.string()),
            "g": pa.array([row[0] if row else None for _, _, row in told], pa.string()),
            "v": pa.array([row[1] if row else None for _, _, row in told], pa.int32()),
            TIME: pa.array([time for _, time, _ in told], pa.int64()),
            GONE: pa.array([row is None for _, _, row in told], pa.bool_()),
        }
        return Step(pa.table(columns), {"place": place + 1}, last=place + 1 == len(self.steps))


def at(home: Path, name: str, time: int) -> Rows:
    """The rows of a table as its past has them at a time, by key."""
    newest = TableStore(home / "state", name).newest()
    assert newest is not None
    past = newest.table(PAST)
    assert past is not None
    found: Rows = {}
    for row in sorted(past.to_pylist(), key=lambda row: (row[TIME], row[ORDER])):
        if row[TIME] <= time:
            found.pop(row["k"], None)
            if not row[GONE]:
                found[row["k"]] = tuple(row[name] for name in row if name not in ("k", TIME, GONE, ORDER))
    return found


def expected(a: Rows, b: Rows) -> dict[str, Rows]:
    """What the queries give over these rows, in Python."""
    larger = {k: (g, 12 / (v - 3)) for k, (g, v) in a.items() if v > 1 and v != 3}
    met = {k: (w, b[g][1]) for k, (g, w) in larger.items() if g in b and b[g][1] > 1}
    kept = {k: (g, b[g][1] if g in b and b[g][1] > v else None) for k, (g, v) in a.items()}
    filled = {k: (met[k][0] if k in met else -1.0, kept[k][1]) for k in a}
    return {"larger": larger, "met": met, "kept": kept, "filled": filled}


def changes(chance: random.Random, keys: Iterable[str]) -> list[tuple[str, int, tuple[str, int] | None]]:
    told = [(key, chance.randrange(40)) for key in keys for _ in range(chance.randrange(4))]
    row = lambda: None if chance.random() < 0.2 else (chance.choice("uvwx"), chance.randrange(7))  # noqa: E731
    return [(key, time, row()) for key, time in sorted(told, key=lambda one: one[1])]


def test_a_table_of_tables_was_at_every_time_what_its_query_gives_over_what_these_were(
    one_spark: Any, tmp_path: Path
) -> None:
    answer = validate(DECLARED, "test.sql", variables={}, folder=tmp_path)
    assert answer.ok, answer.findings.errors
    tables = Tables(plan(answer.bound, answer.library), one_spark, tmp_path / "state", tmp_path)
    sources = {}
    for name in ("a", "b"):
        loader = tables.loading.loaders[name]
        loader.source = sources[name] = Changes()
        loader.__post_init__()
    chance = random.Random(11)
    for number in range(3):
        sources["a"].steps.append(changes(chance, "klmnopq"))
        sources["b"].steps.append(changes(chance, "uvw"))
        if number:
            for name in ("a", "b"):
                tables.loading.loaders[name].load("incremental")
            tables.deriving.follow()
        else:
            tables.load()
        for time in range(-1, 41):
            rows = {name: at(tmp_path, name, time) for name in NAMES}
            assert rows == expected(at(tmp_path, "a", time), at(tmp_path, "b", time)), (number, time)
    marks = {name: TableStore(tmp_path / "state", name).newest() for name in ("a", "b", *NAMES)}
    told = {name: one.about.watermark for name, one in marks.items() if one is not None}
    assert told["filled"] == min(told["a"] or 0, told["b"] or 0)
    version = tables.deriving.loaders["filled"].writer.newest()
    tables.loading.loaders["a"].load("incremental")
    tables.loading.loaders["b"].load("incremental")
    tables.deriving.follow()
    later = tables.deriving.loaders["filled"].writer.newest()
    assert version is not None
    assert later is not None
    assert later.files == version.files, "that nothing has changed up to now costs nothing"
    assert (later.about.watermark or 0) > (version.about.watermark or 0)
