"""What stands in FROM, and joins."""

import pytest
from sqlglot import exp
from tests.sql.parsing import first, marked, refusal, select

from velostream.durations import HOUR, MINUTE
from velostream.sql.nodes import Location, StreamJoin, StreamTable
from velostream.sql.printing.text import print_sql


def source(text: str) -> exp.Expr:
    found: exp.Expr = select(f"SELECT a FROM {text}").args["from_"].this
    return found


def join(text: str) -> exp.Join:
    (found,) = select(f"SELECT a FROM s {text}").args["joins"]
    assert isinstance(found, exp.Join)
    return found


@pytest.mark.parametrize(
    "address", ["kafka://host:9092/topic", "file:///d/*.csv", "s3://bucket/key", "https://x.org/feed"]
)
def test_an_address_is_a_source(address: str) -> None:
    found = source(f"'{address}' AS t")
    assert isinstance(found, exp.Table)
    assert isinstance(found.this, Location)
    assert (found.this.name, found.name, found.alias) == (address, address, "t")


def test_a_name_may_have_parts() -> None:
    found = source("c.d.t")
    assert [part.name for part in (found.args["catalog"], found.args["db"], found.this)] == ["c", "d", "t"]


def test_a_text_that_is_no_address_is_refused() -> None:
    assert "backticks" in refusal("SELECT a FROM 'trades'").hint


def test_a_subquery_a_function_and_values_are_sources() -> None:
    assert isinstance(source("(SELECT a FROM t) AS q(x)"), exp.Subquery)
    assert isinstance(source("range(10) r").this, exp.Anonymous)
    assert isinstance(source("VALUES (1, 2), (3, 4) AS v(x, y)"), exp.Values)
    assert source("(VALUES (1, 2), (3, 4)) AS v(x, y)") == source("VALUES (1, 2), (3, 4) AS v(x, y)")


def test_spark_s_watermark_belongs_to_its_source() -> None:
    for text in ("s WATERMARK t.ts DELAY OF INTERVAL 1 MINUTE AS t", "s t WATERMARK t.ts DELAY OF 1m"):
        found = source(text)
        assert isinstance(found, StreamTable)
        assert found.args["watermark"].expression.micros == MINUTE
        assert print_sql(found.args["watermark"].this) == "t.ts"
        assert found.alias == "t"


def test_as_of_stands_before_or_behind_the_alias() -> None:
    for text in ("JOIN r FOR SYSTEM_TIME AS OF s.ts AS x ON TRUE", "JOIN r x FOR SYSTEM_TIME AS OF s.ts ON TRUE"):
        table = join(text).this
        assert print_sql(table.args["version"].args["expression"]) == "s.ts"
        assert table.alias == "x"


@pytest.mark.parametrize(
    ("text", "side", "kind", "method"),
    [
        ("JOIN t ON TRUE", "", "", ""),
        ("INNER JOIN t ON TRUE", "", "INNER", ""),
        ("LEFT JOIN t ON TRUE", "LEFT", "", ""),
        ("LEFT OUTER JOIN t ON TRUE", "LEFT", "OUTER", ""),
        ("RIGHT JOIN t ON TRUE", "RIGHT", "", ""),
        ("FULL OUTER JOIN t ON TRUE", "FULL", "OUTER", ""),
        ("LEFT SEMI JOIN t ON TRUE", "LEFT", "SEMI", ""),
        ("ANTI JOIN t ON TRUE", "LEFT", "ANTI", ""),
        ("CROSS JOIN t", "", "CROSS", ""),
        ("NATURAL LEFT JOIN t", "LEFT", "", "NATURAL"),
        ("JOIN t", "", "INNER", ""),
        (", t", "", "", ""),
    ],
)
def test_every_kind_of_join(text: str, side: str, kind: str, method: str) -> None:
    found = join(text)
    assert (found.side, found.kind, found.method) == (side, kind, method)
    assert type(found) is exp.Join


@pytest.mark.parametrize(
    ("text", "within", "grace"),
    [
        ("JOIN t WITHIN 1 HOUR ON TRUE", [HOUR], None),
        ("JOIN t ON TRUE WITHIN 1h", [HOUR], None),
        ("JOIN t WITHIN (1 HOUR, 2 HOURS) ON TRUE", [HOUR, 2 * HOUR], None),
        ("JOIN t WITHIN (1 HOUR, 2 HOURS) GRACE PERIOD 10 MINUTES ON TRUE", [HOUR, 2 * HOUR], 10 * MINUTE),
        ("LEFT JOIN t AS u WITHIN INTERVAL '5' MINUTE GRACE PERIOD 1m USING (id)", [5 * MINUTE], MINUTE),
    ],
)
def test_a_join_within_a_time(text: str, within: list[int], grace: int | None) -> None:
    found = join(text)
    assert isinstance(found, StreamJoin)
    assert [length.micros for length in found.args["within"]] == within
    assert (found.args["grace"].micros if found.args.get("grace") else None) == grace


def test_unnest_and_lateral_views() -> None:
    unnest = join("CROSS JOIN UNNEST(s.xs, s.ys) WITH ORDINALITY AS t(x, y, i)").this
    assert isinstance(unnest, exp.Unnest)
    assert unnest.args["offset"].name == "i"
    assert unnest.alias_column_names == ["x", "y"]
    view = first("SELECT x FROM s LATERAL VIEW OUTER explode(m) AS k, v", exp.Lateral)
    assert (view.args["outer"], view.alias_column_names) == (True, ["k", "v"])
    plain = first("SELECT x FROM s, LATERAL explode(xs) AS e", exp.Lateral)
    assert not plain.args.get("view")


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("s MATCH_RECOGNIZE (PARTITION BY a)", "unsupported", "MATCH_RECOGNIZE"),
        ("s AS t MATCH_RECOGNIZE (PARTITION BY a)", "unsupported", "MATCH_RECOGNIZE"),
        ("s TABLESAMPLE (10 PERCENT)", "unsupported", "TABLESAMPLE"),
        ("s PIVOT (SUM(a) FOR b IN (1))", "unsupported", "PIVOT"),
        ("(s JOIN t ON TRUE)", "syntax", "s"),
        ("(VALUES (1) AS v", "syntax", "AS"),
        ("VALUES 1", "syntax", "1"),
        ("s JOIN", "syntax", "N"),
        ("s LEFT t", "syntax", "t"),
        ("s LEFT INNER JOIN t", "syntax", "INNER"),
        ("s JOIN t USING id", "syntax", "id"),
        ("s JOIN t WITHIN (1h) ON TRUE", "syntax", ")"),
        ("s CROSS JOIN UNNEST(xs) WITH ORDINALITY AS t(x)", "syntax", ")"),
        ("s LATERAL VIEW explode", "syntax", "e"),
        ("s, LATERAL", "syntax", "L"),
        ("s WATERMARK ts DELAY OF x", "syntax", "x"),
        ("s JOIN r FOR SYSTEM_TIME AS ts ON TRUE", "syntax", "ts"),
        ("a.b.c.d", "syntax", "."),
        (", s", "syntax", ","),
    ],
)
def test_a_source_that_is_not_understood_is_refused(text: str, code: str, at: str) -> None:
    whole = f"SELECT a FROM {text}"
    assert refusal(whole).code == code
    assert marked(whole) == at
