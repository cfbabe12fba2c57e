"""Tables made of other tables, on Spark: as a batch query has them, while jobs run too; and what fails in them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from velostream import tables as read_tables
from velostream.errors import VeloError
from velostream.jobs.asking import ask
from velostream.jobs.runner import Runner
from velostream.jobs.tables import Tables
from velostream.plan import plan
from velostream.plan.job import ApplicationPlan
from velostream.sinks.letters import read_letters
from velostream.tables.loading import Step
from velostream.tables.newest import GONE, TIME
from velostream.tables.store import TableStore
from velostream.validation import validate

STREAM = """CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'event.time.field' = 'at');
"""
TABLE = """CREATE TABLE a (k STRING PRIMARY KEY, g STRING, v INT) WITH ('type' = 'file_source', 'path' = 'a.csv',
    'format' = 'csv', 'refresh.interval' = '300ms');
"""
QUERIES = {
    "larger": "SELECT k PRIMARY KEY, v * 2 AS twice FROM a WHERE v > 1",
    "grouped": "SELECT g, COUNT(*) AS n, SUM(v) AS total FROM a GROUP BY g",
    "joined": "SELECT s.k PRIMARY KEY, s.twice, b.n FROM larger s JOIN a ON s.k = a.k LEFT JOIN grouped b ON a.g = b.g",
}


def planned(text: str, home: Path) -> ApplicationPlan:
    answer = validate(text, "test.sql", variables={}, folder=home)
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library)


def rows(home: Path, table: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in read_tables.read(home / "state", table).to_pylist()), key=repr)


def write(file: Path, text: str) -> None:
    hidden = file.with_suffix(".hidden")
    hidden.write_text(text)
    hidden.replace(file)


def until(what: Any, seconds: float = 90.0) -> None:
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "it did not come in time"
        time.sleep(0.05)


def events(home: Path, number: int, *keys: str) -> None:
    (home / "in").mkdir(exist_ok=True)
    told = [{"k": key, "at": f"2026-01-01T10:0{number}:00Z"} for key in keys]
    write(home / "in" / f"{number}.jsonl", "".join(json.dumps(one) + "\n" for one in told))


def test_later_batches_see_what_a_chain_of_tables_has_become_and_a_resumed_job_too(
    one_spark: Any, tmp_path: Path
) -> None:
    text = STREAM + TABLE + "".join(f"CREATE TABLE {name} AS {query};\n" for name, query in QUERIES.items())
    text += "-- @name: x\nSELECT s.k, j.twice, j.n FROM s LEFT JOIN joined j ON s.k = j.k;"
    seen: list[str] = []
    write(tmp_path / "a.csv", "k,g,v\nx,p,2\ny,p,1\n")
    events(tmp_path, 0, "x", "y")

    def show(lines: object) -> None:
        seen.extend(str(lines).splitlines())

    def running() -> tuple[Runner, Thread]:
        made = Runner(planned(text, tmp_path), one_spark, tmp_path / "state", tmp_path, show)
        thread = Thread(target=made.run, args=(120.0, lambda: None))
        thread.start()
        return made, thread

    runner, thread = running()
    try:
        until(lambda: len(seen) == 2)
        write(tmp_path / "a.csv", "k,g,v\nx,p,5\ny,q,7\nz,q,0\n")
        until(lambda: rows(tmp_path, "joined") == [("x", 10, 1), ("y", 14, 2)])
        pins = runner.jobs[0].pins
        assert pins is not None
        until(lambda: not pins.stale)
        events(tmp_path, 1, "y")
        until(lambda: len(seen) == 3)
    finally:
        runner.stopping.set()
        thread.join()
    report = {one["name"]: one for one in runner.report()["tables"]}
    assert (report["joined"]["state"], report["joined"]["rows"]) == ("ready", 2)
    assert set(report["joined"]["made_of"]) == {"a", "grouped", "larger"}
    assert report["joined"]["refreshes"] >= 1
    newest = [TableStore(tmp_path / "state", name).numbers()[-1] for name in QUERIES]
    events(tmp_path, 2, "x")
    again, thread = running()
    try:
        until(lambda: len(seen) == 4)
    finally:
        again.stopping.set()
        thread.join()
    after = [TableStore(tmp_path / "state", name).numbers()[-1] for name in QUERIES]
    assert after == newest, "what is there is not computed again"
    assert sorted(seen[:2]) == ["k=x  twice=4  n=2", "k=y  twice=NULL  n=NULL"]
    assert seen[2:] == ["k=y  twice=14  n=2", "k=x  twice=10  n=1"]


class Changes:
    """A source of table `a` that tells what has changed, in steps."""

    def __init__(self) -> None:
        self.steps: list[dict[str, tuple[str | None, int] | None]] = []

    def measure(self, since: Mapping[str, Any]) -> int:
        return 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        place = since.get("place", 0)
        if since and place == len(self.steps):
            return None
        told = self.steps[place].items() if self.steps else ()
        columns = {
            "k": pa.array([key for key, _ in told], pa.string()),
            "g": pa.array([row[0] if row else None for _, row in told], pa.string()),
            "v": pa.array([row[1] if row else None for _, row in told], pa.int32()),
            TIME: pa.array([place] * len(told), pa.int64()),
            GONE: pa.array([row is None for _, row in told], pa.bool_()),
        }
        return Step(pa.table(columns), {"place": place + bool(self.steps)}, last=place + 1 >= len(self.steps))


def expected(held: Mapping[str, tuple[str | None, int]]) -> dict[str, list[tuple[Any, ...]]]:
    """What the queries give over these rows, in Python."""
    groups = {g: [v for other, v in held.values() if other == g] for g, _ in held.values()}
    some = [(k, 2 * v) for k, (_, v) in held.items() if v > 1]
    joined = [(k, twice, None if held[k][0] is None else len(groups[held[k][0]])) for k, twice in some]
    told = {"larger": some, "grouped": [(g, len(vs), sum(vs)) for g, vs in groups.items()], "joined": joined}
    return {name: sorted(each, key=repr) for name, each in told.items()}


ROW = st.none() | st.tuples(st.sampled_from(["p", "q", None]), st.integers(0, 5))
STEPS = st.lists(st.dictionaries(st.sampled_from("uvwxyz"), ROW, min_size=1, max_size=4), min_size=2, max_size=3)


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_after_any_changes_tables_are_what_their_queries_give(
    one_spark: Any, tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, Any]]
) -> None:
    home = tmp_path_factory.mktemp("changes")
    text = TABLE + "".join(f"CREATE TABLE {name} AS {query};\n" for name, query in QUERIES.items())
    tables = Tables(planned(text, home), one_spark, home / "state", home)
    loader = tables.loading.loaders["a"]
    loader.source = changes = Changes()
    loader.__post_init__()
    tables.load()
    held: dict[str, tuple[str | None, int]] = {}
    for step in steps:
        changes.steps.append(step)
        loader.load("incremental")
        tables.deriving.follow()
        held = {key: row for key, row in {**held, **step}.items() if row is not None}
        assert {name: rows(home, name) for name in QUERIES} == expected(held)
    whole = planned(f"{text}SELECT j.k, j.twice, j.n FROM ({QUERIES['joined'].replace(' PRIMARY KEY', '')}) j", home)
    asked = ask(whole, whole.jobs[-1], one_spark, home / "state").to_pylist()
    assert sorted((tuple(row.values()) for row in asked), key=repr) == rows(home, "joined")


def test_of_a_table_that_is_made_row_by_row_only_what_has_changed_is_computed(one_spark: Any, tmp_path: Path) -> None:
    text = TABLE + f"CREATE TABLE larger AS {QUERIES['larger']};\nCREATE TABLE grouped AS {QUERIES['grouped']};\n"
    tables = Tables(planned(text, tmp_path), one_spark, tmp_path / "state", tmp_path)
    loader = tables.loading.loaders["a"]
    loader.source = changes = Changes()
    loader.__post_init__()
    held: dict[str, tuple[str | None, int]] = dict.fromkeys("abcdefghijuvwxyz", ("p", 2))
    changes.steps.append({**held})
    tables.load()
    source = tables.deriving.loaders["larger"].source
    seen: list[Step] = []
    ask = source.step
    source.step = lambda since: seen.append(ask(since)) or seen[-1]  # type: ignore[method-assign,func-returns-value,return-value]
    steps: list[dict[str, Any]] = [{"u": ("p", 5), "v": ("q", 0)}, {"w": None, "new": ("q", 9)}]
    for step in steps:
        changes.steps.append(step)
        loader.load("incremental")
        tables.forget()
        tables.deriving.follow()
        held = {key: row for key, row in {**held, **step}.items() if row is not None}
        assert rows(tmp_path, "larger") == expected(held)["larger"]
        assert rows(tmp_path, "grouped") == expected(held)["grouped"]
    told = [
        (one.fresh, sorted(zip(*(one.rows[name].to_pylist() for name in ("k", GONE)), strict=True))) for one in seen
    ]
    assert told == [
        (False, [("u", False), ("u", True), ("v", True)]),
        (False, [("new", False), ("new", True), ("w", True)]),
    ]
    assert not (tmp_path / "state" / ".tables" / "larger" / "changed").exists()


FAILING = """CREATE TABLE numbers AS SELECT k PRIMARY KEY, CAST(v AS INT) AS v FROM a WHERE g = 'p';
CREATE TABLE sums AS SELECT g, SUM(CAST(v AS INT)) AS n FROM a GROUP BY g;
CREATE TABLE met AS SELECT a.k PRIMARY KEY FROM a JOIN a b ON a.k = b.k AND CAST(a.v AS INT) + CAST(b.v AS INT) > 1;
CREATE TABLE doubled AS SELECT g PRIMARY KEY, k FROM a;
"""


def test_rows_that_fail_are_dead_letters_and_what_no_row_can_be_blamed_for_is_an_error(
    one_spark: Any, tmp_path: Path
) -> None:
    write(tmp_path / "a.csv", "k,g,v\nx,p,2\ny,q,3\n")
    text = TABLE.replace("v INT", "v STRING") + FAILING
    tables = Tables(planned(text, tmp_path), one_spark, tmp_path / "state", tmp_path)
    tables.load()
    names = ("numbers", "sums", "met", "doubled")
    first = {"numbers": [("x", 2)], "sums": [("p", 2), ("q", 3)], "met": [("x",), ("y",)]}
    assert {name: rows(tmp_path, name) for name in names} == {**first, "doubled": [("p", "x"), ("q", "y")]}
    write(tmp_path / "a.csv", "k,g,v\nx,p,4\ny,p,bad\nz,p,5\n")
    tables.loading._refreshed("a")
    for _ in range(2):
        tables.deriving.follow()
    later = {"numbers": [("x", 4), ("z", 5)], "sums": [("p", 9)], "met": first["met"]}
    assert {name: rows(tmp_path, name) for name in names} == {**later, "doubled": [("p", "x"), ("q", "y")]}
    for name in ("numbers", "sums"):
        [letter] = read_letters(tmp_path / "state" / ".tables" / name / "dead-letters")
        assert (letter["reason"], json.loads(letter["record"])["v"], letter["source"]) == ("bad_value", "bad", "a")
    report = {one["name"]: one for one in tables.report()}
    assert [report[name]["dead_lettered"] for name in names] == [1, 1, 0, 0]
    assert "'bad' cannot be cast" in report["met"]["error"]
    assert report["doubled"]["error"] == "table 'doubled' would have 3 rows where g = 'p'"
    again = Tables(planned(text, tmp_path), one_spark, tmp_path / "state", tmp_path)
    with pytest.raises(
        VeloError, match=r"table 'met' is not ready .*'bad' cannot be cast .*; nothing else waits for it"
    ):
        again.load()
