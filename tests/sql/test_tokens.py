"""Tokens, comments, and what lies between tokens."""

import pytest
from sqlglot import exp
from tests.sql.parsing import first, marked, refusal, select, tree

from velostream.positions import Text
from velostream.sql.dialect import Velo
from velostream.sql.parse import parse
from velostream.sql.tokens import Comment, VeloTokenizer, scan


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("'it''s'", "it's"),
        (r"'it\'s'", "it's"),
        ("''", ""),
        ("''''", "'"),
        ('"say ""hi"""', 'say "hi"'),
        ('"it\'s"', "it's"),
        (r"'a\nb\tc'", "a\nb\tc"),
        (r"'50\%'", r"50\%"),
        (r"'back\\slash'", "back\\slash"),
        (r"r'raw\d'", r"raw\d"),
        ("'two\nlines'", "two\nlines"),
        ("'-- no comment /* */ ;'", "-- no comment /* */ ;"),
    ],
)
def test_a_string_means_what_it_means_in_spark(written: str, meant: str) -> None:
    assert first(f"SELECT {written} FROM s", exp.Literal).name == meant


@pytest.mark.parametrize(
    ("written", "name"), [("`a b`", "a b"), ("`a``b`", "a`b"), ("`SELECT`", "SELECT"), ("`1`", "1")]
)
def test_backticks_quote_names(written: str, name: str) -> None:
    identifier = first(f"SELECT {written} FROM s", exp.Identifier)
    assert (identifier.name, identifier.args["quoted"]) == (name, True)


def test_comments_are_found_where_they_stand() -> None:
    text = "-- one\nSELECT a /* two /* nested */ */ FROM s -- three\n;--"
    comments = scan(Text(text), VeloTokenizer(Velo)).comments
    assert [comment.body for comment in comments] == [" one", " two /* nested */ ", " three", ""]
    assert comments[0] == Comment(" one", 0, 6, 2)
    assert all(text[comment.body_start :].startswith(comment.body) for comment in comments)


def test_a_carriage_return_is_no_part_of_a_comment() -> None:
    assert scan(Text("-- one\r\nSELECT 1"), VeloTokenizer(Velo)).comments[0].body == " one"


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        ("SELECT 'abc FROM s", "syntax", "'abc FROM s", "has no end"),
        ('SELECT "abc FROM s', "syntax", '"abc FROM s', "has no end"),
        ("SELECT `abc FROM s", "syntax", "`abc FROM s", "has no end"),
        ("SELECT X'zz' FROM s", "syntax", "X'zz' FROM s", "cannot be read"),
        ("SELECT a /* never closed", "syntax", "/*", "has no end"),
        ("SELECT /*+ BROADCAST(t) */ a FROM s", "unsupported", "/*+ BROADCAST(t) */", "hint"),
        ("SELECT a {# gone #} FROM s", "syntax", "{# gone #} ", "not understood"),
        ("SELECT `` FROM s", "syntax", "``", "empty"),
        ("SELECT 0x1F FROM s", "syntax", "0x1F", "not a number"),
        ("SELECT 1e FROM s", "syntax", "1e", "not a number"),
        ("SELECT . 5 FROM s", "syntax", ". 5", "not a number"),
        ("SELECT a\u200bb FROM s", "syntax", "a\u200bb", "invisible"),
        ("SELECT 5m FROM s", "syntax", "5m", "amount"),
        ("SELECT 'a' 'b' FROM s", "syntax", "'b'", "not understood"),
        ("SELECT ? FROM s", "syntax", "?", "not understood"),
        ("SELECT :x FROM s", "syntax", ":", "not understood"),
        ("SELECT n'abc' FROM s", "syntax", "n'abc'", "not understood"),
        ("SELECT {{ x }} FROM s", "syntax", "{", "not understood"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(text: str, code: str, at: str, message: str) -> None:
    finding = refusal(text)
    assert finding.code == code
    assert message in finding.message
    assert finding.hint
    assert marked(text) == at


def test_a_string_without_end_spoils_only_its_own_statement() -> None:
    application = parse("SELECT 'a FROM s;\nSELECT 'b' FROM t;\nSELECT c FORM u;\n")
    assert [statement.tree is not None for statement in application.statements] == [False, True, False]
    assert [finding.span.line for finding in application.findings.found if finding.span] == [1, 3]


def test_a_string_without_end_in_the_last_statement() -> None:
    application = parse("SELECT a FROM s;\nSELECT 'b")
    assert [statement.tree is not None for statement in application.statements] == [True, False]


def test_a_string_without_end_where_a_statement_would_begin() -> None:
    application = parse("SELECT a FROM s;\n'b")
    (finding,) = application.findings.found
    assert (finding.statement, finding.span and finding.span.line) == ("", 2)


def test_a_string_may_hold_a_semicolon_and_a_newline() -> None:
    assert first("SELECT 'a;\nb' FROM s", exp.Literal).name == "a;\nb"


def test_a_byte_order_mark_is_no_word() -> None:
    assert not parse("\ufeffSELECT a FROM s").findings.found


def test_any_space_separates() -> None:
    assert tree("SELECT\u00a0a\tFROM\r\ns") == tree("SELECT a FROM s")


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("5L", "BIGINT"),
        ("5S", "SMALLINT"),
        ("5Y", "TINYINT"),
        ("2.5D", "DOUBLE"),
        ("3F", "FLOAT"),
        ("1.25BD", "DECIMAL(3, 2)"),
    ],
)
def test_a_number_may_say_its_type(written: str, printed: str) -> None:
    cast = select(f"SELECT {written} FROM s").expressions[0]
    assert isinstance(cast, exp.Cast)
    assert cast.to.sql("spark") == printed


def test_a_name_may_begin_with_a_digit_as_in_spark() -> None:
    assert first("SELECT 24h_volume, 1st FROM 1brc", exp.Column).name == "24h_volume"


def test_sqlglots_own_parse_uses_the_grammar() -> None:
    import sqlglot

    parsed = sqlglot.parse("SELECT a FROM s WINDOW TUMBLING(1m); SHOW STREAMS", dialect=Velo)
    assert [type(one).__name__ for one in parsed] == ["Query", "Show"]
    assert parsed[0] is not None
    assert parsed[0].sql(dialect=Velo) == "SELECT a FROM s WINDOW TUMBLING(1m)"
