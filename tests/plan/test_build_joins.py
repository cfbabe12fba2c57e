from tests.plan.asking import found, job, planned

from velostream.plan.distances import distance
from velostream.plan.explain.node_text import TEXT
from velostream.plan.nodes import Bounds, JoinStreams, JoinTable, Node

NEAR = "q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time"


def test_a_join_asks_what_it_can_and_says_what_spark_asks_after_it() -> None:
    sql = """SELECT t.id FROM trades t JOIN quotes q WITHIN 5s ON t.symbol = q.symbol AND q.bid < t.price
        AND ROUND(t.price / q.bid) = 2"""
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert [str(each) for each in join.asked_after] == ["ROUND(t.price / q.bid) = 2"]
    assert len(join.conditions_on()) == 1
    assert [str(each) for each in join.uncertain] == ["ROUND(t.price / q.bid) = 2"]
    details = [text for _, text in TEXT(join)[1]]
    assert "q.bid < t.price" in details
    assert any(text.startswith("ROUND(t.price / q.bid) = 2 (asked after the join") for text in details)


def only(sql: str, kind: type[Node]) -> Node:
    [node] = found(job(sql).root, kind)
    return node


def test_conditions_beside_keys_and_bounds_are_kept() -> None:
    sql = f"SELECT t.id FROM trades t LEFT JOIN quotes q ON t.symbol = q.symbol AND {NEAR} AND q.bid < t.price"
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert join.bounds == Bounds(-5_000_000, 0)
    assert [str(pair) for pair in join.keys] == ["t.symbol = q.symbol"]
    assert [str(each) for each in join.residual] == ["q.bid < t.price"]


def test_the_columns_that_event_time_is_read_from_bound_a_join_too() -> None:
    sql = """SELECT t.id FROM trades t JOIN quotes q ON t.symbol = q.symbol
             AND q.quoted BETWEEN t.at - INTERVAL 5 SECONDS AND t.at + INTERVAL 1 SECOND"""
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert join.bounds == Bounds(-5_000_000, 1_000_000)
    assert join.residual == ()


def test_one_bound_alone_is_a_condition_and_not_lost() -> None:
    sql = """SELECT t.id FROM trades t JOIN quotes q ON t.symbol = q.symbol AND q._event_time <= t._event_time
             WITH ('state.ttl' = '1h')"""
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert join.bounds is None
    assert join.ttl == 3_600_000_000
    assert [str(each) for each in join.residual] == ["q._event_time <= t._event_time"]


def test_within_bounds_both_ways() -> None:
    join = only("SELECT t.id FROM trades t JOIN quotes q WITHIN 5s ON t.symbol = q.symbol", JoinStreams)
    assert isinstance(join, JoinStreams)
    assert join.bounds == Bounds(-5_000_000, 5_000_000)
    assert (join.left_time, join.right_time) == ("t._event_time", "q._event_time")


def test_within_and_a_bound_of_the_condition_hold_both() -> None:
    sql = "SELECT t.id FROM trades t LEFT JOIN quotes q WITHIN 5s ON t.symbol = q.symbol AND q.quoted >= t.at"
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert join.bounds == Bounds(0, 5_000_000)
    assert join.residual == ()


def test_a_grace_period_says_how_late_rows_of_a_join_may_be() -> None:
    sql = "SELECT t.id FROM trades t JOIN quotes q WITHIN 5s GRACE PERIOD 1 MINUTE ON t.symbol = q.symbol"
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert join.lateness.allowed == 60_000_000


def test_conditions_of_where_about_an_input_that_comes_later_wait_for_it() -> None:
    sql = f"SELECT t.id FROM trades t, quotes q, limits l WHERE t.symbol = q.symbol AND {NEAR} AND l.symbol = t.symbol"
    join = only(sql, JoinStreams)
    assert isinstance(join, JoinStreams)
    assert [str(pair) for pair in join.keys] == ["t.symbol = q.symbol"]
    assert join.bounds == Bounds(-5_000_000, 0)
    assert join.residual == ()


def test_a_row_without_the_time_that_a_bound_counts_from_meets_nothing() -> None:
    sql = f"""SELECT t.id FROM trades t LEFT JOIN quotes q ON t.symbol = q.symbol AND {NEAR}
              LEFT JOIN quotes r ON r.symbol = t.symbol
                AND r.quoted BETWEEN {{0}} AND {{0}} + INTERVAL 1 SECOND"""
    behind = found(job(sql.format("q.quoted")).root, JoinStreams)[0]
    assert isinstance(behind, JoinStreams)
    assert [str(each) for each in behind.residual] == ["q.quoted IS NOT NULL"]
    own = found(job(sql.format("t.at")).root, JoinStreams)[0]
    assert isinstance(own, JoinStreams)
    assert own.residual == ()


def test_times_of_joined_rows_lie_as_far_apart_as_their_bounds() -> None:
    sql = f"""SELECT t.id FROM trades t JOIN quotes q ON t.symbol = q.symbol AND {NEAR}
              JOIN quotes r ON r.symbol = q.symbol
                AND r._event_time BETWEEN q._event_time AND q._event_time + INTERVAL 1 SECOND"""
    upper, lower = found(job(sql).root, JoinStreams)
    assert distance(lower, "t._event_time") == (0, 0)
    assert distance(lower, "q._event_time") == (-5_000_000, 0)
    assert distance(upper, "q._event_time") == (0, 0)
    assert distance(upper, "t._event_time") == (0, 5_000_000)
    assert distance(upper, "r._event_time") == (0, 1_000_000)


def test_a_third_stream_is_bounded_by_the_stream_that_its_condition_names() -> None:
    sql = f"""SELECT t.id FROM trades t JOIN quotes q ON t.symbol = q.symbol AND {NEAR}
              JOIN quotes r ON r.symbol = q.symbol
                AND r._event_time BETWEEN q._event_time AND q._event_time + INTERVAL 1 SECOND"""
    joins = found(job(sql).root, JoinStreams)
    upper = joins[0]
    assert isinstance(upper, JoinStreams)
    assert upper.left_time == "q._event_time"
    assert upper.bounds == Bounds(0, 1_000_000)


def test_a_table_on_the_left_changes_places_with_the_stream() -> None:
    join = only("SELECT t.id FROM limits l JOIN trades t ON l.symbol = t.symbol", JoinTable)
    assert isinstance(join, JoinTable)
    assert join.left.fields.names[0].startswith("t.")
    assert [str(pair) for pair in join.keys] == ["t.symbol = l.symbol"]


def test_strategies_for_missing_data_come_from_the_join_or_the_table() -> None:
    sql = "SELECT t.id, l.owner FROM trades t {kind} JOIN limits l ON l.symbol = t.symbol {rest}"
    inner = only(sql.format(kind="", rest=""), JoinTable)
    left = only(sql.format(kind="LEFT", rest=""), JoinTable)
    chosen = only(
        sql.format(kind="LEFT", rest="WITH ('limits.missing.data.strategy' = 'use_defaults(owner = ''nobody'')')"),
        JoinTable,
    )
    assert isinstance(inner, JoinTable)
    assert isinstance(left, JoinTable)
    assert isinstance(chosen, JoinTable)
    assert inner.missing.strategy == "skip_record"
    assert left.missing.strategy == "emit_with_nulls"
    assert [(name, str(value)) for name, value in chosen.missing.defaults] == [("l.owner", "'nobody'")]


def test_a_strategy_holds_wherever_the_table_stands() -> None:
    for text in (
        "SELECT t.id FROM limits l JOIN trades t ON l.symbol = t.symbol",
        "SELECT t.id FROM limits RIGHT JOIN trades t ON limits.symbol = t.symbol",
        "SELECT t.id FROM trades t LEFT JOIN (SELECT symbol FROM limits) x ON x.symbol = t.symbol",
        "WITH c AS (SELECT symbol FROM limits) SELECT t.id FROM trades t LEFT JOIN c ON c.symbol = t.symbol",
    ):
        join = only(f"{text} WITH ('limits.missing.data.strategy' = 'fail_fast')", JoinTable)
        assert isinstance(join, JoinTable)
        assert join.missing.strategy == "fail_fast", text


def test_as_of_a_time_waits_for_the_version_and_as_of_now_does_not() -> None:
    sql = """SELECT t.id, l.owner FROM trades t JOIN limits FOR SYSTEM_TIME AS OF {time} AS l ON l.symbol = t.symbol
             WITH ('limits.version.time' = 'since')"""
    then = only(sql.format(time="t._event_time"), JoinTable)
    now = only(sql.format(time="PROCTIME()"), JoinTable)
    assert isinstance(then, JoinTable)
    assert isinstance(now, JoinTable)
    assert str(then.as_of) == "t._event_time"
    assert then.keeps_state
    assert now.as_of is None
    assert not now.keeps_state


def test_tables_load_in_rounds_by_what_they_read() -> None:
    application = planned(
        """CREATE TABLE spent AS SELECT t.symbol, SUM(t.price) AS s FROM trades t JOIN limits l ON l.symbol = t.symbol
             GROUP BY t.symbol EMIT CHANGES WITH ('state.ttl' = '1d');
           CREATE TABLE seen AS SELECT t.symbol, COUNT(*) AS n FROM trades t JOIN spent s ON s.symbol = t.symbol
             GROUP BY t.symbol EMIT CHANGES WITH ('state.ttl' = '1d')"""
    )
    assert application.table_order == (("limits",), ("spent",), ("seen",))
    assert application.job("SEEN") is not None
    assert application.job("nothing") is None


def test_a_part_of_a_key_may_meet_several_rows_also_where_the_rest_of_it_is_not_read() -> None:
    sql = """CREATE TABLE caps (symbol STRING PRIMARY KEY, grade INT PRIMARY KEY, cap INT)
             WITH ('type' = 'file_source', 'path' = 'caps.csv', 'format' = 'csv');
             SELECT t.id, c.cap FROM trades t LEFT JOIN caps c ON """
    part, whole = (
        only(sql + "c.symbol = t.symbol", JoinTable),
        only(sql + "c.symbol = t.symbol AND c.grade = t.quantity", JoinTable),
    )
    assert isinstance(part, JoinTable)
    assert isinstance(whole, JoinTable)
    assert (part.meets_one, whole.meets_one) == (False, True)
