"""Text that is still being typed."""

import pytest

from velostream.cli.prompt.pieces import is_complete, pieces, statement_at


@pytest.mark.parametrize(
    "text", ["", "  \n", "SELECT 1;", "SELECT 1; -- done", "\\help", "SELECT ';' ; ", "-- only words"]
)
def test_enter_ends_a_whole_statement(text: str) -> None:
    assert is_complete(text)


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT ';", "SELECT 1 -- ;", "SELECT 1 /* ;", "SELECT `a;"])
def test_enter_goes_on_where_the_end_is_missing_or_only_quoted(text: str) -> None:
    assert not is_complete(text)


def test_quotes_without_end_are_one_piece() -> None:
    last = pieces("WITH ('watermark.")[-1]
    assert (last.kind, last.inside, last.is_open) == ("string", "watermark.", True)


def test_doubled_quotes_stay_inside() -> None:
    assert [piece.inside for piece in pieces("'it''s' x")] == ["it''s", "x"]


def test_the_statement_at_the_cursor_is_the_one_between_semicolons() -> None:
    text = "SELECT 1; SELECT ab FROM t; SELECT 3"
    statement, place = statement_at(text, text.index("ab") + 1)
    assert (statement, statement[place - 1 : place + 1]) == (" SELECT ab FROM t;", "ab")
