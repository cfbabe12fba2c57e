"""Every case in tests/cases: SQL that is refused with a code at a position, or accepted with what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from velostream.codes import CODES, Domain
from velostream.diagnostics import Severity
from velostream.plan import explain_text, plan
from velostream.validation import Validated, validate

CASES = Path(__file__).parent / "cases"
KEYS = {"name", "sql", "refuses", "warns", "notes", "columns", "explains", "hints", "set", "preset", "variables"}
NOT_FOUND_IN_SQL = {
    "usage": "the command line",
    "file-not-found": "files given on the command line",
    "invalid-function": "Python files of users' functions",
    "unreadable-file": "files given on the command line",
    "unknown-job": "velo explain --statement",
    "invalid-size": "a setting with such a size is an invalid property",
    "unused-columns": "velo advise",
}
"""Codes that no SQL text alone brings about, and what does; their tests are elsewhere."""


@dataclass(frozen=True)
class Case:
    """One entry of a file, with the SQL that stands before it."""

    file: Path
    name: str
    setup: str
    given: dict[str, Any] = field(default_factory=dict)

    def validate(self) -> tuple[Validated, int]:
        """The result, and how many lines stand before the case's own text."""
        before = self.setup.rstrip() + "\n" if self.setup.strip() else ""
        overrides = {key: str(value) for key, value in self.given.get("set", {}).items()}
        answer = validate(
            before + self.given["sql"],
            "case.sql",
            folder=self.file.parent,
            overrides=overrides,
            preset=self.given.get("preset", ""),
            variables=self.given.get("variables", {}),
        )
        return answer, before.count("\n")

    @property
    def codes(self) -> set[str]:
        """The codes that the case expects, of whatever severity."""
        findings = [text for key in ("refuses", "warns", "notes") for text in self.given.get(key, [])]
        return {text.split()[0] for text in findings}


def cases() -> Iterator[Case]:
    """All cases, file by file."""
    for file in sorted(CASES.glob("*.yaml")):
        content = yaml.safe_load(file.read_text())
        for given in content["cases"]:
            assert set(given) <= KEYS, f"{file.name}: '{given.get('name')}' has unknown keys {set(given) - KEYS}"
            yield Case(file, given["name"], content.get("setup", ""), given)


ALL = list(cases())


@pytest.mark.parametrize("case", ALL, ids=[f"{case.file.stem}: {case.name}" for case in ALL])
def test_case(case: Case) -> None:
    answer, before = case.validate()
    found: dict[Severity, list[str]] = {severity: [] for severity in Severity}
    for finding in answer.findings.ordered():
        place = f" {finding.span.line - before}:{finding.span.column}" if finding.span else ""
        found[finding.severity].append(f"{finding.code}{place}")
    shown = "\n".join(f"{f.severity.value}[{f.code}] {f.message} | {f.hint}" for f in answer.findings.ordered())
    assert found[Severity.ERROR] == case.given.get("refuses", []), shown
    if "warns" in case.given or not case.given.get("refuses"):
        assert found[Severity.WARNING] == case.given.get("warns", []), shown
    if "notes" in case.given:
        assert found[Severity.NOTE] == case.given["notes"], shown
    for text in case.given.get("hints", []):
        assert text in shown
    for finding in answer.findings.errors:
        assert finding.hint, f"nothing says what to do: {finding.message}"
        assert "\n" not in finding.message + finding.hint
    if not found[Severity.ERROR]:
        check_plan(case, answer)


def check_plan(case: Case, answer: Validated) -> None:
    """Whatever validates can be planned and explained."""
    text = explain_text(plan(answer.bound, answer.library))
    for part in case.given.get("explains", []):
        assert part in text, text
    if "columns" in case.given:
        last = next(statement for statement in reversed(answer.bound.statements) if statement.query is not None)
        assert last.query is not None
        assert {column.name: str(column.type) for column in last.query.schema} == case.given["columns"]


def test_several_hundred_cases_of_which_two_in_five_are_refusals() -> None:
    refusals = [case for case in ALL if case.given.get("refuses")]
    assert len(ALL) >= 650
    assert len(refusals) * 5 >= len(ALL) * 2


def test_every_code_that_a_sql_text_can_have_has_a_case() -> None:
    expected = {name for name, code in CODES.items() if code.domain is Domain.USER} - set(NOT_FOUND_IN_SQL)
    assert expected - {code for case in ALL for code in case.codes} == set()


def test_case_names_are_unique() -> None:
    names = [(case.file, case.name) for case in ALL]
    assert len(names) == len(set(names))
