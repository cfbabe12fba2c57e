"""One SELECT: what its rows are, what travels with them, what they are keyed by."""

from dataclasses import replace

import pytest
from tests.plan.asking import bound, built, found, job, outline, planned

from velostream.errors import VeloError
from velostream.functions import LIBRARY
from velostream.plan.build import build
from velostream.plan.expression import column
from velostream.plan.nodes import (
    Aggregate,
    Column,
    Headers,
    Materialise,
    Node,
    OrderLimit,
    Print,
    Project,
    RowWindows,
    Scan,
    Sinks,
    SubqueryCheck,
    Values,
)
from velostream.types import STRING
from velostream.validation.bound import BoundExpression, BoundOrder, BoundUnion

KAFKA = "INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 't', 'o.bootstrap.servers' = 'localhost:9092')"


def select_list(sql: str) -> Project:
    node = found(built(sql).jobs[-1].root, Project)[0]
    assert isinstance(node, Project)
    return node


def hidden(sql: str) -> dict[str, str]:
    return {each.name: str(each.expression) for each in select_list(sql).columns if each.system}


def test_rows_of_a_window_are_timed_by_its_end_unless_told_otherwise() -> None:
    windowed = "SELECT symbol, COUNT(*) AS n{more} FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"
    assert hidden(windowed.format(more=""))["_event_time"] == "_event_time"
    moved = hidden(windowed.format(more=", _window_start AS _event_time"))
    assert moved["_event_time"] == "_window_start"


def test_a_one_to_one_query_keeps_the_system_columns_of_its_input() -> None:
    assert hidden("SELECT symbol FROM trades")["_offset"] == "trades._offset"
    assert hidden("SELECT symbol FROM trades")["_headers"] == "trades._headers"


def test_an_outer_join_of_streams_takes_the_time_of_the_side_that_is_there() -> None:
    sql = """SELECT t.id FROM trades t FULL JOIN quotes q ON t.symbol = q.symbol
             AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time"""
    assert hidden(sql)["_event_time"] == "COALESCE(t._event_time, q._event_time)"


def test_a_system_column_that_is_selected_is_a_column() -> None:
    sql = "SELECT symbol, _window_start, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"
    assert [member.name for member in job(sql).root.fields.visible] == ["symbol", "_window_start", "n"]


@pytest.mark.parametrize(
    ("sql", "key"),
    [
        (f"SELECT id PRIMARY KEY, price FROM trades {KAFKA}", ("id",)),
        (f"SELECT symbol AS s, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) {KAFKA}", ("s",)),
        (f"SELECT COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) {KAFKA}", ("symbol",)),
        (f"SELECT symbol AS id, COUNT(*) AS symbol FROM trades GROUP BY symbol WINDOW TUMBLING(1m) {KAFKA}", ("id",)),
        (f"SELECT id, price FROM trades PARTITION BY symbol {KAFKA}", ("symbol",)),
        (f"SELECT id, price FROM trades {KAFKA}", ()),
        (
            f"SELECT symbol, id, COUNT(*) AS n FROM trades GROUP BY symbol, id WINDOW TUMBLING(1m) {KAFKA}",
            ("symbol", "id"),
        ),
    ],
)
def test_the_key_is_what_is_marked_else_partition_by_else_the_grouping(sql: str, key: tuple[str, ...]) -> None:
    [sinks] = found(job(sql).root, Sinks)
    assert isinstance(sinks, Sinks)
    assert sinks.targets[0].key == key


def test_a_key_of_several_columns_is_escaped_and_joined() -> None:
    sql = """CREATE STREAM m AS SELECT symbol, id, COUNT(*) AS n FROM trades GROUP BY symbol, id WINDOW TUMBLING(1m);
             SELECT _key AS k FROM m"""
    [made] = [each for each in _columns(job(sql).root) if each.name == "k"]
    text = str(made.expression)
    assert text.startswith("CONCAT(COALESCE(REPLACE(REPLACE(CAST(trades.symbol AS STRING)")
    assert "'|'" in text
    assert "'\\\\N'" in text or r"'\N'" in text


def _columns(node: Node) -> list[Column]:
    return [column for project in found(node, Project) if isinstance(project, Project) for column in project.columns]


def test_a_table_is_keyed_and_versioned() -> None:
    [made] = found(
        job(
            "CREATE TABLE seen AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WITH ('state.ttl' = '1d')"
        ).root,
        Materialise,
    )
    assert isinstance(made, Materialise)
    assert made.key == ("symbol",)
    assert made.version == "_event_time"


def test_order_by_what_is_not_selected_is_computed_along() -> None:
    root = job(
        """SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)
           ORDER BY SUM(price) DESC, n, symbol LIMIT 3"""
    ).root
    [order] = found(root, OrderLimit)
    assert isinstance(order, OrderLimit)
    assert [str(term) for term in order.order] == ["SUM(trades.price) DESC", "n", "symbol"]
    assert order.scope == "window"
    assert [member.name for member in root.fields.visible] == ["symbol", "n"]


@pytest.mark.parametrize(
    ("sql", "scope"),
    [
        ("SELECT sensor FROM readings ORDER BY sensor", "bounded"),
        ("SELECT sensor FROM readings LIMIT 3", "stops"),
        ("SELECT symbol FROM trades LIMIT 3", "stops"),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol ORDER BY n EMIT CHANGES",
            "console",
        ),
    ],
)
def test_order_and_limit_hold_over_what_can_be_ordered(sql: str, scope: str) -> None:
    [order] = found(job(sql).root, OrderLimit)
    assert isinstance(order, OrderLimit)
    assert order.scope == scope


def test_a_union_is_ordered_by_the_names_of_its_first_side() -> None:
    application = bound("SELECT sensor AS s FROM readings UNION ALL SELECT sensor FROM readings LIMIT 2")
    [*others, statement] = application.statements
    span = statement.parsed.span
    by_name = BoundOrder(BoundExpression(column("s"), STRING, span), descending=True, nulls_first=False)
    by_field = replace(by_name, expression=BoundExpression(column("readings.sensor"), STRING, span))
    assert isinstance(statement.query, BoundUnion)
    ordered = replace(statement, query=replace(statement.query, order=(by_name, by_field)))
    plan = build(replace(application, statements=(*others, ordered)), LIBRARY)
    [order] = found(plan.jobs[-1].root, OrderLimit)
    assert isinstance(order, OrderLimit)
    assert [str(term) for term in order.order] == ["s DESC", "s DESC"]


def test_three_sides_of_one_union_are_one_node() -> None:
    root = job("SELECT id FROM trades UNION ALL SELECT symbol FROM trades UNION ALL SELECT symbol FROM quotes").root
    assert outline(root).splitlines()[1].strip() == "Union of 3"


def test_union_without_all_is_distinct() -> None:
    root = job("SELECT symbol FROM trades UNION SELECT symbol FROM quotes WITH ('state.ttl' = '1d')").root
    assert outline(root).splitlines()[1].strip() == "Distinct symbol"


def test_headers_that_are_set_are_written_also_where_those_that_came_are_a_column() -> None:
    root = job(f"SELECT symbol, SET_HEADER('a', id), _headers FROM trades {KAFKA}").root
    assert isinstance(root, Sinks)
    [target] = root.targets
    assert root.shape(target).headers == "_edited_headers"
    assert "_headers" in root.shape(target).names
    assert "_edited_headers" in root.needs


def test_a_reader_takes_headers_as_the_stream_before_it_has_set_them() -> None:
    before = "CREATE STREAM first AS SELECT symbol, SET_HEADER('a', id), _headers FROM trades;"
    root = job(f"{before} SELECT symbol, HEADER('a') AS a, SET_HEADER('b', 'x') FROM first {KAFKA}").root
    [edits, _] = found(root, Headers)
    assert isinstance(edits, Headers)
    assert edits.base == "first._edited_headers"
    assert isinstance(root, Sinks)
    assert root.shape(root.targets[0]).headers == "_headers"


def test_headers_are_set_in_order_and_only_aliased_ones_are_columns() -> None:
    root = job(
        f"""SELECT symbol, SET_HEADER('a', id), SET_HEADER('b', UPPER(symbol)) AS b, REMOVE_HEADER('c') AS c,
              HEADER('a') AS before FROM trades {KAFKA}"""
    ).root
    [headers] = found(root, Headers)
    assert isinstance(headers, Headers)
    assert [(str(edit.key), edit.value and str(edit.value)) for edit in headers.edits] == [
        ("'a'", "trades.id"),
        ("'b'", "UPPER(trades.symbol)"),
        ("'c'", None),
    ]
    assert headers.base == "trades._headers"
    shown = {column.name: str(column.expression) for column in _columns(root)}
    assert shown["b"] == "UPPER(trades.symbol)"
    assert shown["c"] == "HEADER('c')"
    assert shown["before"] == "HEADER('a')"
    assert "set_header_a" not in shown
    assert shown["_headers"] == "_edited_headers"


def test_a_group_has_the_headers_of_its_last_event() -> None:
    root = job(f"SELECT symbol, HEADER('a') AS a FROM trades GROUP BY symbol WINDOW TUMBLING(1m) {KAFKA}").root
    [node] = found(root, Aggregate)
    assert isinstance(node, Aggregate)
    assert [(call.name, call.accumulator) for call in node.calls] == [("_headers", "last")]


def test_a_grouping_by_a_header_reads_the_records() -> None:
    [node] = found(
        job("SELECT HEADER('a') AS a, COUNT(*) AS n FROM trades GROUP BY HEADER('a') WINDOW TUMBLING(1m)").root,
        Aggregate,
    )
    assert isinstance(node, Aggregate)
    assert [key.name for key in node.keys] == ["HEADER('a')"]


def test_subqueries_become_fields_that_tables_answer() -> None:
    root = job(
        """SELECT id, (SELECT MAX(most) FROM limits) AS top,
             (SELECT COUNT(*) FROM limits l WHERE l.symbol = trades.symbol AND l.most > 1) AS n
           FROM trades
           WHERE quantity > ANY (SELECT most FROM limits) AND symbol NOT IN (SELECT symbol FROM limits)
             AND price <= ALL (SELECT most FROM limits WHERE limits.symbol = trades.symbol)"""
    ).root
    checks = {node.name: node for node in found(root, SubqueryCheck) if isinstance(node, SubqueryCheck)}
    assert set(checks) == {
        "(SELECT MAX(limits.most) FROM limits)",
        "(SELECT COUNT(*) FROM limits)",
        "trades.quantity > ANY limits",
        "trades.symbol IN limits",
        "trades.price <= ALL limits",
    }
    counted = checks["(SELECT COUNT(*) FROM limits)"]
    assert [str(each) for each in counted.conditions] == ["l.symbol = trades.symbol"]
    assert str(counted.empty) == "0"
    assert checks["(SELECT MAX(limits.most) FROM limits)"].empty is None
    assert checks["trades.price <= ALL limits"].operator == "<="
    assert [str(each) for each in checks["trades.price <= ALL limits"].conditions] == ["limits.symbol = trades.symbol"]


def test_the_same_subquery_is_asked_once_and_two_different_ones_are_numbered() -> None:
    root = job(
        """SELECT id FROM trades WHERE EXISTS (SELECT 1 FROM limits WHERE most > 1)
             OR EXISTS (SELECT 1 FROM limits WHERE most > 1) OR EXISTS (SELECT 1 FROM limits WHERE most > 2)"""
    ).root
    assert [node.name for node in found(root, SubqueryCheck) if isinstance(node, SubqueryCheck)] == [
        "EXISTS limits 2",
        "EXISTS limits",
    ]


def test_a_subquery_whose_alias_hides_the_one_outside_is_kept_apart() -> None:
    root = job("SELECT t.id FROM trades t WHERE t.symbol IN (SELECT t.symbol FROM limits t WHERE t.most > 1)").root
    [check] = found(root, SubqueryCheck)
    assert isinstance(check, SubqueryCheck)
    assert check.value.name == "symbol"


def test_a_subquery_that_cannot_be_asked_for_every_row_is_refused_with_a_way_out() -> None:
    sql = """SELECT id FROM trades WHERE quantity > (
        SELECT MAX(l.most) FROM limits l WHERE l.most < trades.quantity GROUP BY l.symbol)"""
    with pytest.raises(VeloError, match="is not an equality with the row outside") as refusal:
        build(bound(sql), LIBRARY)
    assert refusal.value.error_code == "subquery"
    assert "join the table" in refusal.value.hint


def test_an_aggregation_whose_rows_no_equality_finds_is_made_of_the_rows_that_are_found() -> None:
    sql = """SELECT id FROM trades WHERE quantity > (
        SELECT MAX(l.most) - COUNT(*) FROM limits l WHERE l.most < trades.quantity)"""
    checks = [node for node in found(job(sql).root, SubqueryCheck) if isinstance(node, SubqueryCheck)]
    assert sorted(check.fold for check in checks) == ["COUNT", "MAX"]
    assert all(str(check.conditions[0]).endswith("l.most < trades.quantity") for check in checks)


@pytest.mark.parametrize(
    ("subquery", "message"),
    [
        ("SELECT STDDEV(l.most) FROM limits l WHERE l.most < t.quantity", "otherwise than by = cannot compute STDDEV"),
        ("SELECT MAX(l.most + t.quantity) FROM limits l WHERE l.symbol = t.symbol", "only its WHERE may"),
        ("SELECT l.most + t.quantity FROM limits l WHERE l.symbol = t.symbol", "only its WHERE may"),
    ],
)
def test_what_a_subquery_cannot_make_of_its_rows_is_refused(subquery: str, message: str) -> None:
    with pytest.raises(VeloError, match=message) as refusal:
        build(bound(f"SELECT id FROM trades t WHERE quantity > ({subquery})"), LIBRARY)
    assert refusal.value.error_code == "subquery"
    assert refusal.value.hint


def test_what_aggregates_and_keys_ask_of_tables_is_asked_for_every_record() -> None:
    root = job(
        """SELECT symbol IN (SELECT symbol FROM limits) AS known,
             MAX(CASE WHEN EXISTS (SELECT 1 FROM limits l WHERE l.symbol = trades.symbol) THEN 1 END) AS found
           FROM trades GROUP BY symbol IN (SELECT symbol FROM limits) WINDOW TUMBLING(1m)
           HAVING COUNT(*) > (SELECT MAX(most) FROM limits)"""
    ).root
    titles = [line.strip() for line in outline(root).splitlines()]
    assert titles.index("Subquery (SELECT MAX(limits.most) FROM limits)") < titles.index(
        "Aggregate by trades.symbol IN limits in TUMBLING(1m)"
    )
    below = titles[titles.index("Aggregate by trades.symbol IN limits in TUMBLING(1m)") :]
    assert {"Subquery trades.symbol IN limits", "Subquery EXISTS limits"} <= set(below)


@pytest.mark.parametrize(
    "condition",
    [
        "quantity IN (SELECT most FROM limits WHERE symbol IN (SELECT symbol FROM limits))",
        "quantity > (SELECT MAX(most) FROM limits WHERE symbol NOT IN (SELECT symbol FROM limits))",
        "quantity IN (SELECT most FROM (SELECT most FROM limits WHERE symbol IN (SELECT symbol FROM limits)) q)",
    ],
)
def test_a_subquery_in_a_subquery_is_asked(condition: str) -> None:
    asked = outline(job(f"SELECT id FROM trades WHERE {condition}").root).splitlines()
    assert sum("Filter" in line for line in asked) == 2
    assert sum("Subquery" in line for line in asked) == 2


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            """SELECT id FROM trades s WHERE quantity IN (SELECT l.most FROM limits l WHERE l.symbol IN
                 (SELECT m.symbol FROM limits m WHERE m.symbol = s.symbol))""",
            "does so, and asks a table as well",
        ),
        ("SELECT t.id FROM trades t JOIN limits l ON l.most > (SELECT MAX(most) FROM limits)", "ON cannot ask a table"),
    ],
)
def test_a_subquery_where_it_cannot_be_asked_is_refused_with_a_way_out(sql: str, message: str) -> None:
    with pytest.raises(VeloError, match=message) as refusal:
        build(bound(sql), LIBRARY)
    assert refusal.value.error_code == "subquery"
    assert refusal.value.span is not None


def test_row_windows_over_groups_read_their_aggregates() -> None:
    root = job(
        """SELECT symbol, RANK() OVER (PARTITION BY _window_start ORDER BY COUNT(*) DESC) AS place,
             SUM(COUNT(*)) FILTER (WHERE COUNT(*) > 1) OVER (PARTITION BY _window_start) AS total
           FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"""
    ).root
    total, place = (node for node in found(root, RowWindows) if isinstance(node, RowWindows))
    assert [str(term) for term in place.order] == ["COUNT(*) DESC"]
    assert [str(each) for each in total.calls[0].arguments] == ["COUNT(*)"]
    assert total.per_window
    [groups] = found(root, Aggregate)
    assert isinstance(groups, Aggregate)
    assert [call.name for call in groups.calls] == ["COUNT(*)"]


@pytest.mark.parametrize(
    ("over", "per_window"),
    [
        ("RANK() OVER (ORDER BY COUNT(*) DESC)", True),
        ("NTILE(2) OVER (PARTITION BY id ORDER BY COUNT(*))", True),
        ("SUM(COUNT(*)) OVER ()", True),
        ("SUM(COUNT(*)) OVER (ORDER BY _window_start ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)", True),
        ("LAG(COUNT(*)) OVER (PARTITION BY symbol ORDER BY _window_start)", False),
        ("SUM(COUNT(*)) OVER (PARTITION BY symbol ORDER BY _window_end)", False),
        ("LEAD(COUNT(*)) OVER (PARTITION BY symbol ORDER BY _event_time)", False),
    ],
)
def test_over_in_a_window_is_over_its_groups_unless_it_goes_by_time(over: str, per_window: bool) -> None:
    root = job(f"SELECT symbol, id, {over} AS x FROM trades GROUP BY symbol, id WINDOW TUMBLING(1m)").root
    [node] = found(root, RowWindows)
    assert isinstance(node, RowWindows)
    assert node.per_window == per_window
    assert ({"_window_start", "_window_end"} <= {key.name for key in node.partition}) == per_window


def test_variables_of_lambdas_are_no_fields() -> None:
    root = job(
        """SELECT symbol, ARRAY_AGG(TRANSFORM(tags, x -> UPPER(x))) AS t FROM trades
           GROUP BY symbol WINDOW TUMBLING(1m)"""
    ).root
    [groups] = found(root, Aggregate)
    assert isinstance(groups, Aggregate)
    assert str(groups.calls[0].type) == "ARRAY<ARRAY<STRING>>"


def test_a_limit_in_a_subquery_that_reads_the_row_outside_is_refused() -> None:
    sql = "SELECT id FROM trades WHERE symbol IN (SELECT l.symbol FROM limits l WHERE l.most > trades.quantity LIMIT 3)"
    with pytest.raises(VeloError, match="LIMIT would hold over all rows"):
        build(bound(sql), LIBRARY)


def test_inserts_take_the_columns_of_their_target() -> None:
    target = (
        "CREATE STREAM sunk (symbol STRING, spent DECIMAL(10,2), extra INT) WITH ('type' = 'file_sink', 'path' = 'x');"
    )
    application = planned(
        target
        + "INSERT INTO sunk (spent, symbol) VALUES (1.5, 'a'), (2, 'b');"
        + "INSERT INTO sunk SELECT symbol, price, 1 FROM trades"
    )
    values, rows = application.jobs
    assert (values.kind, rows.kind) == ("insert", "insert")
    shown = {column.name: str(column.expression) for column in _columns(values.root)}
    assert shown == {
        "symbol": "symbol",
        "spent": "CAST(spent AS DECIMAL(10, 2))",
        "extra": "CAST(NULL AS INT)",
    }
    [written] = found(values.root, Values)
    assert isinstance(written, Values)
    assert len(written.rows) == 2
    cast = {column.name: str(column.expression) for column in _columns(rows.root)}
    assert cast["spent"] == "CAST(trades.price AS DECIMAL(10, 2))"


def test_a_select_without_from_is_one_row() -> None:
    root = job("SELECT 1 AS one, UPPER('a') AS a").root
    assert isinstance(root, Print)
    assert isinstance(root.children[0].children[0], Values)


def test_columns_of_an_open_source_are_those_that_are_read() -> None:
    root = job("SELECT user, UPPER(city) AS city FROM 'kafka://localhost:9092/raw' WHERE age > 3").root
    [scan] = found(root, Scan)
    assert isinstance(scan, Scan)
    assert scan.infers
    assert [member.name.split(".")[-1] for member in scan.columns if not member.system] == ["user", "city", "age"]


def test_explain_of_a_statement_is_no_job_that_runs() -> None:
    assert planned("EXPLAIN SELECT symbol FROM trades").jobs[0].kind == "explain"
