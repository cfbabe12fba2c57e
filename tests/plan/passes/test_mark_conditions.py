from tests.plan.asking import around, found, job

from velostream.plan.nodes import Filter, JoinTable
from velostream.plan.passes.mark_conditions import mark_conditions

LATE = " WITH ('allowed.lateness' = '1m')"


def modes(sql: str) -> list[tuple[str, str]]:
    nodes = [node for node in found(job(sql).root, Filter) if isinstance(node, Filter)]
    return [(str(node.condition), node.mode) for node in nodes]


def test_before_a_window_conditions_and_join_misses_mark_rows() -> None:
    sql = """SELECT t.symbol, COUNT(*) AS n FROM trades t JOIN limits l ON l.symbol = t.symbol WHERE t.price > 1
             GROUP BY t.symbol WINDOW TUMBLING(1m) HAVING COUNT(*) > 1"""
    before, after = around(mark_conditions, sql + LATE, "", "without a match")
    assert "marks rows" not in before
    assert after.splitlines() == [
        "Print",
        "  Project",
        "    - : symbol = t.symbol, n = COUNT(*)",
        "    HAVING COUNT(*) > 1",
        "      - : a row that no longer meets it is withdrawn",
        "      Aggregate by t.symbol in TUMBLING(1m)",
        "        INNER JOIN stream-table ON t.symbol = l.symbol",
        "          - without a match: skip_record, marked 'unmatched'",
        "          Filter t.price > 1",
        "            - : marks rows instead of removing them: their event time still moves the watermark",
        "            Scan trades AS t [kafka_source]",
        "          Table limits AS l [file_source]",
    ]


def test_without_state_rows_are_removed() -> None:
    sql = "SELECT t.symbol FROM trades t JOIN limits l ON l.symbol = t.symbol WHERE t.price > 1"
    assert modes(sql) == [("t.price > 1", "remove")]
    [join] = found(job(sql).root, JoinTable)
    assert isinstance(join, JoinTable)
    assert (join.misses, join.status) == ("remove", "unmatched")


def test_a_condition_of_a_table_is_never_marked() -> None:
    sql = """SELECT symbol, COUNT(*) AS n FROM trades WHERE symbol IN (SELECT symbol FROM limits WHERE most > 1)
             GROUP BY symbol WINDOW TUMBLING(1m)"""
    assert modes(sql) == [("trades.symbol IN limits", "mark"), ("limits.most > 1", "remove")]


def test_having_over_windows_that_are_never_corrected_removes() -> None:
    sql = "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) HAVING COUNT(*) > 1"
    assert modes(sql) == [("COUNT(*) > 1", "remove")]
    assert modes(sql + LATE) == [("COUNT(*) > 1", "withdraw")]


def test_between_two_windows_conditions_withdraw_and_do_not_mark() -> None:
    sql = """CREATE STREAM minutes AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)
               WITH ('allowed.lateness' = '1m');
             SELECT symbol, SUM(n) AS t FROM minutes WHERE n > 1 GROUP BY symbol WINDOW TUMBLING(1h)"""
    assert modes(sql) == [("COUNT(*) > 1", "withdraw")]


def test_a_condition_on_the_window_itself_never_changes_its_mind() -> None:
    sql = """CREATE STREAM minutes AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)
               WITH ('allowed.lateness' = '1m');
             SELECT symbol FROM minutes WHERE _window_start > TIMESTAMP '2026-01-01'"""
    assert [mode for _, mode in modes(sql)] == ["remove"]
