"""Spark's log of micro-batches: where a job stands, and what its next micro-batch is to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from velostream.errors import VeloError
from velostream.events import BatchBegan, BatchEnded
from velostream.jobs.home import Home
from velostream.jobs.meeting import Begun, last_begun, vectors
from velostream.jobs.offset_log import OffsetLog

ABOUT = '{"batchTimestampMs":1,"conf":{"spark.sql.shuffle.partitions":"2"}}'


def home_of(folder: Path, done: int, **planned: str) -> Home:
    """A job that has done some micro-batches, and planned others."""
    for name in ("offsets", "commits"):
        (folder / "spark" / name).mkdir(parents=True)
    for number in range(done):
        (folder / "spark" / "commits" / str(number)).write_text("v1\n{}")
        text = f'v2\n{ABOUT}\nsource_orders:{{"t":{{"0":{number}}}}}\nsource_more:-\ncontrol_1:{{"logOffset":4}}'
        (folder / "spark" / "offsets" / str(number)).write_text(text)
    for number, text in planned.items():
        (folder / "spark" / "offsets" / number.removeprefix("n")).write_text(text)
    return Home(folder)


def test_a_job_stands_where_its_last_finished_micro_batch_ended(tmp_path: Path) -> None:
    home = home_of(tmp_path / "some", 3, n3="planned, and perhaps not begun")
    assert vectors(OffsetLog(home)) == {"source_orders": {"t/0": 2}, "source_more": {}}
    assert vectors(OffsetLog(home_of(tmp_path / "none", 0))) == {}
    assert (last_begun(home), last_begun(Home(tmp_path / "none"))) == (3, -1)


def test_the_next_micro_batch_reads_what_is_planned_and_hears_no_other_command(tmp_path: Path) -> None:
    home = home_of(tmp_path, 3, n3="planned, and not begun")
    (tmp_path / "spark" / "offsets" / ".3.crc").write_text("a sum")
    OffsetLog(home).plan({"source_orders": {"t": {"0": 9}}})
    head, about, *told = (tmp_path / "spark" / "offsets" / "3").read_text().splitlines()
    assert head == "v2"
    assert json.loads(about)["conf"] == json.loads(ABOUT)["conf"]
    assert json.loads(about)["batchTimestampMs"] > 1
    assert told == ['source_orders:{"t": {"0": 9}}', "source_more:-", 'control_1:{"logOffset":4}']
    assert not (tmp_path / "spark" / "offsets" / ".3.crc").exists()


def test_a_log_of_another_form_is_refused(tmp_path: Path) -> None:
    home = home_of(tmp_path, 1)
    (tmp_path / "spark" / "offsets" / "0").write_text(f"v1\n{ABOUT}")
    with pytest.raises(VeloError, match="a log of the form 'v1'"):
        OffsetLog(home).standing()


def test_a_job_may_be_ended_after_a_micro_batch_that_succeeded() -> None:
    from threading import Event

    begun = Begun("totals", 4, Event())
    begun(BatchBegan("other", 9))
    begun(BatchEnded("totals", 4, 0))
    assert (begun.number, begun.stopping.is_set()) == (4, False)
    begun.once = True
    begun(BatchBegan("totals", 5))
    begun(BatchEnded("totals", 5, 0, error="the disk is full"))
    begun(BatchEnded("other", 5, 0))
    assert (begun.number, begun.stopping.is_set()) == (5, False)
    begun(BatchEnded("totals", 5, 0))
    assert begun.stopping.is_set()


@pytest.mark.parametrize(("name", "number"), [("offsets", 2), ("commits", 2), ("offsets", 3)])
def test_a_file_of_the_log_that_is_cut_or_garbled_is_named(tmp_path: Path, name: str, number: int) -> None:
    home = home_of(tmp_path, 3, **({"n3": f"v2\n{ABOUT}\nsource_orders:-"} if number == 3 else {}))
    OffsetLog(home).check()
    file = home.checkpoint / name / str(number)
    whole = file.read_text()
    for text in ("", whole[: len(whole) // 2], whole[1:], whole[:-1]):
        file.write_text(text)
        with pytest.raises(VeloError, match=f"'{file}' is damaged") as raised:
            OffsetLog(home).check()
        assert raised.value.error_code == "checkpoint-unreadable"
    OffsetLog(Home(tmp_path / "new")).check()
