"""What the prompt offers at the cursor, written as `|`."""

import pytest

from velostream.cli.prompt.completion import Candidate, candidates
from velostream.cli.prompt.session import Session


def offered(session: Session, text: str) -> list[Candidate]:
    cursor = text.index("|")
    return candidates(text.replace("|", ""), cursor, session.known)


def texts(session: Session, text: str) -> list[str]:
    return [one.text for one in offered(session, text)]


def test_a_statement_begins_with_a_word_of_its_own(session: Session) -> None:
    assert texts(session, "SEL|") == ["SELECT"]
    assert "CREATE" in texts(session, "SELECT 1; |")


def test_streams_and_tables_stand_behind_from_and_join(session: Session) -> None:
    assert texts(session, "SELECT * FROM |") == ["trades", "instruments"]
    assert texts(session, "SELECT * FROM trades JOIN ins|") == ["instruments"]
    assert texts(session, "SHOW PROPERTIES TABLE in|") == ["instruments"]


def test_columns_of_what_the_statement_reads_come_first_even_before_from(session: Session) -> None:
    found = offered(session, "SELECT pr| FROM trades")
    assert (found[0].text, found[0].kind, found[0].about) == ("price", "column", "DECIMAL(12,4) of trades")


def test_behind_an_alias_and_a_dot_only_its_columns(session: Session) -> None:
    text = "SELECT i.| FROM trades t JOIN instruments AS i ON t.symbol = i.symbol"
    assert texts(session, text)[:2] == ["symbol", "sector"]
    assert "price" not in texts(session, text)


def test_a_function_is_offered_with_its_signature(session: Session) -> None:
    found = next(one for one in offered(session, "SELECT SPLIT_P| FROM trades") if one.text == "SPLIT_PART(")
    assert found.about.startswith("SPLIT_PART(text, delimiter, part)")
    assert found.replaces == len("SPLIT_P")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("SELECT 1 FROM trades WITH ('watermark.max|')", "watermark.max_out_of_orderness"),
        ("SELECT 1 FROM trades WITH ('tra|')", "trades."),
        ("SELECT 1 FROM trades WITH ('trades.event.time.f|')", "trades.event.time.field"),
        ("CREATE STREAM x (a INT) WITH ('type' = 'kafka_source', 'top|')", "topic"),
        ("SELECT 1 FROM trades INTO out WITH ('out.type' = 'file_sink', 'out.pat|')", "out.path"),
        ("SET 'allowed.l|'", "allowed.lateness"),
    ],
)
def test_keys_of_properties_stand_in_quotes(session: Session, text: str, wanted: str) -> None:
    assert wanted in texts(session, text)


def test_a_property_with_a_choice_offers_its_words(session: Session) -> None:
    assert "kafka_source" in texts(session, "CREATE STREAM x (a INT) WITH ('type' = 'kaf|")
    assert set(texts(session, "SET 'emit.accumulation' = '|")) >= {"accumulating"}


def test_words_follow_their_words(session: Session) -> None:
    assert texts(session, "SELECT 1 FROM trades EMIT |") == ["CHANGES", "FINAL"]
    assert texts(session, "SHOW TA|") == ["TABLES"]
    assert texts(session, "STOP |") == ["JOB"]


def test_nothing_is_offered_in_a_comment(session: Session) -> None:
    assert offered(session, "SELECT 1 -- pri|") == []


def test_a_name_that_is_a_reserved_word_comes_in_backticks(session: Session) -> None:
    session.remember(session.read("CREATE STREAM `order` AS SELECT symbol AS `from`, trade_time FROM trades"))
    assert "`order`" in texts(session, "SELECT * FROM |")
    assert "`from`" in texts(session, "SELECT o.| FROM `order` o")
