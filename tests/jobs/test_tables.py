"""Tables of a run, without Spark: sources that are slow, fail or vanish, and who waits for whom."""

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
from velostream.tables.loading import Step
from velostream.tables.newest import TIME
from velostream.validation import validate


class Source:
    """A source that fails a number of times before it gives `rows`, after a while."""

    def __init__(self, rows: int, failures: int = 0, seconds: float = 0.0, vanishes: bool = False) -> None:
        self.rows, self.failures, self.seconds, self.vanishes = rows, failures, seconds, vanishes

    def measure(self, since: Mapping[str, Any]) -> int:
        return 2 * self.rows

    def step(self, since: Mapping[str, Any]) -> Step | None:
        part = since.get("part", 0)
        time.sleep(self.seconds)
        if self.failures or (self.vanishes and part):
            self.failures -= 1
            raise VeloError("the source is gone", hint="bring it back", code="source-unreadable")
        if part == 2:
            return None
        keys = [f"{part}-{number}" for number in range(self.rows)]
        rows = pa.table({"k": pa.array(keys, pa.string()), TIME: pa.array([0] * self.rows, pa.int64())})
        return Step(rows, {"part": part + 1}, last=part == 1, size=self.rows)


def tables(home: Path, sources: Mapping[str, Source], settings: str = "") -> Tables:
    """The tables of an application in which job `x` reads all of them."""
    declared = "".join(
        f"CREATE TABLE {name} (k STRING PRIMARY KEY) WITH ('type' = 'file_source', 'path' = '{name}.csv',"
        f" 'format' = 'csv'{settings});\n"
        for name in sources
    )
    joins = " ".join(f"LEFT JOIN {name} ON s.k = {name}.k" for name in sources)
    text = f"""CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
        {declared} -- @name: x
        SELECT s.k FROM s {joins}"""
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    found = Tables(plan(answer.bound, answer.library), None, home, home)  # type: ignore[arg-type]
    for name, source in sources.items():
        loader = found.loading.loaders[name]
        loader.source = source
        loader.__post_init__()
    return found


def test_a_source_that_fails_three_times_is_loaded_all_the_same(tmp_path: Path) -> None:
    found = tables(tmp_path, {"t": Source(5, failures=3)})
    found.load()
    [report] = found.report()
    assert (report["state"], report["rows"]) == ("ready", 10)
    assert "error" not in report


def test_a_source_that_vanishes_half_way_ends_the_run_and_says_who_waits(tmp_path: Path) -> None:
    found = tables(tmp_path, {"t": Source(5, vanishes=True)}, ", 'wait.timeout' = '1s'")
    with pytest.raises(
        VeloError, match=r"table 't' is not ready \(failed, 5 records read \(50 % of 10 bytes\)\)"
    ) as failure:
        found.load()
    assert "the source is gone; job 'x' waits for it" in failure.value.message
    assert failure.value.hint == "bring it back"


def test_tables_that_do_not_depend_on_each_other_load_side_by_side(tmp_path: Path) -> None:
    found = tables(tmp_path, {f"t{number}": Source(1, seconds=0.1) for number in range(10)})
    began = time.monotonic()
    found.load()
    assert all(one["state"] == "ready" and one["rows"] == 2 for one in found.report())
    assert time.monotonic() - began < 10 * 2 * 0.1


def test_a_job_waits_for_a_table_until_its_time_is_over(tmp_path: Path) -> None:
    found = tables(tmp_path, {"t": Source(1)}, ", 'wait.timeout' = '200ms'")
    [job] = found.plan.jobs
    with pytest.raises(VeloError, match=r"table 't' is not ready after 200ms .*job 'x' waits for it") as failure:
        found.wait(job, lambda _: False, Event())
    assert failure.value.error_code == "table-not-ready"
    assert found.wait(job, lambda _: True, Event())


def test_a_refresh_that_finds_nothing_new_is_not_counted(tmp_path: Path) -> None:
    found = tables(tmp_path, {"t": Source(1)}, ", 'refresh.interval' = '50ms'")
    found.load()
    with found.kept_fresh():
        time.sleep(0.5)
    assert found.report()[0]["refreshes"] == 0


def test_a_source_that_fails_most_of_the_time_is_left_in_peace_and_the_report_says_so(tmp_path: Path) -> None:
    settings = ", 'refresh.interval' = '20ms', 'circuit.breaker.calls' = '3', 'circuit.breaker.open.duration' = '1h'"
    found = tables(tmp_path, {"t": Source(1)}, settings)
    found.load()
    source = found.loading.loaders["t"].source
    assert isinstance(source, Source)
    source.failures = 1_000
    with found.kept_fresh():
        time.sleep(0.6)
    [report] = found.report()
    assert (report["state"], report["rows"]) == ("ready", 2)
    assert report["circuit_breaker"]["state"] == "open"
    assert report["circuit_breaker"]["suspended"] > 0
    assert source.failures > 990
    assert "suspended" in report["error"]


def test_those_who_follow_hear_of_every_table(tmp_path: Path) -> None:
    found = tables(tmp_path, {name: Source(3, seconds=0.02) for name in ("a", "b")})
    heard: list[tuple[str, str]] = []
    found.events.subscribe(lambda event: heard.append((event.kind, str(event.data.get("name", "")))))
    found.load()
    assert {one for one in heard if one[0] == "TableCompleted"} == {("TableCompleted", "a"), ("TableCompleted", "b")}
