"""Column lists as SQL writes them."""

import pytest

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.column_list import read_columns


def test_names_types_and_what_may_be_null() -> None:
    text = (
        "symbol STRING NOT NULL, price DECIMAL(10, 2), tags ARRAY<STRING>, m MAP<STRING, INT>, s STRUCT<a: INT, b: INT>"
    )
    assert read_columns(text) == (
        Field("symbol", types.STRING, nullable=False),
        Field("price", types.decimal(10, 2)),
        Field("tags", types.array(types.STRING)),
        Field("m", types.map_of(types.STRING, types.INT)),
        Field("s", types.struct(("a", types.INT), ("b", types.INT))),
    )


def test_comments_quotes_keys_and_a_create_around_it() -> None:
    text = """
    -- the trades, don't mind the quote
    CREATE TABLE shop.trades (
        `id` BIGINT PRIMARY KEY,   /* an
        id */
        "sym bol": STRING COMMENT 'a, b -- no comment',
        note STRING NULL
    );
    """
    assert read_columns(text) == (
        Field("id", types.BIGINT, nullable=False, key=True),
        Field("sym bol", types.STRING),
        Field("note", types.STRING),
    )


def test_parentheses_around_the_list_are_not_needed() -> None:
    assert read_columns("(a INT, b INT)") == read_columns("a INT, b INT")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a column"),
        ("a INT,", "'' is not a column"),
        ("a", "'a' is not a column"),
        ("1a INT", "'1a INT' is not a column"),
        ("a INTT", "column 'a': 'INTT' is not a type"),
        ("a INT DEFAULT 3", "column 'a'"),
        ("a INT, A STRING", "column 'A' is listed twice"),
        ("a ARRAY<INT", "column 'a'"),
    ],
)
def test_what_is_not_a_list_of_columns(text: str, message: str) -> None:
    with pytest.raises(InvalidSchema) as refusal:
        read_columns(text)
    assert message in refusal.value.message
