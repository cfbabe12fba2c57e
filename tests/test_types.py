"""Spark's types as values: parse, show, compare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.errors import InvalidType
from velostream.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    UNKNOWN,
    Type,
    array,
    decimal,
    map_of,
    parse,
    struct,
)

SIMPLE = [BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ]
DECIMALS = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: decimal(p, s)))
FIELDS = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
TYPES = st.recursive(
    st.sampled_from(SIMPLE) | DECIMALS,
    lambda inner: st.one_of(
        inner.map(array),
        st.tuples(inner, inner).map(lambda pair: map_of(*pair)),
        st.lists(st.tuples(FIELDS, inner), min_size=1, max_size=4).map(lambda fields: struct(*fields)),
    ),
    max_leaves=8,
)


@given(TYPES)
def test_what_is_shown_reads_back_as_the_same_type(kind: Type) -> None:
    assert parse(str(kind)) == kind
    assert parse(str(kind).lower()) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("integer", INT),
        ("LONG", BIGINT),
        ("varchar(255)", STRING),
        ("CHAR(3)", STRING),
        ("double precision", DOUBLE),
        ("numeric(12, 2)", decimal(12, 2)),
        ("decimal", decimal(10, 0)),
        ("DEC(5)", decimal(5, 0)),
        ("TIMESTAMP(3)", TIMESTAMP),
        ("TIMESTAMP WITH LOCAL TIME ZONE", TIMESTAMP),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", TIMESTAMP),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", TIMESTAMP_NTZ),
        ("TIMESTAMP_LTZ(3)", TIMESTAMP),
        ("STRUCT<>", struct()),
        ("INTERVAL DAY TO SECOND", INTERVAL),
        ("ROW<a INT, b STRING>", struct(("a", INT), ("b", STRING))),
        ("STRUCT<`odd name`: INT>", struct(("odd name", INT))),
        ("MAP<STRING, ARRAY<DECIMAL(10,2)>>", map_of(STRING, array(decimal(10, 2)))),
        ("array(int)", array(INT)),
    ],
)
def test_spellings_from_elsewhere_are_taken(text: str, kind: Type) -> None:
    assert parse(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        *("", "STRNG", "ARRAY", "ARRAY<INT", "ARRAY<INT, INT>", "MAP<STRING>", "STRUCT<a>", "INT INT", "INT(5)"),
        *(
            "DECIMAL(",
            "DECIMAL()",
            "DECIMAL(a)",
            "DECIMAL(39,2)",
            "DECIMAL(5,6)",
            "DECIMAL(1,2,3)",
            "ARRAY<INT,>",
            "INT()",
        ),
    ],
)
def test_what_is_not_a_type_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidType) as refusal:
        parse(text)
    assert refusal.value.hint


def test_a_misspelled_type_names_the_nearest() -> None:
    with pytest.raises(InvalidType, match="'STRNG' is not a type") as refusal:
        parse("STRNG")
    assert "'STRING'" in refusal.value.hint


def test_types_know_what_they_are() -> None:
    assert decimal(10, 2).is_numeric
    assert not decimal(10, 2).is_integral
    assert BIGINT.is_integral
    assert TIMESTAMP.is_time
    assert DATE.is_temporal
    assert not DATE.is_time
    assert not UNKNOWN.is_known
    assert STRING.is_known
