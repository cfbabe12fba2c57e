"""Two versions of a job read until both have read exactly the same, and change what they write there."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from velostream.jobs.letter_owner import owner_of
from velostream.jobs.meeting import meet, vectors
from velostream.jobs.offset_log import OffsetLog
from velostream.jobs.ownership import Ownership
from velostream.jobs.runner import Runner
from velostream.jobs.running import RunningJob
from velostream.server.moving.copying import copy_state
from velostream.server.planning import planned
from velostream.spark.lower.context import SLOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SQL = """
CREATE STREAM whole (n BIGINT) WITH ('whole.type' = 'file_source', 'whole.path' = 'whole', 'whole.format' = 'jsonl');
CREATE STREAM grown (n BIGINT) WITH ('grown.type' = 'file_source', 'grown.path' = 'grown', 'grown.format' = 'jsonl',
    'grown.growing' = 'true', 'grown.watch.interval' = '10ms');
-- @name: all_of_them
SELECT n PRIMARY KEY FROM (SELECT n FROM whole UNION ALL SELECT n FROM grown) both INTO out
WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl');
"""
WHOLE = SQL.replace("(SELECT n FROM whole UNION ALL SELECT n FROM grown) both", "whole")


WINDOWED = """
CREATE STREAM orders (k STRING, n BIGINT, at TIMESTAMP) WITH ('orders.type' = 'file_source', 'orders.path' = 'whole',
    'orders.format' = 'jsonl', 'orders.event.time.field' = 'at', 'orders.watermark.max_out_of_orderness' = '0s');
-- @name: all_of_them
SELECT k, COUNT(*) AS c, _window_start AS s FROM orders GROUP BY k WINDOW TUMBLING(10s) INTO out
WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl', 'allowed.lateness' = '0s');
"""


class Version:
    """A version of the job, which reads all that is there and rests then."""

    def __init__(self, spark: SparkSession, files: Path, state: Path, places: tuple[int, int], sql: str = SQL) -> None:
        self.runner = Runner(planned(sql, "app", files).plan, spark, state, files, print)
        self.runner.owners.of_jobs = {"all_of_them": Ownership(places)}
        self.runner.prepare(bounded=False)
        self.job: RunningJob = self.runner.jobs[0]
        self.job.state = "paused"

    def read(self) -> None:
        self.job.go_on()
        ends = time.monotonic() + 60
        while not (self.job.all_read and self.job.accounts.batch >= 0) and time.monotonic() < ends:
            self.job.check()
            time.sleep(0.05)
        self.job.pause()

    def owns(self, owned: Ownership) -> None:
        self.runner.owners.of_jobs = {"all_of_them": owned}
        if self.runner.owners.goes_by_slots(self.job.job) and SLOT not in self.job.lowered.stream.columns:
            self.runner.prepare_again(self.job)
            self.job = self.runner.jobs[0]
        self.job.writer.lowered = self.runner.owners.applied(self.job.job, self.job.lowered)
        self.job.writer.owner = owner_of(self.job.job, self.runner.owners)


def written(folder: Path) -> list[Path]:
    return sorted((folder / "out").glob("*.jsonl"))


def lines(numbers: range) -> str:
    return "".join(json.dumps({"n": number}) + "\n" for number in numbers)


def test_a_version_reads_exactly_as_far_as_the_other_one(one_spark: SparkSession, tmp_path: Path) -> None:
    for folder in ("whole", "grown"):
        (tmp_path / folder).mkdir()
    (tmp_path / "whole" / "a.jsonl").write_text(lines(range(10)))
    old = Version(one_spark, tmp_path, tmp_path / "old", (0, 100), WHOLE)
    old.read()
    copy_state(tmp_path / "old", tmp_path / "new")
    (tmp_path / "whole" / "b.jsonl").write_text(lines(range(10, 20)))
    old.read()
    new = Version(one_spark, tmp_path, tmp_path / "new", (40, 100), WHOLE)
    (tmp_path / "whole" / "c.jsonl").write_text(lines(range(20, 30)))
    assert meet(new.job, tmp_path / "old" / "all_of_them")
    found = Counter(json.loads(line)["n"] for file in written(tmp_path) for line in file.read_text().splitlines())
    assert set(found) == set(range(20))
    assert {n for n, times in found.items() if times > 1} < set(range(10, 20))


@pytest.mark.slow
@pytest.mark.skipif("SHARES" not in os.environ.get("VELO_STRATEGIES", ""), reason="it takes half a minute: make faults")
@pytest.mark.parametrize("sql", [SQL, SQL.replace(" PRIMARY KEY", "")], ids=["by key", "by place"])
def test_versions_that_have_read_different_files_meet_and_each_row_is_written_once(
    one_spark: SparkSession, tmp_path: Path, sql: str
) -> None:
    for folder in ("whole", "grown", "aside"):
        (tmp_path / folder).mkdir()
    (tmp_path / "whole" / "a.jsonl").write_text(lines(range(10)))
    growing = tmp_path / "grown" / "g.jsonl"
    growing.write_text(lines(range(100, 110)))
    old = Version(one_spark, tmp_path, tmp_path / "old", (0, 100), sql)
    old.read()
    copy_state(tmp_path / "old", tmp_path / "new")
    new = Version(one_spark, tmp_path, tmp_path / "new", (0, 0), sql)
    only_old = tmp_path / "whole" / "b.jsonl"
    only_old.write_text(lines(range(10, 20)))
    old.read()
    only_old.rename(tmp_path / "aside" / "b.jsonl")
    (tmp_path / "whole" / "c.jsonl").write_text(f"{lines(range(20, 30))}bad c\n")
    with growing.open("a") as file:
        file.write(f"{lines(range(110, 120))}bad g\n")
    new.read()
    (tmp_path / "aside" / "b.jsonl").rename(only_old)
    assert not meet(old.job, tmp_path / "new" / "all_of_them")
    assert meet(new.job, tmp_path / "old" / "all_of_them")
    assert meet(old.job, tmp_path / "new" / "all_of_them")
    stands = [vectors(OffsetLog(one.job.home)) for one in (old, new)]
    assert stands[0] == stands[1]
    old.owns(Ownership((40, 100)))
    new.owns(Ownership((0, 40)))
    (tmp_path / "whole" / "d.jsonl").write_text(f"{lines(range(30, 60))}bad d\n")
    for one in (old, new):
        one.read()
    homes = [one.job.home.letters for one in (old, new)]
    letters = [json.loads(line) for home in homes for file in home.glob("*") for line in file.read_text().splitlines()]
    assert sorted(one["record"] for one in letters) == ["bad c", "bad d", "bad g"]
    assert [one.job.report()["records"]["dead_lettered"] for one in (old, new)] == [{"undecodable": 3}] * 2
    files = written(tmp_path)
    found = [json.loads(line)["n"] for file in files for line in file.read_text().splitlines()]
    assert Counter(found) == Counter([*range(60), *range(100, 120)])
    by_new = new.job.home.query_id()[:8]
    by_key = "PRIMARY KEY" in sql
    assert not by_key or [file.name for file in files if by_new in file.name] == [
        f"part-out-{by_new}-000000004-00000.jsonl"
    ]


@pytest.mark.slow
@pytest.mark.skipif("SHARES" not in os.environ.get("VELO_STRATEGIES", ""), reason="it takes half a minute: make faults")
def test_of_windows_that_move_each_row_and_each_dead_letter_is_written_once(
    one_spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "whole").mkdir()

    def write(name: str, numbers: range, *late: int) -> None:
        records = [(number, "") for number in numbers] + [(number, "late") for number in late]
        texts = [
            json.dumps(
                {"k": f"k{number % 5}{more}", "n": number, "at": f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}Z"}
            )
            for number, more in records
        ]
        (tmp_path / "whole" / f"{name}.jsonl").write_text("\n".join([*texts, f"bad {name}"]) + "\n")

    write("a", range(30))
    old = Version(one_spark, tmp_path, tmp_path / "old", (0, 100), WINDOWED)
    old.read()
    copy_state(tmp_path / "old", tmp_path / "new")
    write("b", range(30, 60))
    old.read()
    new = Version(one_spark, tmp_path, tmp_path / "new", (0, 0), WINDOWED)
    write("c", range(60, 80), 45, 7)  # 45 is too late for the old version, and for the new one it is not
    new.read()
    homes = [tmp_path / name / "all_of_them" for name in ("old", "new")]
    assert meet(old.job, homes[1])
    assert meet(new.job, homes[0])
    point = 1_767_225_600_000_000 + 90_000_000
    owned = [Ownership().then(point, 50, 100), Ownership((0, 0)).then(point, 0, 50)]
    for one, each in zip((old, new), owned, strict=True):
        one.owns(each)
    write("d", range(80, 130), 3, 88)
    old.read()
    write("e", range(130, 150), 4, 117)  # the same with 117, and it is of a key that one of them owns
    for one in (new, old):
        one.read()
    assert meet(old.job, homes[1])
    assert meet(new.job, homes[0])
    new.owns(owned[1].alone())
    write("f", range(150, 170), 5, 137)
    new.read()
    files = [file for home in homes for file in home.glob("dead-letters/*.jsonl")]
    told = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    records = [text for text, _ in {(one["record"], one["id"]) for one in told}]  # the copy has what was there before
    bad = Counter(text for text in records if text.startswith("bad"))
    assert bad == Counter(f"bad {name}" for name in "abcdef")
    late = Counter(json.loads(text)["n"] for text in records if not text.startswith("bad"))
    assert {number: times for number, times in late.items() if number != 117} == dict.fromkeys((45, 7, 3, 4, 5, 137), 1)
    rows = [json.loads(line) for file in written(tmp_path) for line in file.read_text().splitlines()]
    found = Counter((row["k"], row["s"][14:19]) for row in rows)
    assert late[117] + found["k2late", "01:50"] == 1
    assert set(found.values()) == {1}
    assert len([1 for key, start in found if not key.endswith("late") and start < "02:20"]) == 5 * 14
