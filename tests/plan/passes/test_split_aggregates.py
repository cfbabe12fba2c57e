import pytest
from tests.plan.asking import around, found, job

from velostream.plan.nodes import Aggregate, Deduplicate, JoinStreams, RowWindows, TopN
from velostream.plan.passes.split_aggregates import split_aggregates


def aggregate(sql: str) -> Aggregate:
    node = found(job(sql).root, Aggregate)[0]
    assert isinstance(node, Aggregate)
    return node


def test_what_aggregates_read_is_computed_before_and_what_reads_them_after() -> None:
    sql = """SELECT UPPER(sensor) AS s, SUM(level * grade) AS v, AVG(level) FILTER (WHERE grade > 1) AS a,
               MAX(level) - MIN(level) AS spread
             FROM readings GROUP BY UPPER(sensor) WINDOW TUMBLING(1m)"""
    before, after = around(split_aggregates, sql, "computes", "combines")
    calls = "SUM(readings.level * readings.grade), AVG(readings.level) FILTER (WHERE readings.grade > 1)"
    calls += ", MAX(readings.level), MIN(readings.level)"
    assert before.splitlines()[3:] == [
        "    Aggregate by UPPER(readings.sensor) in TUMBLING(1m)",
        f"      - computes: {calls}",
        "      Scan readings [file_source, bounded]",
    ]
    assert after.splitlines()[3:] == [
        "    Aggregate by UPPER(readings.sensor) in TUMBLING(1m)",
        f"      - computes: {calls}",
        "      - combines: before the shuffle: all aggregates merge",
        "      Project",
        "        - computes: UPPER(readings.sensor), readings.level * readings.grade, readings.grade > 1",
        "        Scan readings [file_source, bounded]",
    ]


def test_the_same_aggregate_is_computed_once() -> None:
    node = aggregate(
        """SELECT symbol, COUNT(*) AS n, COUNT(*) * 2 AS twice, SUM(price) / COUNT(*) AS mean FROM trades
           GROUP BY symbol WINDOW TUMBLING(1m) HAVING COUNT(*) > 1 AND SUM(price) > 3"""
    )
    assert [call.name for call in node.calls] == ["COUNT(*)", "SUM(trades.price)"]


def test_every_stateful_node_reads_plain_fields() -> None:
    sqls = [
        "SELECT UPPER(symbol) AS s, SUM(price * 2) AS v FROM trades GROUP BY UPPER(symbol) WINDOW TUMBLING(1m)",
        """SELECT t.id FROM trades t JOIN quotes q ON UPPER(t.symbol) = LOWER(q.symbol)
             AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time""",
        "SELECT LAG(price * 2) OVER (PARTITION BY UPPER(symbol) ORDER BY _event_time) AS p FROM trades",
        """SELECT id FROM (
             SELECT id, ROW_NUMBER() OVER (PARTITION BY UPPER(symbol) ORDER BY price * 2) AS n FROM trades) AS x
           WHERE n <= 2""",
    ]
    for sql in sqls:
        nodes = [node for node in job(sql).root.walk() if node.keeps_state]
        assert [type(node) for node in nodes] != []
        for node in nodes:
            assert isinstance(node, Aggregate | JoinStreams | RowWindows | TopN | Deduplicate)
            assert all(expression.is_field for expression in node.expressions)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)", ""),
        ("SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW SESSION(1m)", ""),
        ("SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW SESSION(1m, MAX 1h)", "single events"),
        (
            "SELECT symbol, ARRAY_AGG(id) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)",
            "ARRAY_AGG(trades.id) needs",
        ),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) EMIT CHANGES",
            "for each record",
        ),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) EMIT CHANGES "
            "WITH ('emit.granularity' = 'batch')",
            "",
        ),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) EMIT EVERY 10 ROWS",
            "one by one",
        ),
    ],
)
def test_rows_are_combined_before_the_shuffle_unless_something_needs_them(sql: str, reason: str) -> None:
    combining = aggregate(sql).combining
    assert combining is not None
    assert combining.before_shuffle is not bool(reason)
    assert reason in combining.reason


def test_rows_that_may_be_replaced_are_not_combined() -> None:
    node = aggregate(
        """CREATE STREAM minutes AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)
             WITH ('allowed.lateness' = '1m');
           SELECT symbol, SUM(n) AS t FROM minutes GROUP BY symbol WINDOW TUMBLING(1h)"""
    )
    assert node.combining is not None
    assert node.combining.reason == "rows of the input may be replaced"
    assert node.replaces == ("minutes.symbol", "minutes._window_start")
