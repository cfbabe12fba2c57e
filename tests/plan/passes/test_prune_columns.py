from tests.plan.asking import around, found, job, planned

from velostream.plan.nodes import Headers, JoinTable, RowWindows, Scan, SubqueryCheck, TableScan, Union
from velostream.plan.passes.prune_columns import prune_columns


def columns(sql: str) -> list[str]:
    return [member.name for scan in job(sql).scans for member in scan.columns]


def test_sources_and_tables_give_only_what_is_read() -> None:
    sql = """SELECT t.symbol, COUNT(*) AS n FROM trades t JOIN limits l ON l.symbol = t.symbol
             GROUP BY t.symbol WINDOW TUMBLING(1m)"""
    before, after = around(prune_columns, sql, "columns", "system columns", "carries", "computes")
    assert "- columns: id, symbol, price, quantity, tags, at" in before
    assert "- columns: symbol, most, owner, since" in before
    assert "_headers = LAST(t._headers)" in before
    assert after.splitlines() == [
        "Print",
        "  Project",
        "    Aggregate by t.symbol in TUMBLING(1m)",
        "      - computes: COUNT(*)",
        "      INNER JOIN stream-table ON t.symbol = l.symbol",
        "        Scan trades AS t [kafka_source]",
        "          - columns: symbol",
        "          - system columns: _event_time, _partition, _offset, _source",
        "        Table limits AS l [file_source]",
        "          - columns: symbol",
    ]


def test_without_state_not_even_event_time_is_kept() -> None:
    assert columns("SELECT symbol FROM trades WHERE price > 1") == ["trades.symbol", "trades.price"]


def test_kafka_gets_event_time_and_headers_of_its_rows() -> None:
    sink = "INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 't', 'o.bootstrap.servers' = 'localhost:9092')"
    assert columns(f"SELECT symbol FROM trades {sink}") == ["trades.symbol", "trades._event_time", "trades._headers"]


def test_calls_subqueries_and_headers_that_nobody_reads_go() -> None:
    application = planned(
        """CREATE STREAM rich AS SELECT symbol, (SELECT MAX(most) FROM limits) AS m,
             LAG(price) OVER (PARTITION BY symbol ORDER BY _event_time) AS before, SET_HEADER('k', 'v')
           FROM trades;
           SELECT symbol FROM rich"""
    )
    root = application.jobs[0].root
    assert not any(isinstance(node, SubqueryCheck | RowWindows | Headers | TableScan) for node in root.walk())


def test_a_buffer_stays_since_it_decides_when_rows_go_out() -> None:
    root = job(
        """SELECT symbol FROM (SELECT symbol, AVG(price) OVER (ROWS WINDOW BUFFER 10 ROWS PARTITION BY symbol
             EMIT ON BUFFER FULL) AS a FROM trades) AS x"""
    ).root
    assert found(root, RowWindows)


def test_sides_of_a_union_keep_the_same_columns_in_the_same_places() -> None:
    root = job(
        """SELECT p FROM (SELECT symbol AS s, price AS p FROM trades UNION ALL
             SELECT DISTINCT symbol, bid FROM quotes) AS x WITH ('state.ttl' = '1d')"""
    ).root
    [union] = found(root, Union)
    assert [[member.name for member in side.fields.visible] for side in union.children] == [["p"], ["bid"]]


def test_what_a_metric_reads_is_kept() -> None:
    application = planned(
        """-- @metric: seen_total
           -- @metric_type: counter
           -- @metric_condition: price > 10
           SELECT symbol, price FROM trades"""
    )
    assert "trades.price" in [member.name for member in application.jobs[0].scans[0].columns]


def test_values_lose_the_columns_that_nobody_reads() -> None:
    [scan] = found(job("SELECT sensor FROM readings").root, Scan)
    assert scan.fields.names == ("readings.sensor",)


def test_a_default_goes_with_its_column() -> None:
    sql = """SELECT t.id, l.owner FROM trades t LEFT JOIN limits l ON l.symbol = t.symbol WITH (
               'limits.missing.data.strategy' = 'use_defaults(owner = ''none'', most = 1)')"""
    [join] = found(job(sql).root, JoinTable)
    assert [name for name, _ in join.missing.defaults] == ["l.owner"]
    assert join.missing.strategy == "use_defaults"
