import pytest
from tests.plan.asking import around, planned

from velostream.plan.passes.choose_scan import choose_scan

GROUPED = "SELECT sensor, COUNT(*) AS n FROM readings {where} GROUP BY sensor WINDOW TUMBLING(1m) {rest}"


def way(sql: str) -> tuple[str, str]:
    chosen = planned(sql).jobs[-1].scans[0].way
    assert chosen is not None
    return chosen.kind, chosen.reason


def test_the_way_is_shown_with_its_reason() -> None:
    before, after = around(choose_scan, GROUPED.format(where="", rest=""), "read by")
    assert "read by" not in before
    expected = "- read by: Velostream's source, combined in the worker (all before the router is the same in Polars)"
    assert after.splitlines()[-1].strip() == expected


@pytest.mark.parametrize(
    ("sql", "kind", "reason"),
    [
        ("SELECT sensor FROM readings WHERE UPPER(sensor) = 'A'", "spark", "no state"),
        ("SELECT sensor, _topic FROM readings", "spark", "no state"),
        ("SELECT sensor, _offset FROM readings", "source", "Spark's source has no _offset"),
        ("SELECT sensor FROM readings WITH ('readings.growing' = 'true')", "source", "files may grow"),
        ("SELECT symbol FROM trades", "spark", "its Kafka connector"),
        ("SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)", "mixed", "not plain JSON"),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades WHERE _partition = 1 GROUP BY symbol WINDOW TUMBLING(1m)",
            "spark",
            "its Kafka connector; system columns are asked for",
        ),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) "
            "WITH ('trades.format' = 'csv')",
            "spark",
            "its Kafka connector; only Parquet and JSON are decoded in the worker",
        ),
        (GROUPED.format(where="", rest="WITH ('readings.format' = 'jsonl')"), "mixed", "not plain JSON"),
        (
            GROUPED.format(where="WHERE level > 0.5 AND sensor IN ('a', 'b') AND grade IS NOT NULL", rest=""),
            "worker",
            "",
        ),
        (GROUPED.format(where="WHERE NOT grade BETWEEN 1 AND 3 OR sensor = 'x'", rest=""), "worker", ""),
        (GROUPED.format(where="WHERE UPPER(sensor) = 'A'", rest=""), "source", "may differ between Polars and Spark"),
        (GROUPED.format(where="WHERE grade > 0.5", rest=""), "source", "may differ"),
        (GROUPED.format(where="WHERE grade > level", rest=""), "source", "may differ"),
        (GROUPED.format(where="WHERE taken > '2026-01-01'", rest=""), "source", "may differ"),
        (GROUPED.format(where="", rest="EMIT CHANGES"), "source", "rows are not combined: a row for each record"),
        (GROUPED.format(where="", rest="WITH ('scan.in_worker' = 'never')"), "source", "scan.in_worker is never"),
        (
            "SELECT sensor, SUM(level * 2) AS s FROM readings GROUP BY sensor WINDOW TUMBLING(1m)",
            "worker",
            "",
        ),
        (
            "SELECT sensor, SUM(grade * 2) AS s FROM readings GROUP BY sensor WINDOW TUMBLING(1m)",
            "source",
            "'readings.grade * 2' may differ",
        ),
        (
            "SELECT sensor, COUNT(*) AS n FROM readings r JOIN limits l ON l.symbol = r.sensor "
            "GROUP BY sensor WINDOW TUMBLING(1m)",
            "source",
            "the join needs the rows themselves",
        ),
        (
            "SELECT LAG(level) OVER (PARTITION BY sensor ORDER BY _event_time) AS b FROM readings",
            "source",
            "OVER needs the rows themselves",
        ),
    ],
)
def test_every_scan_goes_the_cheapest_way_that_is_right(sql: str, kind: str, reason: str) -> None:
    chosen = way(sql)
    assert chosen[0] == kind, chosen
    assert reason in chosen[1]


def test_generated_data_is_read_by_our_own_source() -> None:
    sql = "CREATE STREAM made (a INT) WITH ('type' = 'datagen_source'); SELECT a FROM made"
    assert way(sql) == ("source", "only Velostream reads datagen_source")
