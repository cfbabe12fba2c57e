"""What may follow a call: row windows, FILTER, WITHIN GROUP, NULLS."""

import pytest
from sqlglot import exp
from tests.sql.parsing import first, marked, select

from velostream.durations import MINUTE
from velostream.sql.nodes import RowWindow


def call(text: str) -> exp.Expr:
    found: exp.Expr = select(f"SELECT {text} FROM s").expressions[0]
    return found


def test_a_buffer_has_all_its_parts() -> None:
    found = call(
        "AVG(x) OVER (ROWS WINDOW BUFFER 100 ROWS PARTITION BY a, b ORDER BY t"
        " ROWS BETWEEN 9 PRECEDING AND CURRENT ROW EXPIRE AFTER 5m EMIT EVERY RECORD)"
    )
    assert isinstance(found, RowWindow)
    buffer = found.args["buffer"]
    assert buffer.this.name == "100"
    assert buffer.args["expire"].micros == 5 * MINUTE
    assert buffer.args["emit"] == "EVERY RECORD"
    assert [key.name for key in found.args["partition_by"]] == ["a", "b"]
    assert found.args["order"].expressions[0].this.name == "t"
    assert found.args["spec"].args["start_side"] == "PRECEDING"


def test_a_buffer_needs_nothing_but_its_size() -> None:
    found = call("SUM(x) OVER (ROWS WINDOW BUFFER 10 ROWS)")
    assert isinstance(found, RowWindow)
    assert not found.args["buffer"].args.get("emit")
    full = call("SUM(x) OVER (ROWS WINDOW BUFFER 10 ROWS EMIT ON BUFFER FULL)")
    assert full.args["buffer"].args["emit"] == "ON BUFFER FULL"


def test_over_of_the_standard() -> None:
    found = call(
        "LAG(x, 1) IGNORE NULLS OVER (w PARTITION BY a ORDER BY b"
        " RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND 2 FOLLOWING)"
    )
    assert type(found) is exp.Window
    assert isinstance(found.this, exp.IgnoreNulls)
    assert found.alias == "w"
    spec = found.args["spec"]
    assert (spec.args["kind"], spec.args["end"].name, spec.args["end_side"]) == ("RANGE", "2", "FOLLOWING")


def test_over_with_a_window_s_name_only() -> None:
    found = call("ROW_NUMBER() OVER w")
    assert isinstance(found, exp.Window)
    assert found.alias == "w"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SUM(x) FILTER (WHERE y > 1)", exp.Filter),
        ("LISTAGG(x, ',') WITHIN GROUP (ORDER BY y)", exp.WithinGroup),
        ("FIRST(x) RESPECT NULLS", exp.RespectNulls),
        ("SUM(x) FILTER (WHERE y) OVER (ORDER BY z)", exp.Window),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY y) FILTER (WHERE z)", exp.Filter),
    ],
)
def test_what_follows_a_call_is_around_it(text: str, kind: type[exp.Expr]) -> None:
    assert type(call(text)) is kind


@pytest.mark.parametrize(
    ("order", "descending", "nulls_first"),
    [
        ("a", None, True),
        ("a ASC", False, True),
        ("a DESC", True, False),
        ("a NULLS LAST", None, False),
        ("a DESC NULLS FIRST", True, True),
        ("a ASC NULLS FIRST", False, True),
    ],
)
def test_nulls_are_first_where_spark_has_them_first(order: str, descending: bool | None, nulls_first: bool) -> None:
    found = first(f"SELECT a FROM s ORDER BY {order}", exp.Ordered)
    assert (found.args.get("desc"), found.args["nulls_first"]) == (descending, nulls_first)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("SUM(x) OVER (ROWS WINDOW BUFFER x ROWS)", "x"),
        ("SUM(x) OVER (ROWS WINDOW BUFFER 10)", ")"),
        ("SUM(x) OVER (ROWS BETWEEN 1 PRECEDING)", ")"),
        ("SUM(x) OVER (ROWS 1)", ")"),
        ("SUM(x) OVER (ORDER BY a EXPIRE AFTER 5m)", "EXPIRE"),
        ("SUM(x) FILTER (y > 1)", "y"),
        ("ARRAY_AGG(x ORDER BY y)", "ORDER"),
    ],
)
def test_a_row_window_that_is_not_understood_is_refused(text: str, at: str) -> None:
    assert marked(f"SELECT {text} FROM s") == at
