"""Every node knows where it stands, to the character."""

import pytest
from sqlglot import exp
from tests.sql.corpus import EXAMPLES, STATEMENTS
from tests.sql.parsing import first, tree

from velostream.positions import Span
from velostream.sql import nodes, statements
from velostream.sql.parse import parse, parse_expression
from velostream.sql.spans import inside, span_of


def text_of(text: str, node: exp.Expr) -> str:
    span = span_of(node)
    return text[span.start : span.end]


WHOLE = (
    "SELECT t.pirce, UPPER( name ), SUM(x) FILTER (WHERE y > 1) OVER (PARTITION BY k) AS total,\n"
    "  CASE WHEN a THEN 'it''s' END, CAST(a AS DECIMAL(10, 2)), a + b * c, m['k'].f, a->b, x IS NOT NULL, - 5,\n"
    "  INTERVAL '1' DAY, transform(xs, e -> e + 1) k PRIMARY KEY\n"
    "FROM trades AS t LEFT JOIN 'file:///d/x.csv' u WITHIN 5 MINUTES ON t.id = u.id\n"
    "WHERE a > 1 WINDOW TUMBLING(ts, INTERVAL '1' MINUTE, OFFSET 5s) GROUP BY a, b HAVING c < 2\n"
    "ORDER BY d DESC LIMIT 3 EMIT WHEN (p = 1) FALLBACK EVERY 5s INTO out, 'file:///o' WITH ('k' = 'v')"
)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (exp.Column, "t.pirce"),
        (exp.Anonymous, "UPPER( name )"),
        (exp.Window, "SUM(x) FILTER (WHERE y > 1) OVER (PARTITION BY k)"),
        (exp.Filter, "SUM(x) FILTER (WHERE y > 1)"),
        (exp.Alias, "SUM(x) FILTER (WHERE y > 1) OVER (PARTITION BY k) AS total"),
        (exp.Case, "CASE WHEN a THEN 'it''s' END"),
        (exp.If, "WHEN a THEN 'it''s'"),
        (exp.Cast, "CAST(a AS DECIMAL(10, 2))"),
        (exp.DataType, "DECIMAL(10, 2)"),
        (exp.Add, "a + b * c"),
        (exp.Mul, "b * c"),
        (exp.Dot, "m['k'].f"),
        (exp.Bracket, "m['k']"),
        (nodes.FieldAccess, "a->b"),
        (exp.Not, "x IS NOT NULL"),
        (exp.Neg, "- 5"),
        (exp.Interval, "INTERVAL '1' DAY"),
        (exp.Lambda, "e -> e + 1"),
        (nodes.KeyItem, "transform(xs, e -> e + 1) k PRIMARY KEY"),
        (exp.From, "FROM trades AS t"),
        (exp.Table, "trades AS t"),
        (exp.TableAlias, "AS t"),
        (nodes.StreamJoin, "LEFT JOIN 'file:///d/x.csv' u WITHIN 5 MINUTES ON t.id = u.id"),
        (nodes.Location, "'file:///d/x.csv'"),
        (nodes.Duration, "5 MINUTES"),
        (nodes.TimeWindow, "WINDOW TUMBLING(ts, INTERVAL '1' MINUTE, OFFSET 5s)"),
        (nodes.WindowOption, "OFFSET 5s"),
        (exp.Group, "GROUP BY a, b"),
        (exp.Having, "HAVING c < 2"),
        (exp.Order, "ORDER BY d DESC"),
        (exp.Ordered, "d DESC"),
        (exp.Limit, "LIMIT 3"),
        (nodes.Emit, "EMIT WHEN (p = 1) FALLBACK EVERY 5s"),
        (nodes.Settings, "WITH ('k' = 'v')"),
        (nodes.Setting, "'k' = 'v'"),
        (statements.Query, WHOLE),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_node_stands_where_its_text_stands(kind: type[exp.Expr], expected: str) -> None:
    found = {text_of(WHOLE, node) for node in tree(WHOLE).find_all(kind)}
    assert expected in found
    assert kind is not exp.Column or len(found) > 10


def test_a_where_stands_from_its_keyword() -> None:
    assert text_of("SELECT a FROM s WHERE a > 1", first("SELECT a FROM s WHERE a > 1", exp.Where)) == "WHERE a > 1"


def test_a_name_stands_alone() -> None:
    text = "SELECT s . a FROM s"
    column = first(text, exp.Column)
    assert text_of(text, column) == "s . a"
    assert text_of(text, column.this) == "a"
    assert text_of(text, column.args["table"]) == "s"


def test_lines_and_columns_count_from_one() -> None:
    text = "SELECT a,\n   pirce\nFROM s"
    columns = list(tree(text).find_all(exp.Column))
    assert span_of(columns[1]) == Span(13, 18, 2, 4, 2, 9)


def test_the_parts_of_a_windowed_table_keep_their_places() -> None:
    text = "SELECT a FROM TABLE(HOP(TABLE s, DESCRIPTOR(ts), INTERVAL '1' MINUTE, 5 MINUTES, 10s)) AS t"
    window = first(text, nodes.TimeWindow)
    assert [text_of(text, part) for part in window.expressions] == ["ts", "5 MINUTES", "INTERVAL '1' MINUTE"]
    assert [text_of(text, option) for option in window.args["options"]] == ["10s"]
    assert text_of(text, window).startswith("TABLE(HOP(")


@pytest.mark.parametrize("text", STATEMENTS)
def test_every_node_has_a_place_inside_of_its_parent(text: str) -> None:
    for node in tree(text).walk():
        span = span_of(node)
        assert 0 <= span.start < span.end <= len(text)
        if node.parent is not None and not _moved(node):
            around = span_of(node.parent)
            assert around.start <= span.start, (node, text)
            assert span.end <= around.end, (node, text)


def _moved(node: exp.Expr) -> bool:
    """What the parser puts elsewhere than it was written: windows of GROUP BY and FROM, clauses of set operations."""
    moved = (nodes.TimeWindow, nodes.Emit, nodes.Settings, exp.Order, exp.Limit, exp.Offset)
    return isinstance(node, moved) or isinstance(node.parent, (nodes.WindowOption, nodes.TimeWindow, exp.Unnest))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_leaves_of_an_application_stand_on_their_own_text(path) -> None:  # type: ignore[no-untyped-def]
    application = parse(path.read_text())
    for statement in application.statements:
        assert statement.tree is not None
        for name in statement.tree.find_all(exp.Identifier):
            assert text_of(path.read_text(), name).strip("`") == name.name


def test_a_node_made_later_answers_with_its_parents_place() -> None:
    text = "SELECT a + b FROM s"
    added = first(text, exp.Add)
    added.set("expression", exp.column("other"))
    assert text_of(text, added.expression) == "a + b"
    assert text_of(text, added.copy()) == "a + b"
    assert span_of(exp.column("nowhere")) == Span(0, 0, 1, 1, 1, 1)


def test_an_expression_of_its_own_can_be_moved_into_a_file() -> None:
    text = "SELECT a FROM s WITH (\n  'emit.on' = 'price > limit_'\n)"
    literal = first(text, nodes.Setting).expression
    condition = parse_expression(literal.name, inside(literal))
    columns = list(condition.find_all(exp.Column))
    assert [text_of(text, column) for column in columns] == ["price", "limit_"]
    assert (span_of(columns[0]).line, span_of(columns[0]).column) == (2, 16)
