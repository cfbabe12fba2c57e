"""What a user sees when wrong."""

from tests.cli.report.findings import SQL, TEXT, clean, render, typo

from velostream.cli.colours import Colours
from velostream.cli.report import Checked
from velostream.diagnostics import Diagnostic, Findings, Severity
from velostream.positions import Text


def test_an_error_shows_the_place_underlined_and_a_way_out() -> None:
    assert render("text", typo()) == (
        "error[unknown-column]: stream 'trades' has no column 'pirce'\n"
        "  --> app.sql:3:20\n"
        "   |\n"
        " 3 | SELECT symbol, AVG(pirce) AS avg_price\n"
        "   |                    ^^^^^\n"
        "hint: did you mean 'price'? columns: symbol, price, quantity, trade_time\n"
        "\n"
        "warning[unbounded-state]: groups are kept for ever\n"
        "  --> app.sql:5:1\n"
        "   |\n"
        " 5 | GROUP BY symbol;\n"
        "   | ^^^^^^^^^^^^^^^\n"
        "hint: set state.ttl\n"
        "\n"
        "1 error, 1 warning in app.sql"
    )


def test_the_gutter_grows_with_the_line_number() -> None:
    text = Text("\n" * 122 + "SELEC 1", "big.sql")
    findings = Findings(file="big.sql")
    findings.error("syntax", "'SELEC' begins no statement", text.span(122, 127))
    assert render("text", Checked(text, tuple(findings.found))).splitlines()[:5] == [
        "error[syntax]: 'SELEC' begins no statement",
        "    --> big.sql:123:1",
        "     |",
        " 123 | SELEC 1",
        "     | ^^^^^",
    ]


def test_a_span_of_several_lines_marks_its_first_to_the_end() -> None:
    findings = Findings(file="app.sql")
    start = SQL.index("FROM trades")
    findings.note("implicit-grouping", "grouped by symbol", TEXT.span(start, len(SQL) - 1))
    assert "   | ^^^^^^^^^^^\n" in render("text", Checked(TEXT, tuple(findings.found)))


def test_a_finding_without_a_place_names_the_file() -> None:
    finding = Diagnostic(Severity.ERROR, "file-not-found", "there is no file 'a.sql'", file="a.sql")
    assert render("text", Checked(Text("", "a.sql"), (finding,))) == (
        "error[file-not-found]: there is no file 'a.sql'\n  --> a.sql\n\n1 error in a.sql"
    )


def test_a_message_stays_on_its_line() -> None:
    finding = Diagnostic(Severity.ERROR, "syntax", "'a\nb\x1b[31m' is not understood", hint="say\tit", file="a.sql")
    shown = render("text", Checked(Text("", "a.sql"), (finding,))).splitlines()
    assert shown[0] == r"error[syntax]: 'a\nb\x1b[31m' is not understood"
    assert shown[2] == r"hint: say\tit"


def test_a_clean_file_is_one_line() -> None:
    assert render("text", clean()) == "good.sql: 12 statements, no errors"
    assert render("text", clean(statements=1)) == "good.sql: 1 statement, no errors"


def test_warnings_do_not_make_a_file_wrong() -> None:
    finding = Diagnostic(Severity.WARNING, "unused-stream", "nobody reads 'a'", file="a.sql")
    assert render("text", Checked(Text("", "a.sql"), (finding,), 3)).endswith(
        "a.sql: 3 statements, no errors, 1 warning"
    )


def test_several_files_end_with_the_sum() -> None:
    assert render("text", typo(), clean()).endswith(
        "1 error, 1 warning in app.sql\ngood.sql: 12 statements, no errors\n2 files: 1 error, 1 warning"
    )
    assert render("text", clean(), clean("b.sql")).endswith("2 files: no errors")


def test_system_columns_come_last_after_errors_too() -> None:
    last = render("text", typo(), system_columns=True).split("\n\n")[-1].splitlines()
    assert last[0].startswith("system columns")
    assert last[1:] == [
        "  of every record",
        "    _event_time  TIMESTAMP  event time: what windows and watermarks go by",
        "                            SELECT symbol, _event_time",
    ]


def test_colours_change_nothing_but_the_colour() -> None:
    import re

    coloured = render("text", typo(), clean(), colours=Colours(on=True), system_columns=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render("text", typo(), clean(), system_columns=True)
