"""Tables made of other tables, without Spark: when they are computed, of which versions, and who waits for whom."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pytest

from velostream.errors import VeloError
from velostream.jobs.tables import Tables
from velostream.plan import plan
from velostream.spark.loading.derived import DerivedTable
from velostream.tables.loading import Step
from velostream.tables.newest import TIME
from velostream.tables.progress import READY
from velostream.tables.store import About, Version
from velostream.validation import validate

DECLARED = """CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
CREATE TABLE a (k STRING PRIMARY KEY, v BIGINT) WITH ('type' = 'file_source', 'path' = 'a.csv', 'format' = 'csv');
"""
CHAIN = """CREATE TABLE b AS SELECT k PRIMARY KEY, v FROM a WHERE v > 0{b};
CREATE TABLE c AS SELECT a.k PRIMARY KEY, a.v + b.v AS v FROM a JOIN b ON a.k = b.k{c};
-- @name: x
SELECT s.k, c.v FROM s JOIN c ON s.k = c.k;
"""
Given = dict[str, int]


class Rows:
    """The source of table `a`: whatever it is given."""

    def __init__(self, rows: Given) -> None:
        self.rows = rows

    def measure(self, since: Mapping[str, Any]) -> int:
        return 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        made = {"k": pa.array(list(self.rows), pa.string()), "v": pa.array(list(self.rows.values()), pa.int64())}
        times = pa.array([0] * len(self.rows), pa.int64())
        return None if since == self.rows else Step(pa.table({**made, TIME: times}), dict(self.rows), fresh=True)


class Broken(Rows):
    """A source that nobody can read."""

    def step(self, since: Mapping[str, Any]) -> Step | None:
        raise VeloError("it cannot be read", hint="", code="unsupported")


class Summed(DerivedTable):
    """Adds the values of each key that all of its tables have, in Python; fails where one is below zero."""

    computed: int = 0

    def _changed(self, since: Mapping[str, Any], versions: Mapping[str, Version]) -> None:
        """All is computed."""

    def _computed(self, versions: Mapping[str, Version]) -> tuple[pa.Table, list[dict[str, Any]]]:
        self.computed += 1
        read = [_rows(version) for version in versions.values()]
        keys = sorted(set.intersection(*(set(each) for each in read)))
        if any(each[key] < 0 for each in read for key in keys):
            raise VeloError("a value is below zero", hint="", code="unsupported")
        sums = [sum(each[key] for each in read) for key in keys]
        times = pa.nulls(len(keys), pa.timestamp("us", "UTC"))
        return pa.table({"k": pa.array(keys, pa.string()), "v": pa.array(sums, pa.int64()), "_event_time": times}), []


def _rows(version: Version | None) -> Given:
    assert version is not None
    told = version.read()
    return dict(zip(told["k"].to_pylist(), told["v"].to_pylist(), strict=True))


def tables(home: Path, rows: Given, b: str = "", c: str = "", text: str = CHAIN) -> Tables:
    declared = "" if DECLARED in text else DECLARED
    answer = validate(declared + text.format(b=b, c=c), "test.sql", variables={}, folder=home)
    assert answer.ok, answer.findings.errors
    found = Tables(plan(answer.bound, answer.library), None, home, home)  # type: ignore[arg-type]
    if "a" in found.loading.loaders:
        found.loading.loaders["a"].source = Rows(rows)
        found.loading.loaders["a"].__post_init__()
    for loader in found.deriving.loaders.values():
        source = loader.source
        assert isinstance(source, DerivedTable)
        loader.source = Summed(**{name: getattr(source, name) for name in DerivedTable.__dataclass_fields__})
        loader.__post_init__()
    return found


def given(found: Tables, rows: Given) -> None:
    """Other rows for table `a`, which are read."""
    found.loading.loaders["a"].source.rows = rows  # type: ignore[attr-defined]
    found.loading._refreshed("a")


def computed(found: Tables) -> dict[str, int]:
    return {name: loader.source.computed for name, loader in found.deriving.loaders.items()}  # type: ignore[attr-defined]


def held(found: Tables, name: str) -> Given:
    return _rows(found.deriving.loaders[name].writer.store.newest())


def test_a_chain_is_computed_after_its_tables_and_again_when_one_changes(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1, "y": 2})
    found.load()
    assert held(found, "c") == {"x": 2, "y": 4}
    assert found.is_ready(found.plan.jobs[0])
    given(found, {"x": 5})
    found.deriving.follow()
    assert (held(found, "b"), held(found, "c")) == ({"x": 5}, {"x": 10})
    report = {one["name"]: one for one in found.report()}
    assert {name: (one["state"], one["rows"], one["refreshes"]) for name, one in report.items()} == dict.fromkeys(
        "abc", ("ready", 1, 1)
    )
    assert report["c"]["made_of"] == {"a": 2, "b": 2}


def test_what_is_made_of_the_same_is_not_computed_again_not_even_by_another_process(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1})
    found.load()
    for _ in range(3):
        given(found, {"x": 1})
        found.deriving.follow()
    assert computed(found) == {"b": 1, "c": 1}
    again = tables(tmp_path, {"x": 1})
    again.load()
    assert computed(again) == {"b": 0, "c": 0}
    assert again.report()[2]["state"] == "ready"


def test_a_process_that_dies_between_a_table_and_those_made_of_it_leaves_no_mixture(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1})
    found.load()
    given(found, {"x": 2})  # and here it dies
    (tmp_path / ".tables" / "b" / ".000000002").mkdir()
    assert (held(found, "b"), held(found, "c")) == ({"x": 1}, {"x": 2})
    again = tables(tmp_path, {"x": 2})
    again.load()
    assert (held(again, "b"), held(again, "c")) == ({"x": 2}, {"x": 4})
    assert computed(again) == {"b": 1, "c": 1}


def test_another_query_is_computed_anew_although_its_tables_are_the_same(tmp_path: Path) -> None:
    tables(tmp_path, {"x": 1}).load()
    other = tables(tmp_path, {"x": 1}, text=CHAIN.replace("v > 0", "v > 7"))
    other.load()
    assert computed(other)["b"] == 1


def test_a_table_whose_query_calls_a_function_that_changed_is_computed_anew_and_others_are_not(tmp_path: Path) -> None:
    text = "-- Dependencies: worth.py\n" + DECLARED + CHAIN.replace("v > 0", "worth(v) > 0")
    code = 'from velostream.functions.python import scalar\n@scalar("BIGINT")\ndef worth(v):\n    return v{}\n'
    found = []
    for more in ("", "  # the same", " * 2"):
        (tmp_path / "worth.py").write_text(code.format(more))
        found.append(tables(tmp_path, {"x": 1}, text=text))
        found[-1].load()
    assert [computed(one)["b"] for one in found] == [1, 0, 1]
    assert computed(found[-1])["c"] == 0, "its rows are made of the same as before"


def test_a_table_that_is_read_twice_is_never_seen_at_two_times(tmp_path: Path) -> None:
    """`c` reads `a` itself and through `b`, which may not be computed again yet: it waits for it."""
    found = tables(tmp_path, {"x": 1}, b=" WITH ('b.refresh.interval' = '1h')")
    found.load()
    given(found, {"x": 7})
    found.deriving.follow()
    assert (held(found, "b"), held(found, "c")) == ({"x": 1}, {"x": 2})
    found.deriving._tried["b"] -= 3_600
    found.deriving.follow()
    assert (held(found, "b"), held(found, "c")) == ({"x": 7}, {"x": 14})


def test_a_table_that_is_computed_once_stays_and_those_made_of_it_follow_the_others(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1}, b=" WITH ('b.refresh.mode' = 'none')")
    found.load()
    given(found, {"x": 7})
    found.deriving.follow()
    assert (held(found, "b"), held(found, "c")) == ({"x": 1}, {"x": 8})


def test_one_that_fails_stays_as_it_was_with_those_made_of_it_and_says_why(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1})
    found.load()
    given(found, {"x": -1})
    for _ in range(3):
        found.deriving.follow()
    assert computed(found) == {"b": 2, "c": 1}, "what failed is tried again after a while, or with other rows"
    report = {one["name"]: one for one in found.report()}
    assert (held(found, "c"), report["b"]["state"], report["b"]["error"]) == (
        {"x": 2},
        "ready",
        "a value is below zero",
    )
    assert report["c"]["error"] == "it waits for table 'b', which could not be computed"
    given(found, {"x": 1})
    found.deriving.follow()
    assert (computed(found), held(found, "c")) == ({"b": 3, "c": 2}, {"x": 2})
    assert not any("error" in one for one in found.report())


def test_one_that_fails_at_first_ends_the_run_and_says_who_waits(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": -1})
    with pytest.raises(VeloError, match=r"table 'b' is not ready .*below zero; table 'c' and job 'x' wait for it"):
        found.load()


def test_a_table_from_outside_that_fails_names_all_that_wait_for_it(tmp_path: Path) -> None:
    found = tables(tmp_path, {})
    found.loading.loaders["a"].source = Broken({})
    with pytest.raises(VeloError, match="tables 'b', 'c' and job 'x' wait for it"):
        found.load()


def test_versions_that_are_read_are_not_deleted_and_old_ones_go(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1})
    found.load()
    found.plan = found.plan.__class__(found.plan.name, (), tables=found.plan.tables, derived=found.plan.derived)
    store = found.loading.loaders["a"].writer.store
    with found.deriving._round():
        given(found, {"x": 2})
        found.forget()
        assert store.numbers() == [1, 2]
        assert _rows(found.deriving.versions("b")["a"]) == {"x": 1}, "a round sees what it began with"
    assert store.numbers() == [1, 2], "by what a table was made of is known what has changed"
    found.deriving.follow()
    assert store.numbers() == [2]


def test_tables_follow_while_jobs_run(tmp_path: Path) -> None:
    found = tables(tmp_path, {"x": 1})
    found.load()
    with found.kept_fresh():
        given(found, {"x": 4})
        until = time.monotonic() + 10
        while held(found, "c") != {"x": 8} and time.monotonic() < until:
            time.sleep(0.02)
    assert held(found, "c") == {"x": 8}


def test_a_table_of_a_table_that_a_job_makes_is_computed_once_that_is_there(tmp_path: Path) -> None:
    text = """CREATE TABLE made AS SELECT k, COUNT(*) AS v FROM s GROUP BY k WITH ('state.ttl' = '1d');
        CREATE TABLE of AS SELECT k PRIMARY KEY, v FROM made WHERE v > 0 WITH ('of.wait.timeout' = '100ms');
        -- @name: x
        SELECT s.k, o.v FROM s JOIN of o ON s.k = o.k;"""
    found = tables(tmp_path, {}, text=text)
    found.load()
    made, reader = found.plan.jobs
    assert (made.name, reader.tables) == ("made", ("of",))
    told = r"table 'made' is not ready after 100ms .*; table 'of' and job 'x' wait for it"
    with pytest.raises(VeloError, match=told) as late:
        found.wait(reader, lambda _: False, Event())
    assert late.value.hint == "'of.wait.timeout' = '5m' waits longer"
    rows = pa.table({"k": ["q"], "v": [3], TIME: pa.array([0], pa.int64())})
    found.made["made"].writer.change(rows, About())
    assert found.wait(reader, lambda _: True, Event())
    assert (held(found, "of"), found.progress["of"].state) == ({"q": 3}, READY)
    found.made["made"].writer.change(rows.set_column(1, "v", pa.array([9])), About())
    found.finish()
    assert held(found, "of") == {"q": 9}
