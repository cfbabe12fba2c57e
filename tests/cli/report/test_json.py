"""Findings for programs."""

import json

from tests.cli.report.findings import clean, render, typo

from velostream.cli.report import Checked
from velostream.diagnostics import Diagnostic, Severity
from velostream.positions import Text


def test_the_object_has_files_and_diagnostics() -> None:
    answer = json.loads(render("json", typo(), clean()))
    assert list(answer) == ["files", "diagnostics"]
    assert answer["files"] == ["app.sql", "good.sql"]
    assert answer["diagnostics"][0] == {
        "file": "app.sql",
        "line": 3,
        "column": 20,
        "end_column": 25,
        "severity": "error",
        "code": "unknown-column",
        "message": "stream 'trades' has no column 'pirce'",
        "hint": "did you mean 'price'? columns: symbol, price, quantity, trade_time",
        "statement": "query_2",
    }
    assert [found["severity"] for found in answer["diagnostics"]] == ["error", "warning"]


def test_a_finding_without_a_place_has_null_there() -> None:
    finding = Diagnostic(Severity.ERROR, "empty", "no statement")
    answer = json.loads(render("json", Checked(Text("", "a.sql"), (finding,))))["diagnostics"][0]
    assert (answer["file"], answer["line"], answer["column"], answer["end_column"]) == ("a.sql", None, None, None)


def test_system_columns_are_there_when_asked_for() -> None:
    answer = json.loads(render("json", typo(), system_columns=True))
    assert answer["system_columns"]["app.sql"][0]["name"] == "_event_time"
    assert set(answer["system_columns"]["app.sql"][0]) == {"name", "type", "category", "meaning", "example"}


def test_text_that_is_not_ascii_stays_readable() -> None:
    finding = Diagnostic(Severity.ERROR, "unknown-column", "no column '価格'")
    assert "価格" in render("json", Checked(Text("", "a.sql"), (finding,)))
