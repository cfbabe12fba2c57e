from tests.plan.asking import job, planned

from velostream.plan.lineage import JobLineage, Origin, lineage_of


def lineage(sql: str) -> JobLineage:
    return lineage_of(job(sql))


def columns(sql: str) -> dict[str, set[str]]:
    [output] = lineage(sql).outputs
    return {name: {str_of(origin) for origin in origins} for name, origins in output.columns.items()}


def str_of(origin: Origin) -> str:
    return f"{origin.how} {origin.source}.{origin.column}"


def influences(sql: str) -> set[str]:
    return {str_of(origin) for origin in lineage(sql).influences}


def test_a_column_that_is_passed_on_is_itself() -> None:
    assert columns("SELECT symbol AS s FROM trades") == {"s": {"identity trades.symbol"}}


def test_an_expression_comes_from_all_that_it_reads() -> None:
    found = columns("SELECT price * quantity AS value, 1 AS one, CONCAT(symbol, id) AS name FROM trades")
    assert found == {
        "value": {"expression trades.price", "expression trades.quantity"},
        "one": set(),
        "name": {"expression trades.symbol", "expression trades.id"},
    }


def test_an_aggregate_stays_one_through_later_expressions() -> None:
    sql = """SELECT symbol, SUM(price * quantity) / SUM(quantity) AS vwap, COUNT(*) AS n, _window_start AS start
             FROM trades WHERE id <> 'x' GROUP BY symbol WINDOW TUMBLING(1m) HAVING MAX(price) > 1"""
    assert columns(sql) == {
        "symbol": {"identity trades.symbol"},
        "vwap": {"aggregate trades.price", "aggregate trades.quantity"},
        "n": set(),
        "start": {"expression trades.at"},
    }
    assert influences(sql) == {
        "filter trades.id",
        "filter trades.price",
        "group trades.symbol",
        "window trades.at",
    }


def test_a_filter_inside_an_aggregate_is_part_of_its_value() -> None:
    sql = "SELECT COUNT(*) FILTER (WHERE price > 1) AS n FROM trades WINDOW TUMBLING(1m)"
    assert columns(sql) == {"n": {"aggregate trades.price"}}


def test_joins_bring_columns_from_both_sides_and_keys_decide() -> None:
    sql = """SELECT t.id, l.owner, q.bid FROM trades t JOIN limits l ON l.symbol = t.symbol
             JOIN quotes q ON q.symbol = t.symbol
               AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time"""
    assert columns(sql) == {
        "id": {"identity trades.id"},
        "owner": {"identity limits.owner"},
        "bid": {"identity quotes.bid"},
    }
    assert influences(sql) == {
        "join trades.symbol",
        "join limits.symbol",
        "join quotes.symbol",
        "join trades.at",
        "join quotes.quoted",
    }


def test_lineage_goes_through_fused_streams_to_the_sources() -> None:
    sql = """CREATE STREAM minutes AS
               SELECT symbol, SUM(price) AS total FROM trades GROUP BY symbol WINDOW TUMBLING(1m);
             SELECT m.total * 2 AS twice FROM minutes m"""
    assert columns(sql) == {"twice": {"aggregate trades.price"}}


def test_subqueries_unnest_unions_and_row_windows_are_followed() -> None:
    asked = columns("SELECT id, symbol IN (SELECT symbol FROM limits WHERE most > 1) AS known FROM trades")
    assert asked["known"] == {"expression trades.symbol", "expression limits.symbol"}
    assert columns("SELECT tag FROM trades CROSS JOIN UNNEST(tags) AS u(tag)") == {"tag": {"expression trades.tags"}}
    both = columns("SELECT symbol FROM trades UNION ALL SELECT symbol FROM quotes")
    assert both == {"symbol": {"identity trades.symbol", "identity quotes.symbol"}}
    over = columns("SELECT LAG(price) OVER (PARTITION BY symbol ORDER BY _event_time) AS before FROM trades")
    assert over == {"before": {"aggregate trades.price"}}
    ranked = columns("SELECT ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY _event_time) AS n FROM trades")
    assert ranked == {"n": {"aggregate trades.symbol", "aggregate trades.at"}}


def test_what_orders_limits_and_deduplicates_decides_too() -> None:
    top = """SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY price DESC) AS n FROM trades)
             AS x WHERE n <= 3"""
    assert influences(top) == {"group trades.symbol", "sort trades.price"}
    distinct = "SELECT DISTINCT symbol FROM trades WITH ('trades.dedup.key' = 'id', 'state.ttl' = '1d')"
    assert influences(distinct) == {"deduplicate trades.id", "deduplicate trades.symbol"}
    assert influences("SELECT sensor FROM readings ORDER BY level LIMIT 3") == {"sort readings.level"}
    assert influences("SELECT sensor FROM readings ORDER BY level") == set()


def test_headers_that_are_written_come_from_what_they_are_made_of() -> None:
    sink = "INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 't', 'o.bootstrap.servers' = 'localhost:9092')"
    answer = lineage(f"SELECT symbol, SET_HEADER('id', id) FROM trades {sink}")
    assert [output.name for output in answer.outputs] == ["o"]


def test_every_sink_and_table_is_an_output_and_the_lineage_is_plain_data() -> None:
    application = planned(
        """CREATE TABLE seen AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol EMIT CHANGES
           INTO out WITH ('state.ttl' = '1d', 'out.type' = 'file_sink', 'out.path' = 'out')"""
    )
    data = lineage_of(application.jobs[0]).data()
    assert data["outputs"] == [
        {
            "name": "seen",
            "kind": "table",
            "columns": {"symbol": [{"source": "trades", "column": "symbol", "how": "identity"}], "n": []},
        },
        {
            "name": "out",
            "kind": "file_sink",
            "columns": {
                "symbol": [{"source": "trades", "column": "symbol", "how": "identity"}],
                "n": [],
                "_emission": [],
                "_revision": [],
            },
        },
    ]
    assert data["influences"] == [{"source": "trades", "column": "symbol", "how": "group"}]


def test_tables_of_other_statements_are_sources_by_their_names() -> None:
    application = planned(
        """CREATE TABLE seen AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol EMIT CHANGES
             WITH ('state.ttl' = '1d');
           SELECT t.id, s.n FROM trades t LEFT JOIN seen s ON s.symbol = t.symbol"""
    )
    [output] = lineage_of(application.jobs[1]).outputs
    assert output.columns["n"] == (Origin("seen", "n", "identity"),)
