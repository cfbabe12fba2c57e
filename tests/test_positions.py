"""Positions: lines and columns from 1, ends exclusive."""

from velostream.positions import Text

SQL = "SELECT a\r\nFROM trades\n"


def test_a_span_knows_its_line_and_column() -> None:
    span = Text(SQL).span(15, 21)
    assert SQL[15:21] == "trades"
    assert (span.line, span.column, span.end_line, span.end_column) == (2, 6, 2, 12)


def test_a_line_is_shown_without_its_end() -> None:
    text = Text(SQL)
    assert [text.line(1), text.line(2), text.line(3)] == ["SELECT a", "FROM trades", ""]


def test_the_end_of_the_text_is_a_place_too() -> None:
    span = Text("SELECT").span(6, 6)
    assert (span.line, span.column, span.start, span.end) == (1, 7, 6, 6)


def test_a_place_beyond_the_text_is_its_end() -> None:
    span = Text("ab").span(5, 9)
    assert (span.line, span.column, span.end_column) == (1, 3, 3)


def test_two_spans_join_to_the_smallest_that_holds_both() -> None:
    text = Text(SQL)
    first, second = text.span(0, 6), text.span(15, 21)
    assert second.to(first) == first.to(second) == text.span(0, 21)


def test_a_span_inside_another_adds_nothing() -> None:
    text = Text(SQL)
    outer, inner = text.span(0, 21), text.span(7, 8)
    assert outer.to(inner) == inner.to(outer) == outer
