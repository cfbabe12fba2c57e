from textwrap import dedent

from tests.plan.asking import around, found, job

from velostream.plan.nodes import Deduplicate, Filter
from velostream.plan.passes.push_conditions import push_conditions


def pushed(sql: str) -> str:
    return around(push_conditions, sql)[1]


def test_conditions_on_keys_go_below_a_window_and_others_stay_above() -> None:
    before, after = around(
        push_conditions,
        """SELECT symbol, n FROM (
             SELECT symbol, price * 2 AS p, COUNT(*) AS n FROM trades
             GROUP BY symbol, price * 2 WINDOW TUMBLING(1m)) AS x
           WHERE symbol <> 'A' AND n > 3 AND p > 5""",
    )
    assert before == dedent("""\
        Print
          Project
            Filter x.symbol <> 'A' AND x.n > 3 AND x.p > 5
              Project
                Project
                  Aggregate by trades.symbol, trades.price * 2 in TUMBLING(1m)
                    Scan trades [kafka_source]""")
    assert after == dedent("""\
        Print
          Project
            Project
              Project
                Filter COUNT(*) > 3
                  Aggregate by trades.symbol, trades.price * 2 in TUMBLING(1m)
                    Filter trades.symbol <> 'A' AND trades.price * 2 > 5
                      Scan trades [kafka_source]""")


def test_having_on_keys_goes_below_and_still_counts_as_having() -> None:
    root = job(
        """SELECT symbol, COUNT(*) AS n FROM trades WHERE price > 1 GROUP BY symbol WINDOW TUMBLING(1m)
           HAVING symbol <> 'A' AND COUNT(*) > 1"""
    ).root
    filters = [node for node in found(root, Filter) if isinstance(node, Filter)]
    assert [(str(node.condition), node.status) for node in filters] == [
        ("COUNT(*) > 1", "in_results"),
        ("trades.symbol <> 'A'", "in_results"),
        ("trades.price > 1", "filtered"),
    ]


def test_conditions_go_to_their_side_of_a_join_but_not_below_the_side_that_gets_nulls() -> None:
    after = pushed(
        """SELECT t.symbol FROM trades t
           LEFT JOIN quotes q ON t.symbol = q.symbol
             AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time
           JOIN limits l ON l.symbol = t.symbol
           WHERE t.quantity > 1 AND q.bid > 2 AND l.most > 3"""
    )
    assert after == dedent("""\
        Print
          Project
            Filter l.most > 3
              INNER JOIN stream-table ON t.symbol = l.symbol
                Filter q.bid > 2
                  LEFT JOIN stream-stream ON t.symbol = q.symbol
                    Filter t.quantity > 1
                      Scan trades AS t [kafka_source]
                    Scan quotes AS q [kafka_source]
                Table limits AS l [file_source]""")


def test_an_inner_join_of_streams_lets_conditions_down_to_both_sides() -> None:
    after = pushed(
        """SELECT t.symbol FROM trades t JOIN quotes q ON t.symbol = q.symbol
             AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time
           WHERE t.price > 1 AND q.bid > 2 AND t.price > q.bid"""
    )
    assert after == dedent("""\
        Print
          Project
            Filter t.price > q.bid
              INNER JOIN stream-stream ON t.symbol = q.symbol
                Filter t.price > 1
                  Scan trades AS t [kafka_source]
                Filter q.bid > 2
                  Scan quotes AS q [kafka_source]""")


def test_tables_among_themselves_take_conditions_on_either_side() -> None:
    after = pushed("SELECT a.symbol FROM limits a JOIN limits b ON a.symbol = b.symbol WHERE a.most > 1 AND b.most > 2")
    assert after == dedent("""\
        Print
          Project
            INNER JOIN table-table ON a.symbol = b.symbol
              Filter a.most > 1
                Table limits AS a [file_source]
              Filter b.most > 2
                Table limits AS b [file_source]""")


def test_conditions_go_below_unnest_subqueries_and_into_every_side_of_a_union() -> None:
    after = pushed(
        """SELECT s, p FROM (
             SELECT symbol AS s, price AS p FROM trades CROSS JOIN UNNEST(tags) AS u(tag)
             WHERE tag <> 'x' AND quantity > 1 AND symbol IN (SELECT symbol FROM limits)
             UNION ALL SELECT symbol, bid FROM quotes) AS x
           WHERE s <> 'A'"""
    )
    assert after == dedent("""\
        Print
          Project
            Project
              Union of 2
                Project
                  Filter trades.symbol IN limits
                    Subquery trades.symbol IN limits
                      Filter u.tag <> 'x'
                        UNNEST trades.tags
                          Filter trades.quantity > 1 AND trades.symbol <> 'A'
                            Scan trades [kafka_source]
                      Project
                        Table limits [file_source]
                Project
                  Filter quotes.symbol <> 'A'
                    Scan quotes [kafka_source]""")


def test_before_deduplication_only_its_key_may_be_looked_at() -> None:
    sql = """SELECT id FROM trades WHERE id <> 'x' AND price > 1
             WITH ('trades.dedup.key' = 'id', 'trades.dedup.ttl' = '1h')"""
    assert pushed(sql) == dedent("""\
        Print
          Project
            Filter trades.price > 1
              Deduplicate by trades.id
                Filter trades.id <> 'x'
                  Scan trades [kafka_source]""")
    [node] = found(job(sql).root, Deduplicate)
    assert isinstance(node, Deduplicate)
    assert node.ttl == 3_600_000_000


def test_a_condition_does_not_go_below_a_limit_or_a_row_number() -> None:
    limited = pushed(
        "SELECT s FROM (SELECT sensor AS s, level AS v FROM readings ORDER BY level LIMIT 3) AS x WHERE v > 1"
    )
    assert limited.index("Filter") < limited.index("Order by")
    ranked = pushed(
        """SELECT symbol FROM (SELECT symbol, price,
             LAG(price) OVER (PARTITION BY symbol ORDER BY _event_time) AS before FROM trades) AS x
           WHERE price > 1 AND symbol = 'A'"""
    )
    assert ranked == dedent("""\
        Print
          Project
            Project
              Project
                Filter trades.price > 1
                  RowWindows partition by trades.symbol, order by trades._event_time
                    Filter trades.symbol = 'A'
                      Scan trades [kafka_source]""")


def test_a_condition_goes_below_distinct_and_below_headers() -> None:
    after = pushed(
        """SELECT s FROM (SELECT DISTINCT symbol AS s, SET_HEADER('k', 'v') FROM trades) AS x WHERE s <> 'A'
           WITH ('state.ttl' = '1d')"""
    )
    assert after == dedent("""\
        Print
          Project
            Project
              Distinct s
                Project
                  Headers
                    Filter trades.symbol <> 'A'
                      Scan trades [kafka_source]""")


def test_what_chance_decides_stays_where_it_stands() -> None:
    after = pushed("SELECT s FROM (SELECT symbol AS s, RAND() AS r FROM trades) AS x WHERE r < 0.5 AND RAND() < 0.5")
    assert after == dedent("""\
        Print
          Project
            Filter RAND() < 0.5
              Project
                Filter r < 0.5
                  Project
                    Scan trades [kafka_source]""")
