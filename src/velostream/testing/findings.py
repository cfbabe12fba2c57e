"""Whether checking finds in a case what the case expects: codes at positions, columns, parts of the plan's text."""

from __future__ import annotations

from velostream.diagnostics import Severity
from velostream.plan import explain_text, plan
from velostream.plan.job import ApplicationPlan
from velostream.testing.spec import Case
from velostream.validation import Validated, validate


def check_case(case: Case) -> tuple[Validated, list[str]]:
    """The checked application, and what is not as the case expects."""
    answer = validate(
        case.whole,
        case.sql_name,
        folder=case.folder,
        overrides=case.settings,
        preset=case.preset,
        variables=case.variables or {},
    )
    return answer, [*_against(case, answer), *_hints(case, answer)]


def planned(case: Case, answer: Validated) -> tuple[ApplicationPlan, list[str]]:
    """The plan of a case that was found to be right, and what of it is not as expected."""
    made = plan(answer.bound, answer.library)
    text = explain_text(made)
    failures = [f"the plan does not say {part!r}:\n{text}" for part in case.findings.explains if part not in text]
    if case.findings.columns is not None:
        last = next(each for each in reversed(answer.bound.statements) if each.query is not None)
        assert last.query is not None
        found = {column.name: str(column.type) for column in last.query.schema}
        if found != dict(case.findings.columns):
            failures.append(f"the columns are not as expected: {dict(case.findings.columns)} expected, {found} found")
    return made, failures


def _against(case: Case, answer: Validated) -> list[str]:
    before = case.before.count("\n")
    found: dict[Severity, list[str]] = {severity: [] for severity in Severity}
    for finding in answer.findings.ordered():
        place = f" {finding.span.line - before}:{finding.span.column}" if finding.span else ""
        found[finding.severity].append(f"{finding.code}{place}")
    wanted = {
        Severity.ERROR: case.findings.refuses,
        Severity.WARNING: case.findings.warns,
        Severity.NOTE: case.findings.notes,
    }
    return [
        f"{severity.value}s are not as expected: {list(expected)} expected, {found[severity]} found\n{_shown(answer)}"
        for severity, expected in wanted.items()
        if expected is not None and list(expected) != found[severity]
    ]


def _hints(case: Case, answer: Validated) -> list[str]:
    shown = _shown(answer)
    return [f"no finding says {text!r}:\n{shown}" for text in case.findings.hints if text not in shown]


def _shown(answer: Validated) -> str:
    return "\n".join(
        f"  {finding.severity.value}[{finding.code}] {finding.message} | {finding.hint}"
        for finding in answer.findings.ordered()
    )
