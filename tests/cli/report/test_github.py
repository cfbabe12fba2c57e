"""Findings as workflow commands."""

from tests.cli.report.findings import clean, render, typo

from velostream.cli.report import Checked
from velostream.diagnostics import Diagnostic, Severity
from velostream.positions import Text


def test_each_finding_is_one_command() -> None:
    assert render("github", typo()).splitlines() == [
        "::error file=app.sql,line=3,col=20,endColumn=25,title=unknown-column::stream 'trades' has no column 'pirce'"
        "%0Ahint: did you mean 'price'? columns: symbol, price, quantity, trade_time",
        "::warning file=app.sql,line=5,col=1,endColumn=16,title=unbounded-state::groups are kept for ever"
        "%0Ahint: set state.ttl",
    ]


def test_nothing_found_is_nothing_said() -> None:
    assert render("github", clean()) == ""


def test_what_github_would_misread_is_escaped() -> None:
    finding = Diagnostic(Severity.NOTE, "empty", "100% of it:\r\na, b", file="odd,name:1%.sql")
    assert render("github", Checked(Text("", "x"), (finding,))) == (
        "::notice file=odd%2Cname%3A1%25.sql,title=empty::100%25 of it:%0D%0Aa, b"
    )
