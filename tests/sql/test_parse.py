"""From text to an application: all statements, all findings, names, and in time."""

import subprocess
import sys
import time

import pytest
from tests.sql.corpus import EXAMPLES

from velostream.sql.parse import ended, parse, split


def names(text: str) -> list[str]:
    return [statement.name for statement in parse(text).statements]


def test_all_statements_are_parsed_and_all_mistakes_found_in_one_pass() -> None:
    text = "SELECT a FROM s;\nSELCT b;\n\nCREATE STREAM x AS SELECT c FORM t;\nSELECT d FROM u;"
    application = parse(text, "app.sql")
    assert [statement.tree is not None for statement in application.statements] == [True, False, False, True]
    assert [finding.span.line for finding in application.findings.ordered() if finding.span] == [2, 4]
    assert [finding.statement for finding in application.findings.ordered()] == ["query_2", "x"]
    assert all(finding.file == "app.sql" for finding in application.findings.found)


def test_a_statement_knows_its_text_and_place() -> None:
    text = "-- first\nSELECT a FROM s ; SELECT\n  b FROM t"
    first, second = parse(text).statements
    assert (first.text, second.text) == ("SELECT a FROM s", "SELECT\n  b FROM t")
    assert (second.span.line, second.span.column, second.span.end_line) == (2, 19, 3)
    assert split(text) == [first.text, second.text]


def test_empty_statements_are_none() -> None:
    assert names(";;SELECT a FROM s;;\n;") == ["query_1"]


@pytest.mark.parametrize("text", ["", "  \n", ";", "-- only a comment\n", "/* a */"])
def test_a_text_without_a_statement_is_found(text: str) -> None:
    (finding,) = parse(text).findings.found
    assert finding.code == "empty"


def test_a_job_is_named_by_its_annotation_its_relation_or_a_number() -> None:
    text = (
        "CREATE STREAM trades AS SELECT a FROM s; SELECT b FROM t; INSERT INTO x SELECT c FROM u;\n"
        "-- @name: mine\nSELECT d FROM v; START JOB j AS SELECT e FROM w; SELECT f FROM y; SHOW STREAMS; DROP TABLE z"
    )
    assert names(text) == ["trades", "query_1", "query_2", "mine", "j", "query_3", "show_1", "drop_1"]


def test_names_are_given_once() -> None:
    assert names("CREATE STREAM x AS SELECT a FROM s; CREATE STREAM X AS SELECT b FROM s") == ["x", "X_2"]
    assert names("SELECT a FROM s;\n-- @name: query_1\nSELECT b FROM t; SELECT c FROM u") == [
        "query_2",
        "query_1",
        "query_3",
    ]
    assert names("-- @name: x\nSELECT a FROM s; CREATE STREAM x AS SELECT b FROM t") == ["x", "x_2"]


def test_two_statements_of_one_said_name_are_found() -> None:
    application = parse("-- @name: x\nSELECT a FROM s;\n-- @name: X\nSELECT b FROM t")
    (finding,) = application.findings.found
    assert finding.code == "duplicate-name"
    assert [statement.name for statement in application.statements] == ["x", "query_1"]


def test_a_refused_statement_is_named_as_far_as_its_text_tells() -> None:
    assert names("CREATE OR REPLACE TABLE `y` AS SELCT 1; DEPLOY JOB z AS SELECT 1; SELEC 1") == ["y", "z", "query_1"]


def test_positions_survive_windows_line_ends() -> None:
    (finding,) = parse("SELECT a\r\nFROM s\r\nWHER b > 1").findings.found
    assert finding.span is not None
    assert (finding.span.line, finding.span.column) == (3, 6)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_example_has_no_findings(path) -> None:  # type: ignore[no-untyped-def]
    application = parse(path.read_text(), str(path))
    assert application.findings.found == []
    assert len(application.statements) >= 5
    assert application.header.version


def test_an_application_is_parsed_in_no_time() -> None:
    """A tenth of a second is the aim for 15 statements; the bound here leaves room for a busy machine."""
    text = EXAMPLES[-1].read_text()
    parse(text)
    begun = time.perf_counter()
    parse(text)
    assert time.perf_counter() - begun < 0.5


def test_nothing_heavy_is_imported() -> None:
    heavy = {"polars", "pyarrow", "pyspark", "yaml", "rich"}
    code = f"import sys, velostream.sql.parse; print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("SELECT 1;", "SELECT 1;\n"),
        ("SELECT 1", "SELECT 1;\n"),
        ("SELECT 1; -- the last\n", "SELECT 1; -- the last\n;\n"),
        (" \n;", ""),
    ],
)
def test_a_text_that_another_statement_follows_has_an_end_that_no_comment_hides(text: str, after: str) -> None:
    assert ended(text) == after
    assert len(parse(f"{after}SELECT 2", "two").statements) == (2 if after else 1)
