"""Expressions mean what they mean in Spark; where sqlglot knows the form, the tree is the one that it makes."""

import pytest
from sqlglot import exp, parse_one
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser
from tests.sql.parsing import marked, refusal, select

from velostream.sql.nodes import FieldAccess
from velostream.sql.parse import parse_expression


class Verbatim(Spark):
    """Spark as sqlglot has it, with function calls left as they are."""

    class Parser(SparkParser):
        FUNCTIONS: dict[str, object] = {}  # noqa: RUF012
        STRICT_CAST = True


SAME = """
a + b * c - d / e % f
(a + b) * c
a || b || 'c'
a DIV b
-a * b
- -1
~a
NOT a AND b OR c
a AND b AND c OR d
a = b AND c <> d
a < b OR c >= d
a <= 1.5
a IS NULL
a IS NOT NULL AND b
a IS TRUE
a IS NOT FALSE
a IS DISTINCT FROM b
a <=> b
a BETWEEN 1 AND 2 AND c
a NOT BETWEEN b AND c
a IN (1, 2, 3)
a NOT IN ('x')
a LIKE 'x%'
a NOT LIKE 'x!%' ESCAPE '!'
a ILIKE 'x'
a RLIKE '^x'
a NOT RLIKE 'x'
CASE WHEN a THEN b WHEN c THEN d ELSE e END
CASE a WHEN 1 THEN 2 END
CAST(a AS BIGINT)
CAST(a AS DECIMAL(10, 2))
CAST(a AS ARRAY<STRING>)
CAST(a AS MAP<STRING, INT>)
CAST(a AS STRUCT<x: INT, y: DOUBLE>)
CAST(a AS TIMESTAMP)
TRY_CAST(a AS DATE)
a::INT
EXTRACT(HOUR FROM ts)
TRIM(BOTH 'x' FROM s)
TRIM(LEADING FROM s)
SUBSTRING(s FROM 1 FOR 2)
POSITION('a' IN b)
OVERLAY(a PLACING b FROM 1 FOR 2)
FLOOR(x TO HOUR)
COUNT(*)
COUNT(DISTINCT a, b)
f(a, g(b), 1)
SUM(x) FILTER(WHERE y > 1)
SUM(x) OVER (PARTITION BY a ORDER BY b DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY y DESC)
aggregate(xs, 0, (acc, x) -> acc + x.y)
f(k => 1)
struct(a AS x, b)
a.b
a.b.c
a.b.c.d.e
a[0].b
m['k']
f(x).y
(a, b)
DATE '2024-01-01'
TIMESTAMP '2024-01-01 00:00:00'
INTERVAL '1' DAY
INTERVAL '1:30' HOUR TO MINUTE
'text'
TRUE
NULL
a COLLATE UTF8_LCASE
(a OR b) AND c
(SELECT 1)
""".strip().splitlines()


@pytest.mark.parametrize("text", SAME)
def test_the_tree_is_the_one_that_sqlglot_makes(text: str) -> None:
    expected = parse_one(text, dialect=Verbatim).transform(_as_ours)
    assert parse_expression(text).transform(_as_theirs) == expected


def _as_ours(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Cast):
        node.type = None
        node.args.pop("_type", None)
    if isinstance(node, exp.Collate):
        return exp.Collate(this=node.this, expression=exp.to_identifier(node.expression.name))
    return node


def _as_theirs(node: exp.Expr) -> exp.Expr:
    if type(node).__name__ == "StreamSelect":
        return exp.Select(**node.args)
    return node


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a || b + c", "(a || b) + c"),
        ("a + b || c", "(a + b) || c"),
        ("a | b & c", "a | (b & c)"),
        ("a ^ b | c & d", "(a ^ b) | (c & d)"),
        ("a << 1 + 2", "a << (1 + 2)"),
        ("a >> 1 & 3", "(a >> 1) & 3"),
        ("a = b = c", "(a = b) = c"),
        ("a < b < c", "(a < b) < c"),
        ("a = b IS NULL", "(a = b) IS NULL"),
        ("NOT a = b", "NOT (a = b)"),
        ("NOT a IN (1)", "NOT (a IN (1))"),
        ("NOT a AND b", "(NOT a) AND b"),
        ("a OR b AND c", "a OR (b AND c)"),
        ("a BETWEEN b + 1 AND c AND d", "(a BETWEEN (b + 1) AND c) AND d"),
        ("a LIKE 'x' || 'y'", "a LIKE ('x' || 'y')"),
        ("- a ^ b", "(- a) ^ b"),
        ("-a::INT", "-(a::INT)"),
        ("-a.b[0]", "-(a.b[0])"),
    ],
)
def test_operators_bind_as_in_spark(text: str, same: str) -> None:
    assert _without_parens(parse_expression(text)) == _without_parens(parse_expression(same))


def _without_parens(node: exp.Expr) -> exp.Expr:
    while paren := node.find(exp.Paren):
        if paren is node:
            node = paren.this
            node.parent = None
        else:
            paren.replace(paren.this)
    return node


@pytest.mark.parametrize(
    ("text", "meaning"), [("a == b", exp.EQ), ("a != b", exp.NEQ), ("!a", exp.Not), ("a REGEXP 'x'", exp.RegexpLike)]
)
def test_other_spellings_mean_the_same(text: str, meaning: type[exp.Expr]) -> None:
    assert isinstance(parse_expression(text), meaning)


def test_a_plus_in_front_is_a_call() -> None:
    found = parse_expression("+a")
    assert isinstance(found, exp.Anonymous)
    assert found.name == "positive"


def test_functions_keep_their_names_as_typed() -> None:
    assert [
        call.name for call in parse_expression("coalesce(Upper(a), IF(b, c, d), LEFT(e, 1))").find_all(exp.Anonymous)
    ] == [
        "coalesce",
        "Upper",
        "IF",
        "LEFT",
    ]
    quoted = parse_expression("`my func`(a)")
    assert isinstance(quoted, exp.Anonymous)
    assert quoted.name == "my func"


def test_current_timestamp_needs_no_parentheses() -> None:
    for text in ("CURRENT_TIMESTAMP", "current_timestamp()"):
        assert isinstance(parse_expression(text), exp.Anonymous)
    assert isinstance(parse_expression("t.current_timestamp"), exp.Column)


def test_an_arrow_is_a_field_except_in_a_lambda() -> None:
    found = parse_expression("a->b->c")
    assert isinstance(found, FieldAccess)
    assert (found.expression.name, found.this.expression.name, found.this.this.name) == ("c", "b", "a")
    inside = parse_expression("UPPER(a->b)").expressions[0]
    assert isinstance(inside, FieldAccess)
    mapped = parse_expression("transform(a->xs, x -> x->y)")
    assert isinstance(mapped.expressions[0], FieldAccess)
    assert isinstance(mapped.expressions[1], exp.Lambda)
    assert isinstance(mapped.expressions[1].this, FieldAccess)


def test_the_names_of_a_lambda_are_no_columns() -> None:
    found = parse_expression("transform(xs, x -> x + y + x.z)")
    assert [column.name for column in found.find_all(exp.Column)] == ["xs", "y"]


def test_any_and_all_take_a_query() -> None:
    for word, kind in (("ANY", exp.Any), ("SOME", exp.Any), ("ALL", exp.All)):
        found = parse_expression(f"a > {word} (SELECT b FROM t)")
        assert isinstance(found.expression, kind)
        assert isinstance(found.expression.this, exp.Select)


def test_exists_takes_a_query_or_a_lambda() -> None:
    assert isinstance(parse_expression("EXISTS (SELECT 1 FROM t)"), exp.Exists)
    assert isinstance(parse_expression("exists(xs, x -> x > 1)"), exp.Anonymous)


def test_parentheses_hold_an_expression_a_query_or_several() -> None:
    assert isinstance(parse_expression("((SELECT 1) + 2)"), exp.Paren)
    assert isinstance(parse_expression("((SELECT 1))"), exp.Subquery)
    assert isinstance(parse_expression("((SELECT 1) UNION (SELECT 2))"), exp.Subquery)
    assert isinstance(parse_expression("(((SELECT 1) + 2))"), exp.Paren)


def test_several_parts_of_an_interval_are_one() -> None:
    found = parse_expression("INTERVAL 1 HOUR 30 MINUTES")
    assert found.this.name == "1 HOUR 30 MINUTES"
    assert isinstance(parse_expression("INTERVAL -5 DAY").this, exp.Neg)
    assert isinstance(parse_expression("interval - 5"), exp.Sub)


@pytest.mark.parametrize(
    "name",
    [
        "BOOLEAN",
        "TINYINT",
        "BYTE",
        "SMALLINT",
        "SHORT",
        "INT",
        "INTEGER",
        "BIGINT",
        "LONG",
        "FLOAT",
        "REAL",
        "DOUBLE",
        "DATE",
        "STRING",
        "TEXT",
        "BINARY",
        "BYTES",
        "TIMESTAMP",
        "TIMESTAMP_NTZ",
        "TIMESTAMP_LTZ",
        "VARIANT",
        "VOID",
        "INTERVAL",
        "DECIMAL",
        "NUMERIC(5)",
        "CHAR(3)",
        "TIMESTAMP(3)",
        "DOUBLE PRECISION",
        "INTERVAL DAY TO SECOND",
        "INTERVAL YEAR",
        "ROW(a INT, b STRING)",
        "ARRAY<STRUCT<a: MAP<STRING, INT>>>",
        "TIMESTAMP WITH LOCAL TIME ZONE",
        "TIMESTAMP WITHOUT TIME ZONE",
    ],
)
def test_every_type_can_be_cast_to(name: str) -> None:
    assert isinstance(parse_expression(f"CAST(a AS {name})"), exp.Cast)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a +", "+"),
        ("a + * b", "*"),
        ("a b c", "c"),
        ("(a", "a"),
        ("a)", ")"),
        ("f(a,)", ")"),
        ("f(a b)", "b"),
        ("a IS", "S"),
        ("a IS 5", "5"),
        ("a IS NULL = b", "="),
        ("a BETWEEN 1", "1"),
        ("a IN ()", ")"),
        ("a IN 5", "5"),
        ("a NOT 5", "NOT"),
        ("CASE END", "END"),
        ("CASE WHEN a END", "END"),
        ("CAST(a AS)", ")"),
        ("CAST(a AS INTT)", "INTT"),
        ("CAST(a AS DECIMAL(x))", "x"),
        ("CAST(a AS ARRAY)", ")"),
        ("CAST(a AS STRUCT<>)", "<>"),
        ("a LIKE", "E"),
        ("a LIKE 'x' ESCAPE b", "b"),
        ("a[0", "0"),
        ("a->5", "5"),
        ("INTERVAL '1' HOUR TO", "O"),
        ("EXTRACT(FROM a)", "FROM"),
        ("TRIM(BOTH 'x')", ")"),
        ("a AT TIME ZONE 'UTC'", "TIME"),
        ("5.x", "5.x"),
        ("0 . t", "."),
    ],
)
def test_what_is_not_an_expression_is_refused_at_its_place(text: str, at: str) -> None:
    whole = f"SELECT {text}"
    assert refusal(whole).hint
    assert marked(whole) == at


def test_an_expression_of_its_own_is_refused_where_it_stands() -> None:
    from velostream.errors import SyntaxRefused
    from velostream.positions import Span

    base = Span(100, 110, 7, 20, 7, 30)
    for text, column in (("a >", 22), ("a; b", 21), ("", 20), ("'x", 20), ("(" * 500, 80)):
        with pytest.raises(SyntaxRefused) as refused:
            parse_expression(text, base)
        assert refused.value.span is not None
        assert (refused.value.span.line, refused.value.span.column) == (7, column)
    with pytest.raises(SyntaxRefused, match="not understood"):
        parse_expression("a b")


def test_a_star_stands_only_where_it_means_all() -> None:
    assert "select list" in refusal("SELECT a + * FROM s").hint
    assert select("SELECT * EXCEPT (a, b) FROM s").expressions[0].args["except_"][1].name == "b"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("X'1F'", "UNHEX('1F')"),
        ("CURRENT_USER", "CURRENT_USER()"),
        ("GROUP_CONCAT(a)", "GROUP_CONCAT(a, ',')"),
        ("GROUP_CONCAT(DISTINCT a)", "GROUP_CONCAT(DISTINCT a, ',')"),
    ],
)
def test_a_short_spelling_means_the_long_one(text: str, same: str) -> None:
    assert parse_expression(text) == parse_expression(same)
