"""SELECT and its clauses in any order; set operations, CTEs; what belongs to the statement."""

import itertools

import pytest
from sqlglot import exp
from tests.sql.parsing import marked, refusal, select, tree

from velostream.sql.nodes import KeyItem, Location, StreamSelect
from velostream.sql.statements import Query

CLAUSES = (
    "GROUP BY a",
    "WINDOW TUMBLING(1m)",
    "HAVING b > 1",
    "ORDER BY a",
    "LIMIT 5",
    "EMIT CHANGES",
    "WITH ('k' = 'v')",
)


def query(text: str) -> Query:
    statement = tree(text)
    assert isinstance(statement, Query)
    return statement


def test_clauses_are_accepted_in_any_order() -> None:
    expected = tree(f"SELECT a FROM s WHERE c INTO x {' '.join(CLAUSES)}")
    for order in itertools.islice(itertools.permutations((*CLAUSES, "WHERE c", "INTO x")), 0, None, 1013):
        assert tree(f"SELECT a FROM s {' '.join(order)}") == expected


def test_clauses_are_accepted_in_any_order_behind_a_union() -> None:
    expected = tree(f"SELECT a FROM s UNION ALL SELECT a FROM t WHERE c {' '.join(CLAUSES)} INTO x")
    for order in itertools.islice(itertools.permutations((*CLAUSES, "WHERE c", "INTO x")), 0, None, 2027):
        assert tree(f"SELECT a FROM s UNION ALL SELECT a FROM t {' '.join(order)}") == expected


@pytest.mark.parametrize(
    "clause", [*CLAUSES[:5], CLAUSES[6], "WHERE a", "INTO x", "PARTITION BY a", "QUALIFY a", "OFFSET 3"]
)
def test_a_clause_that_stands_twice_is_refused(clause: str) -> None:
    finding = refusal(f"SELECT a FROM s {clause} {clause}")
    assert "twice" in finding.message or "second" in finding.message
    assert finding.span is not None
    assert finding.span.start > len("SELECT a FROM s ")


def test_sinks_and_properties_belong_to_the_statement() -> None:
    statement = query("SELECT a FROM s INTO x, 'file:///o' WITH ('k' = 'v', \"l\" = \"w\", m.n = 5)")
    assert [type(sink.this) for sink in statement.args["sinks"]] == [exp.Identifier, Location]
    assert [setting.expression.name for setting in statement.args["settings"].expressions] == ["v", "w", "5"]
    assert not statement.this.args.get("sinks")
    assert not statement.this.args.get("settings")


def test_items_may_be_keys() -> None:
    items = select("SELECT a PRIMARY KEY, b AS c PRIMARY KEY, d e PRIMARY KEY, f FROM s").expressions
    assert [isinstance(item, KeyItem) for item in items] == [True, True, True, False]
    assert [item.alias_or_name for item in items] == ["a", "c", "e", "f"]
    assert [item.output_name for item in items] == ["a", "c", "e", "f"]


def test_distinct_star_and_aliases() -> None:
    found = select("SELECT DISTINCT *, t.*, a AS x, b y, explode(m) AS (k, v) FROM t")
    assert isinstance(found, StreamSelect)
    assert found.args["distinct"]
    assert [type(item).__name__ for item in found.expressions] == ["Star", "Column", "Alias", "Alias", "Aliases"]


def test_a_select_needs_no_source() -> None:
    assert select("SELECT 1 + 1 AS two").expressions[0].alias == "two"


def test_partition_by_is_the_key_of_the_output() -> None:
    assert [key.name for key in select("SELECT a FROM s PARTITION BY a, b").args["partition_by"]] == ["a", "b"]


def test_ctes_come_before_a_query() -> None:
    found = select("WITH x AS (SELECT 1 AS a), y(b) AS (SELECT a FROM x) SELECT b FROM y")
    assert isinstance(found, StreamSelect)
    assert [cte.alias for cte in found.ctes] == ["x", "y"]


def test_set_operations_bind_as_in_spark() -> None:
    found = select("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4")
    assert isinstance(found, exp.Except)
    assert found.args["distinct"] is False
    assert isinstance(found.this, exp.Union)
    assert isinstance(found.this.expression, exp.Intersect)


def test_union_distinct_and_minus_are_other_words() -> None:
    assert tree("SELECT 1 UNION DISTINCT SELECT 2") == tree("SELECT 1 UNION SELECT 2")
    assert tree("SELECT a FROM s MINUS SELECT 2") == tree("SELECT a FROM s EXCEPT SELECT 2")
    assert tree("SELECT ALL a FROM s") == tree("SELECT a FROM s")


def test_order_and_limit_belong_to_the_whole_set_operation() -> None:
    found = select("SELECT a FROM s UNION ALL SELECT b FROM t ORDER BY a LIMIT 1 OFFSET 2")
    assert all(found.args.get(key) for key in ("order", "limit", "offset"))
    assert not any(found.expression.args.get(key) for key in ("order", "limit", "offset"))
    wrapped = select("(SELECT a FROM s LIMIT 1) UNION ALL (SELECT b FROM t) ORDER BY a OFFSET 2 LIMIT 3")
    assert wrapped.this.this.args["limit"]
    assert wrapped.args["limit"]


def test_a_window_behind_a_union_belongs_to_its_last_select() -> None:
    found = select("SELECT a FROM s UNION ALL SELECT b FROM t WINDOW TUMBLING(1m)")
    assert found.expression.args["time_window"]
    assert not found.this.args.get("time_window")


def test_needless_parentheses_are_no_part_of_a_query() -> None:
    assert tree("((SELECT a FROM s))") == tree("SELECT a FROM s")
    assert tree("SELECT a FROM ((SELECT a FROM s)) AS q") == tree("SELECT a FROM (SELECT a FROM s) AS q")


def test_a_query_in_parentheses_may_be_limited_again() -> None:
    found = select("(SELECT a FROM s LIMIT 5) LIMIT 2")
    assert isinstance(found, exp.Subquery)


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("SELECT", "syntax", "T"),
        ("SELECT FROM s", "syntax", "FROM"),
        ("SELECT a, FROM s", "syntax", "FROM"),
        ("SELECT a, b, FROM s", "syntax", "FROM"),
        ("SELECT a FROM s GROUP BY", "syntax", "Y"),
        ("SELECT a FROM s GROUP BY a,", "syntax", ","),
        ("SELECT a FROM s GROUP a", "syntax", "GROUP"),
        ("SELECT a FROM s ORDER BY a DESC ASC", "syntax", "ASC"),
        ("SELECT a FROM s ORDER BY ALL", "syntax", "ALL"),
        ("SELECT a FROM s ORDER BY a NULLS", "syntax", "S"),
        ("SELECT a FROM s LIMIT", "syntax", "T"),
        ("SELECT a FROM s LIMIT ALL", "syntax", "ALL"),
        ("SELECT a FROM s LIMIT 1.5", "syntax", "1.5"),
        ("SELECT a AS 'x' FROM s", "syntax", "'x'"),
        ("SELECT a AS FROM s", "syntax", "FROM"),
        ("SELECT a b c FROM s", "syntax", "c"),
        ("SELECT a FROM s INTO", "syntax", "O"),
        ("SELECT a FROM s INTO x y", "syntax", "y"),
        ("SELECT a FROM s WITH ('k')", "syntax", ")"),
        ("SELECT a FROM s WITH ('k' = )", "syntax", ")"),
        ("SELECT a FROM s WITH ('k' = 'v',)", "syntax", ")"),
        ("SELECT a FROM s WITH ('k' = 'v' 'l' = 'w')", "syntax", "'l'"),
        ("SELECT a FROM s WITH ('k' = (1))", "syntax", "("),
        ("SELECT a FROM s UNION", "syntax", "N"),
        ("SELECT a FROM s UNION t", "syntax", "t"),
        ("SELECT a FROM s LIMIT 1 UNION SELECT 2", "syntax", "UNION"),
        ("SELECT a FROM s GROUP BY ROLLUP(a)", "unsupported", "ROLLUP"),
        ("SELECT a FROM s GROUP BY a WITH CUBE", "unsupported", "WITH"),
        ("SELECT a FROM s GROUP BY GROUPING SETS ((a))", "unsupported", "GROUPING"),
        ("SELECT a FROM s GROUP BY ALL", "unsupported", "ALL"),
        ("SELECT a FROM s CLUSTER BY a", "unsupported", "CLUSTER"),
        ("SELECT a FROM s SORT BY a", "unsupported", "SORT"),
        ("SELECT a FROM s FETCH FIRST 5 ROWS ONLY", "unsupported", "FETCH"),
        ("WITH RECURSIVE x AS (SELECT 1) SELECT 1", "unsupported", "RECURSIVE"),
        ("WITH x (SELECT 1) SELECT 1", "syntax", "SELECT"),
        ("WITH x AS SELECT 1", "syntax", "SELECT"),
        ("SELECT a FROM (SELECT a FROM s INTO x) AS q", "syntax", "x"),
        ("SELECT a FROM (SELECT a FROM s WITH ('k' = 'v')) AS q", "syntax", "WITH ('k' = 'v')"),
        ("(SELECT a FROM s", "syntax", "s"),
        ("SELECT a FROM s)", "syntax", ")"),
    ],
)
def test_a_query_that_is_not_understood_is_refused_at_its_place(text: str, code: str, at: str) -> None:
    finding = refusal(text)
    assert finding.code == code
    assert finding.hint
    assert marked(text) == at


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT a FORM s", "'FROM' instead of 'FORM'"),
        ("SELECT a FROM s WHER a > 1", "'WHERE' instead of 'WHER'"),
        ("SELECT a FROM s GROPU BY a", "'GROUP BY' instead of 'GROPU'"),
        ("SELECT a FROM s ODER BY a", "'ORDER BY' instead of 'ODER'"),
        ("SELECT a FROM s LIMT 5", "'LIMIT' instead of 'LIMT'"),
        ("SELECT a FROM s JION t ON TRUE", "'JOIN' instead of 'JION'"),
        ("SELECT a, FROM s", "remove the ','"),
        ("SELECT (a FROM s", "expected ')'"),
        ("SELECT CASE WHEN a ELSE b END FROM s", "expected THEN"),
        ("SELECT order FROM s", "`order`"),
        ("SELECT a FROM s AS select", "`select`"),
        ("SELECT a FROM s WINDOW TUMBLING(1m) GROUP BY a EMIT", "EMIT takes"),
    ],
)
def test_a_hint_says_what_was_meant(text: str, hint: str) -> None:
    assert hint in refusal(text).hint
