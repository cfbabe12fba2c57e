"""The underline is below the word, whatever stands before it."""

import pytest

from velostream.cli.report.source_line import WIDEST, mark


def marked(line: str, word: str) -> list[str]:
    start = line.index(word) + 1
    return list(mark(line, start, start + len(word)))


def test_the_word_is_underlined() -> None:
    assert marked("SELECT symbol, AVG(pirce)", "pirce") == [
        "SELECT symbol, AVG(pirce)",
        "                   ^^^^^",
    ]


def test_tabs_are_shown_as_spaces_up_to_the_next_stop() -> None:
    assert marked("\tSELECT\tpirce", "pirce") == [
        "    SELECT  pirce",
        "            ^^^^^",
    ]


def test_wide_characters_take_two_columns() -> None:
    assert marked("SELECT '価格', pirce", "pirce") == [
        "SELECT '価格', pirce",
        "               ^^^^^",
    ]
    assert marked("SELECT 価格", "価格")[1] == "       ^^^^"


def test_combining_marks_take_no_column() -> None:
    assert marked("SELECT 'e\u0301', pirce", "pirce")[1] == " " * 12 + "^^^^^"


def test_control_characters_cannot_reach_the_terminal() -> None:
    shown, marks = marked("SELECT '\x1b[31m', pirce", "pirce")
    assert "\x1b" not in shown
    assert marks.index("^") == shown.index("pirce")


def test_the_end_of_a_line_gets_one_mark() -> None:
    assert mark("SELECT", 7, 8) == ("SELECT", "      ^")
    assert mark("", 1, 2) == ("", "^")


def test_a_mark_beyond_the_line_stays_at_its_end() -> None:
    assert mark("abc", 9, 12) == ("abc", "   ^")


@pytest.mark.parametrize("place", [0, 50, 300, 900])
def test_a_long_line_is_shown_around_the_mark(place: int) -> None:
    line = "a, " * 300 + "b" * 20
    line = line[:place] + "pirce" + line[place:]
    shown, marks = marked(line, "pirce")
    assert len(shown) <= WIDEST
    assert shown[marks.index("^") :].startswith("pirce")
    assert marks.count("^") == 5


def test_a_long_mark_ends_with_what_is_shown() -> None:
    shown, marks = mark("x" * 500, 1, 501)
    assert shown == "x" * (WIDEST - 4) + " …"
    assert marks == "^" * (WIDEST - 4)


def test_a_narrow_terminal_shows_less() -> None:
    shown, marks = mark("a" * 100 + "pirce" + "b" * 100, 101, 106, widest=60)
    assert len(shown) <= 60
    assert shown[marks.index("^") :].startswith("pirce")
