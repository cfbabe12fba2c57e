"""Every case in tests/cases: SQL that is refused with a code at a position, or accepted with what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from velostream.diagnostics import Severity
from velostream.plan import explain_text, plan
from velostream.validation import Validated, validate

CASES = Path(__file__).parent / "cases"
KEYS = {"name", "sql", "refuses", "warns", "notes", "columns", "explains", "hints", "set", "preset", "variables"}


@dataclass(frozen=True)
class Case:
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


def cases() -> Iterator[Case]:
    for file in sorted(CASES.rglob("*.yaml")):
        if file.parent.name == "config":
            continue
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
    if found[Severity.ERROR]:
        return
    application = plan(answer.bound)
    text = explain_text(application)
    for part in case.given.get("explains", []):
        assert part in text, text
    if "columns" in case.given:
        last = next(statement for statement in reversed(answer.bound.statements) if statement.query is not None)
        assert last.query is not None
        columns = {column.name: str(column.type) for column in last.query.schema}
        assert columns == case.given["columns"]


def test_at_least_a_third_of_several_hundred_cases_are_refusals() -> None:
    refusals = [case for case in ALL if case.given.get("refuses")]
    assert len(ALL) >= 300
    assert len(refusals) * 3 >= len(ALL)


def test_case_names_are_unique() -> None:
    names = [(case.file, case.name) for case in ALL]
    assert len(names) == len(set(names))
