"""Golden texts: each `.sql` in golden/ is explained as the `.txt` beside it says."""

from pathlib import Path

import pytest
from tests.plan.asking import outline, planned

from velostream.plan import explain_text
from velostream.plan.explain.text import WIDTH, tree

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.sql"))


@pytest.mark.parametrize("file", GOLDEN, ids=[file.stem for file in GOLDEN])
def test_a_plan_is_explained_as_the_text_beside_it_says(file: Path) -> None:
    assert explain_text(planned(file.read_text())) == file.with_suffix(".txt").read_text()


@pytest.mark.parametrize("file", GOLDEN, ids=[file.stem for file in GOLDEN])
def test_lines_are_broken_where_they_can_be(file: Path) -> None:
    lines = explain_text(planned(file.read_text())).splitlines()
    assert all(len(line) <= WIDTH + 4 for line in lines)


def test_a_word_that_is_too_long_stays_whole() -> None:
    name = "x" * 150
    text = tree(planned(f"SELECT symbol AS {name} FROM trades").jobs[0].root)
    assert name in text


def explained(sql: str, *labels: str) -> str:
    return outline(planned(sql).jobs[-1].root, *labels)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (
            "'trades.watermark.strategy' = 'ascending', 'trades.watermark.max_out_of_orderness' = '0s'",
            "at the newest event of each partition, idle after 1m",
        ),
        ("'trades.watermark.scope' = 'source'", "5s behind the newest event of the whole source, idle after 1m"),
        ("'trades.watermark.idle_timeout' = 'off'", "of each partition, never idle"),
        ("'trades.partitions' = '3'", "of each partition (3 partitions)"),
        ("'trades.watermark.strategy' = 'periodic'", "5s behind the newest event, by the clock of each partition"),
        (
            "'trades.watermark.strategy' = 'punctuated', 'trades.watermark.punctuation' = 'price = 0 AND Symbol = id'",
            "where trades.price = 0 AND trades.symbol = trades.id of each partition",
        ),
    ],
)
def test_watermarks_are_put_into_words(settings: str, text: str) -> None:
    sql = f"SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) WITH ({settings})"
    assert text in explained(sql, "watermark")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ("'trades.event.time.zone' = 'Europe/Berlin'", "at (auto, Europe/Berlin, else a dead letter)"),
        ("'trades.event.time.fallback' = 'null'", "else NULL"),
        ("'trades.event.time.fallback' = 'record_time'", "else the record time"),
        ("'trades.event.time.max_clock_skew' = '30s'", "at most 30s ahead"),
        ("'time.semantics' = 'processing'", "time of arrival (processing time)"),
    ],
)
def test_event_time_is_put_into_words(settings: str, text: str) -> None:
    sql = f"SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) WITH ({settings})"
    assert text in explained(sql, "event time")


@pytest.mark.parametrize(
    ("rest", "text"),
    [
        ("WINDOW TUMBLING(1m) EMIT WHEN (price > 9) FALLBACK EVERY 5s", "at once when trades.price > 9, else every 5s"),
        ("WINDOW TUMBLING(1m) EMIT EVERY 10 ROWS", "every 10 rows"),
        ("WINDOW TUMBLING(1m) EMIT FINAL WITH ('emit.accumulation' = 'retracting')", "passes its end, retracting"),
        ("EMIT CHANGES WITH ('state.ttl' = '1d')", "CHANGES: a row for each record"),
        ("EMIT FINAL WITH ('state.ttl' = '1d')", "FINAL: at the end of input or on a flush"),
    ],
)
def test_emission_is_put_into_words(rest: str, text: str) -> None:
    assert text in explained(f"SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol {rest}", "emits")


def test_a_window_on_another_time_says_so() -> None:
    text = explained("SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW SLIDING(at, 15m, 1m, OFFSET 5s)")
    assert "in SLIDING(15m, 1m, OFFSET 5s) on trades.at" in text


def test_a_source_without_columns_says_when_they_are_known() -> None:
    text = explained("SELECT * FROM 'kafka://localhost:9092/raw'", "columns", "")
    assert "none and those inferred at the first start" in text
    assert "all columns inferred at the first start" in text


def test_a_job_says_its_metrics_and_its_line() -> None:
    application = planned("-- @metric: seen_total\n-- @metric_type: counter\nSELECT symbol FROM trades")
    assert "metric: seen_total" in explain_text(application)
    assert application.jobs[0].line > 1


def test_a_scan_and_a_sink_say_where_they_are() -> None:
    sink = "INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 'copies', 'o.bootstrap.servers' = 'h:9092')"
    text = tree(planned(f"SELECT symbol FROM trades {sink}").jobs[0].root)
    assert "reads: topic trades, bootstrap.servers localhost:9092" in text
    assert "o [kafka_sink json] to topic copies, bootstrap.servers h:9092, appends" in text


def test_a_statement_that_sets_the_event_time_says_its_watermark() -> None:
    sql = """CREATE STREAM later AS SELECT symbol, at + INTERVAL '1' HOUR AS _event_time FROM trades;
             SELECT symbol, COUNT(*) AS n FROM later GROUP BY symbol WINDOW TUMBLING(1m)"""
    text = tree(planned(sql).jobs[-1].root)
    assert "5s behind the newest event of each partition" in text


def test_two_addresses_that_end_alike_are_two_sources() -> None:
    sql = "SELECT symbol FROM 'file:///here/x.csv' UNION ALL SELECT symbol FROM 'file:///there/x.csv'"
    text = explained(sql, "reads")
    assert "path /here/x.csv" in text
    assert "path /there/x.csv" in text
