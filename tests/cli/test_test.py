from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from tests.cli.conftest import Velo

REFUSED = """
cases:
  - name: an unknown column is refused
    sql: |-
      CREATE STREAM s (k STRING) WITH ('type' = 'datagen_source');
      SELECT nothing FROM s
    refuses: ['unknown-column 2:8']
  - name: a syntax error is expected where there is none
    sql: SELECT 1 AS one
    refuses: ['syntax 1:1']
"""
RUN = """
set: {allowed.lateness: 1m}
setup: |
  CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'kafka_source', 'topic' = 's', 'format' = 'json',
    'bootstrap.servers' = 'broker:9092', 'event.time.field' = 'at');
cases:
  - name: wrong in every way
    sql: SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)
    inputs:
      s: {batches: [[{k: a, v: 1, at: 10:00}, {k: c, v: 2, at: 10:00}], [{k: a, v: 2, at: 10:00:01}]]}
    stop: never
    expect:
      rows: [{k: a, total: 4}, {k: b, total: 0}]
      dead_letters: [{reason: too_late}]
      report: {records.read: 4, records.reed: 1, emitted.late: 0}
"""


def spec(folder: Path, text: str, name: str = "spec.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_a_case_that_fails_is_told_with_its_place_and_exits_with_1(velo: Velo, tmp_path: Path) -> None:
    answer = velo("test", spec(tmp_path, REFUSED))
    assert answer.code == 1
    assert "ok      an unknown column is refused" in answer.out
    assert "FAILED  a syntax error is expected where there is none" in answer.out
    assert f"--> {tmp_path}/spec.yaml:8" in answer.out
    assert "errors are not as expected: ['syntax 1:1'] expected, [] found" in answer.out
    assert "1 passed, 1 failed" in answer.out


def test_cases_are_chosen_by_a_part_of_their_name(velo: Velo, tmp_path: Path) -> None:
    answer = velo("test", spec(tmp_path, REFUSED), "-k", "Unknown column")
    assert answer.code == 0
    assert "1 passed in" in answer.out
    assert velo("test", spec(tmp_path, REFUSED), "-k", "no such").code == 2


def test_verdicts_may_be_written_for_a_server(velo: Velo, tmp_path: Path) -> None:
    report = tmp_path / "verdicts.xml"
    velo("test", spec(tmp_path, REFUSED), "--junit", report)
    [suite] = Xml.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    fine, failed = suite
    assert fine.find("failure") is None
    assert failed.get("line") == "8"
    failure = failed.find("failure")
    assert failure is not None
    assert "errors are not as expected" in str(failure.get("message"))


def test_a_specification_that_cannot_be_used_is_an_error_at_its_place(velo: Velo, tmp_path: Path) -> None:
    spec(tmp_path, REFUSED.replace("refuses: ['syntax 1:1']", "refuse: ['syntax 1:1']"), "bad.yaml")
    spec(tmp_path, REFUSED, "good.yaml")
    answer = velo("test", tmp_path)
    assert answer.code == 2
    assert "error[invalid-spec]: a case has no key 'refuse'" in answer.err
    assert "bad.yaml:10:5" in answer.err
    assert "did you mean 'refuses'" in answer.err
    assert "1 passed, 1 failed, 1 cannot be used" in answer.out


def test_without_a_file_there_is_nothing_to_test(velo: Velo, tmp_path: Path) -> None:
    answer = velo("test", tmp_path / "none.yaml")
    assert answer.code == 2
    assert "there is no file" in answer.err


def test_a_run_that_gives_something_else_shows_what_row_by_row(one_spark: Any, velo: Velo, tmp_path: Path) -> None:
    answer = velo("test", spec(tmp_path, RUN))
    assert answer.code == 1
    text = [line.strip() for line in answer.out.splitlines()]
    assert "rows of 'query_1' are not as expected: 2 expected, 2 found" in text
    assert any(line.split() == ["≠", "total", "4", "3"] for line in text)
    assert "missing     {k: b, total: 0}" in text
    assert "unexpected  {k: c, total: 2, _emission: final, _revision: 1}" in text
    assert "dead letters of 'query_1' are not as expected: 1 expected, 0 found" in text
    assert "'records.read' of the report of 'query_1': 4 expected, 3 found" in text
    assert any("has no 'records.reed'. did you mean 'read'" in line for line in text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("{k: a, v: 1,", "{key: a, v: 1,"), "source 's' has no column 'key'"),
        (("inputs:\n      s:", "inputs:\n      t:"), "no job reads a source 't'"),
        (("{k: a, v: 1,", "{_partition: x, v: 1,"), "'_partition' is a whole number"),
        (("{k: a, v: 1,", "{_raw: x, v: 1,"), "'_raw' is the whole text of a record"),
    ],
)
def test_inputs_that_the_application_does_not_have_are_errors_at_their_place(
    one_spark: Any, velo: Velo, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    answer = velo("test", spec(tmp_path, RUN.replace(*change)))
    assert answer.code == 2
    assert f"error[invalid-spec]: {message}" in answer.err
    assert "spec.yaml:" in answer.err
