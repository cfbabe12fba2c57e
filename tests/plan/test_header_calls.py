from tests.plan.asking import job
from tests.plan.making import value

from velostream.plan.header_calls import as_written, for_spark, reading
from velostream.sql.printing.text import print_sql, spark_sql
from velostream.types import STRING


def test_header_names_the_field_that_holds_the_headers() -> None:
    tree = reading(value("UPPER(HEADER('k'))", STRING).tree, "t._headers")
    assert print_sql(tree) == "UPPER(HEADER('k', `t._headers`))"
    assert print_sql(as_written(tree)) == "UPPER(HEADER('k'))"


def test_it_is_named_once_and_inside_too() -> None:
    once = reading(value("HEADER(HEADER('k'))", STRING).tree, "t._headers")
    assert print_sql(reading(once, "t._headers")) == print_sql(once)
    assert print_sql(once) == "HEADER(HEADER('k', `t._headers`), `t._headers`)"


def test_spark_reads_the_field() -> None:
    tree = for_spark(reading(value("HEADER('k')", STRING).tree, "t._headers"))
    assert "FILTER(`t._headers`" in spark_sql(tree).replace("filter", "FILTER")
    assert "_headers" not in spark_sql(tree).replace("`t._headers`", "")


def test_a_source_without_headers_has_none_to_read() -> None:
    tree = reading(value("HAS_HEADER('k') OR HEADER('k') = 'x' OR HEADER_KEYS() = ''").tree, "")
    assert print_sql(tree) == "FALSE OR CAST(NULL AS STRING) = 'x' OR '' = ''"


def test_the_plan_shows_it_as_it_was_written() -> None:
    from velostream.plan.explain.text import tree

    text = tree(job("SELECT HEADER('trace') AS trace FROM trades WHERE HAS_HEADER('x')").root)
    assert "trace = HEADER('trace')" in text
    assert "Filter HAS_HEADER('x')" in text
    assert "system columns: _headers" in text
