"""Trees to text: our dialect as it was written, and Spark SQL with the same meaning."""

import pytest
from sqlglot import exp
from tests.sql.parsing import first, select, tree

from velostream.sql.nodes import Duration, KeyItem
from velostream.sql.parse import parse_expression
from velostream.sql.printing.text import print_sql, spark_sql


@pytest.mark.parametrize(
    "text",
    [
        "a + b * c - d",
        "NOT a AND b OR c",
        "a IS NOT NULL",
        "a NOT IN (1, 2)",
        "a NOT BETWEEN 1 AND 2",
        "a NOT LIKE 'x' ESCAPE '!'",
        "a NOT RLIKE 'x'",
        "a <=> b",
        "a IS DISTINCT FROM b",
        "- -1",
        "a -> b".replace(" ", ""),
        "x[0].y",
        "transform(xs, x -> x + 1)",
        "aggregate(xs, 0, (acc, x) -> acc + x)",
        "lower(Upper(A))",
        "COUNT(DISTINCT a, b)",
        "SUM(x) FILTER (WHERE y) OVER (PARTITION BY a ORDER BY b DESC NULLS FIRST)",
        "TRIM(LEADING FROM s)",
        "SUBSTRING(s FROM 1 FOR 2)",
        "POSITION('a' IN b)",
        "INTERVAL 1 MINUTE",
        "CAST(a AS STRUCT<x: INT, y: ARRAY<STRING>>)",
        "'it\\'s'",
        "`odd name`.`x``y`",
        "CASE a WHEN 1 THEN 'x' ELSE 'y' END",
        "EXISTS (SELECT 1 FROM t WHERE a > 1)",
        "a > ALL (SELECT b FROM t)",
        "a LIKE ANY ('x', 'y')",
        "f(k => 1)",
        "CURRENT_TIMESTAMP()",
    ],
)
def test_an_expression_prints_as_it_was_written(text: str) -> None:
    assert print_sql(parse_expression(text)) == text


@pytest.mark.parametrize(
    ("ours", "spark"),
    [
        ("a->b->c", "a.b.c"),
        ("f(x)->y", "f(x).y"),
        ("(a + b)->c", "(a + b).c"),
        ("FLOOR(ts TO HOUR)", "DATE_TRUNC('HOUR', ts)"),
        ("CAST(a AS TIMESTAMP(3))", "CAST(a AS TIMESTAMP)"),
        ("CAST(a AS VARBINARY(16))", "CAST(a AS BINARY)"),
        ("CAST(a AS VOID)", "CAST(a AS VOID)"),
        ("a::TEXT", "CAST(a AS STRING)"),
        ("a::LONG", "CAST(a AS BIGINT)"),
        ("a ? b".replace("?", "%"), "a % b"),
        ("CEIL(x)", "CEIL(x)"),
        ("floor(x, 1)", "floor(x, 1)"),
        ("INTERVAL 1 HOUR 30 MINUTES", "INTERVAL '1 HOUR 30 MINUTES'"),
        ('"double"', "'double'"),
    ],
)
def test_what_only_we_have_becomes_spark_s(ours: str, spark: str) -> None:
    assert spark_sql(parse_expression(ours)) == spark


def test_ceil_to_a_unit_is_the_next_begin_unless_it_is_one() -> None:
    text = spark_sql(parse_expression("CEIL(ts TO DAY)"))
    assert text == (
        "CASE WHEN DATE_TRUNC('DAY', ts) = ts THEN DATE_TRUNC('DAY', ts) "
        "ELSE DATE_TRUNC('DAY', ts) + INTERVAL '1' DAY END"
    )


def test_a_length_of_time_and_a_key_in_spark() -> None:
    assert spark_sql(first("SELECT a FROM s WINDOW TUMBLING(1m)", Duration)) == "INTERVAL '60000000' MICROSECOND"
    assert spark_sql(first("SELECT a AS b PRIMARY KEY FROM s", KeyItem)) == "a AS b"


@pytest.mark.parametrize(
    ("text", "column", "put", "expected"),
    [
        ("x * total", "total", "a + b", "x * (a + b)"),
        ("total * x", "total", "a + b", "(a + b) * x"),
        ("x - total", "total", "a - b", "x - (a - b)"),
        ("total - x", "total", "a - b", "a - b - x"),
        ("x AND total", "total", "a OR b", "x AND (a OR b)"),
        ("NOT total", "total", "a AND b", "NOT (a AND b)"),
        ("NOT total", "total", "a = b", "NOT a = b"),
        ("-total", "total", "a + b", "-(a + b)"),
        ("-total", "total", "-a", "- -a"),
        ("total IS NULL", "total", "a OR b", "(a OR b) IS NULL"),
        ("total IN (1)", "total", "NOT a", "(NOT a) IN (1)"),
        ("total BETWEEN 1 AND 2", "total", "a AND b", "(a AND b) BETWEEN 1 AND 2"),
        ("x BETWEEN 1 AND total", "total", "a AND b", "x BETWEEN 1 AND (a AND b)"),
        ("total LIKE 'x'", "total", "a || b", "a || b LIKE 'x'"),
        ("total = x", "total", "a IS NULL", "(a IS NULL) = x"),
        ("total[0]", "total", "a + b", "(a + b)[0]"),
        ("f(total)", "total", "a OR b", "f(a OR b)"),
        ("x = total", "total", "a = b", "x = (a = b)"),
        ("~total", "total", "a | b", "~(a | b)"),
    ],
)
def test_a_tree_that_was_put_together_gets_the_parentheses_it_needs(
    text: str, column: str, put: str, expected: str
) -> None:
    whole = parse_expression(text)
    for found in list(whole.find_all(exp.Column)):
        if found.name == column:
            found.replace(parse_expression(put))
    assert print_sql(whole) == expected
    assert print_sql(parse_expression(expected)) == expected


def test_sides_of_set_operations_get_the_parentheses_they_need() -> None:
    one, two, three = (select(f"SELECT {number}") for number in (1, 2, 3))
    union = exp.Union(this=two.copy(), expression=three.copy(), distinct=True)
    assert (
        print_sql(exp.Union(this=one.copy(), expression=union.copy(), distinct=False))
        == "SELECT 1 UNION ALL (SELECT 2 UNION SELECT 3)"
    )
    assert (
        print_sql(exp.Intersect(this=union, expression=one.copy(), distinct=True))
        == "(SELECT 2 UNION SELECT 3) INTERSECT SELECT 1"
    )
    both = exp.Intersect(this=two.copy(), expression=three.copy(), distinct=True)
    assert (
        print_sql(exp.Intersect(this=one.copy(), expression=both, distinct=True))
        == "SELECT 1 INTERSECT (SELECT 2 INTERSECT SELECT 3)"
    )
    limited = select("SELECT 1 LIMIT 5")
    assert print_sql(exp.Union(this=limited, expression=two, distinct=True)) == "(SELECT 1 LIMIT 5) UNION SELECT 2"


def test_printing_changes_nothing() -> None:
    statement = tree("SELECT CAST(a AS TIMESTAMP(3)), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) FROM s GROUP BY k")
    before = statement.copy()
    print_sql(statement)
    spark_sql(statement)
    assert statement == before


def test_is_not_of_sqlglot_s_builders_prints_too() -> None:
    negated = exp.Is(this=exp.column("a"), expression=exp.Null(), negate=True)
    assert print_sql(negated) == "a IS NOT NULL"
    assert (
        spark_sql(exp.func("count", exp.Star())) == "count(*)" or spark_sql(exp.func("count", exp.Star())) == "COUNT(*)"
    )
