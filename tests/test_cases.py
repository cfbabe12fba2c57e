"""Every case in tests/cases and tests/specs: refused with a code at a position, accepted with what it gives, or run."""

from __future__ import annotations

from pathlib import Path

import pytest

from velostream.codes import CODES, Domain
from velostream.testing.checking import check
from velostream.testing.findings import check_case
from velostream.testing.reading import read_specs
from velostream.testing.spec import Case

HERE = Path(__file__).parent
NOT_FOUND_IN_SQL = {
    "usage": "the command line",
    "file-not-found": "files given on the command line",
    "invalid-function": "Python files of users' functions",
    "unreadable-file": "files given on the command line",
    "unknown-job": "velo explain --statement",
    "invalid-size": "a setting with such a size is an invalid property",
    "unused-columns": "velo advise",
    "invalid-spec": "specifications of velo test",
    "expression-failed": "a value that Spark cannot compute while a job runs",
    "function-failed": "a Python function that fails while a job runs",
    "no-match": "a join with fail_fast that finds nothing while a job runs",
    "state-mismatch": "a checkpoint that another statement left",
    "ambiguous-job": "verbs of the job server",
    "body-too-large": "requests to the job server",
    "duplicate-key": "a table made of other tables, as it is computed",
    "database-refused": "PostgreSQL while a job runs",
    "foreign-function": "what is deployed to the job server",
    "http-refused": "an HTTP server while a job runs",
    "invalid-app": "what is deployed to the job server",
    "invalid-name": "what is deployed to the job server",
    "invalid-request": "requests to the job server",
    "job-state": "verbs of the job server",
    "record-failed": "a record that fails under FailBatch",
    "strategy": "what is deployed to the job server",
    "foreign-message": "a queue of notifications while a job runs",
    "queue-not-found": "a queue of notifications as a source starts",
    "table-not-found": "PostgreSQL as a source starts",
    "topic-not-found": "Kafka as a source or sink starts",
    "topic-refused": "Kafka while a job runs",
    "unauthorized": "requests to the job server",
    "unknown-app": "verbs of the job server",
    "unknown-key": "lookups at the job server",
    "unknown-letter": "dead letters at the job server",
    "unknown-path": "requests to the job server",
    "unknown-savepoint": "savepoints of the job server",
    "unknown-table": "lookups at the job server",
    "unknown-version": "verbs of the job server",
    "wrong-method": "requests to the job server",
}
"""Codes that no SQL text alone brings about, and what does; their tests are elsewhere."""

CASES = [case for file in sorted((HERE / "cases").glob("*.yaml")) for case in read_specs(file)]
ALL = CASES + [case for file in sorted((HERE / "specs").glob("*.yaml")) for case in read_specs(file)]


def codes(case: Case) -> set[str]:
    """The codes that the case expects, of whatever severity."""
    findings = case.findings
    return {text.split()[0] for text in (*findings.refuses, *(findings.warns or ()), *(findings.notes or ()))}


@pytest.mark.parametrize("case", ALL, ids=[f"{case.file.stem}: {case.name}" for case in ALL])
def test_case(case: Case, request: pytest.FixtureRequest) -> None:
    verdict = check(case, lambda: request.getfixturevalue("one_spark"))
    assert verdict.passed, "\n".join(verdict.failures)


@pytest.mark.parametrize("file", sorted({case.file for case in CASES}), ids=lambda file: file.stem)
def test_every_error_says_what_to_do_in_one_line(file: Path) -> None:
    for case in CASES:
        if case.file != file or not case.findings.refuses:
            continue
        answer, _ = check_case(case)
        for finding in answer.findings.errors:
            assert finding.hint, f"nothing says what to do: {finding.message}"
            assert "\n" not in finding.message + finding.hint


def test_several_hundred_cases_of_which_two_in_five_are_refusals() -> None:
    refusals = [case for case in CASES if case.findings.refuses]
    assert len(CASES) >= 650
    assert len(refusals) * 5 >= len(CASES) * 2


def test_every_code_that_a_sql_text_can_have_has_a_case() -> None:
    expected = {name for name, code in CODES.items() if code.domain is Domain.USER} - set(NOT_FOUND_IN_SQL)
    assert expected - {code for case in CASES for code in codes(case)} == set()


def test_case_names_are_unique() -> None:
    names = [(case.file, case.name) for case in ALL]
    assert len(names) == len(set(names))
