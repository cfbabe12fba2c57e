"""Fields that come after the columns of a source were sampled: counted and said, not added."""

import json
import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from velostream.events import BatchEnded, Events
from velostream.jobs.inferred import KEPT
from velostream.jobs.new_fields import NewFields, new_fields_of
from velostream.plan import plan
from velostream.validation import validate


def watching(home: Path, ending: str, more: str = "") -> tuple[NewFields, Events]:
    source = f"'type' = 'file_source', 'path' = 'in/*.{ending}'{more}"
    text = f"CREATE STREAM s WITH ({source});\n-- @name: x\nSELECT k FROM s;"
    answer = validate(text, "test.sql", variables={}, folder=home)
    assert answer.ok, answer.findings.errors
    [job] = plan(answer.bound, answer.library).jobs
    (home / KEPT).write_text(json.dumps({"s": "k STRING, v BIGINT"}))
    events = Events()
    found = new_fields_of(job, home, home, home, events)
    assert found is not None
    return found, events


def write(file: Path, **columns: list[object]) -> None:
    file.parent.mkdir(exist_ok=True)
    if file.suffix == ".parquet":
        pq.write_table(pa.table(columns), file)
    elif file.suffix == ".csv":
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        file.write_text("\n".join(lines) + "\n")
    else:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        file.write_text("\n".join(map(json.dumps, rows)) + "\n{broken\n")


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_new_fields_are_counted_once_for_each_file_and_said_once(
    tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "in" / f"0.{ending}", k=["a"], v=[1])
    found, events = watching(tmp_path, ending)
    events.publish(BatchEnded("x", 0, 0))
    assert found.found == {}
    first = tmp_path / "in" / f"1.{ending}"
    write(first, k=["a", "b"], V=[1, 2], colour=["red", "blue"])
    with caplog.at_level(logging.WARNING, "velostream"):
        events.publish(BatchEnded("other", 0, 0))
        assert found.found == {}
        events.publish(BatchEnded("x", 1, 0))
        write(tmp_path / "in" / f"2.{ending}", k=["a"], v=[1], colour=["red"])
        events.publish(BatchEnded("x", 2, 0))
        events.publish(BatchEnded("x", 3, 0))
    assert found.found == {"s": {"colour": {"files": 2, "first": str(first)}}}
    assert [line for line in caplog.messages if "'colour'" in line] == [
        f"job 'x': 's' has a field 'colour' since '{first}' that its columns, taken from samples, do not have"
    ]
    assert watching(tmp_path, ending)[0].found == found.found, "a restart goes on counting"


def test_of_a_file_that_grows_what_came_is_looked_at_too(tmp_path: Path) -> None:
    file = tmp_path / "in" / "0.jsonl"
    file.parent.mkdir()
    file.write_text('{"k": "a", "v": 1}\n')
    found, _ = watching(tmp_path, "jsonl", ", 'growing' = 'true'")
    found.look()
    with file.open("a") as more:
        more.write('{"k": "b", "v": 2, "colour": "red"}\n{"k": "c", "size')
    found.look()
    assert found.found == {"s": {"colour": {"files": 1, "first": str(file)}}}
    with file.open("a") as more:
        more.write('": 3, "colour": "blue"}\n')
    again, _ = watching(tmp_path, "jsonl", ", 'growing' = 'true'")
    again.look()
    again.look()
    told = {"files": 1, "first": str(file)}
    assert again.found == {"s": {"colour": told, "size": told}}
