"""Metrics and log lines from annotations."""

import pytest

from velostream.sql.metrics import LogLine, Metric, logs_of, metrics_of
from velostream.sql.parse import parse

TEXT = """
-- @metric: trades_total
-- @metric_help: trades seen
-- @metric_labels: symbol, venue
-- @metric_condition: price > 100 AND side = 'BUY'
-- @name: counted
-- @metric: trade_price
-- @metric_type: histogram
-- @metric_field: price
-- @metric_buckets: 1, 10, 100
-- @metric_sample_rate: 0.5
-- @log: a large trade
-- @log_level: warning
-- @log_condition: quantity > 1000
-- @log: any trade
SELECT symbol, price FROM trades
"""


def metrics(text: str) -> tuple[Metric, ...]:
    application = parse(text)
    assert not application.findings.found, application.findings.found
    return metrics_of(application.statements[0].annotations)


def test_each_metric_has_what_follows_it() -> None:
    counter, histogram = metrics(TEXT)
    assert (counter.name, counter.kind, counter.help) == ("trades_total", "counter", "trades seen")
    assert counter.labels == ("symbol", "venue")
    assert counter.condition is not None
    assert counter.condition.text == "price > 100 AND side = 'BUY'"
    assert TEXT[counter.condition.span.start : counter.condition.span.end] == counter.condition.text
    assert (counter.field, counter.sample_rate, counter.buckets) == ("", 1.0, ())
    assert (histogram.kind, histogram.field, histogram.buckets) == ("histogram", "price", (1.0, 10.0, 100.0))
    assert histogram.sample_rate == 0.5
    assert histogram.condition is None
    assert histogram.field_span is not None
    assert TEXT[histogram.field_span.start : histogram.field_span.end] == "price"


def test_each_log_line_has_what_follows_it() -> None:
    large, plain = logs_of(parse(TEXT).statements[0].annotations)
    assert isinstance(large, LogLine)
    assert (large.message, large.level) == ("a large trade", "warning")
    assert large.condition is not None
    assert large.condition.text == "quantity > 1000"
    assert (plain.level, plain.condition) == ("info", None)


@pytest.mark.parametrize(
    ("comments", "code", "message"),
    [
        ("-- @metric: a\n-- @metric_type: gauge", "metric", "no field"),
        ("-- @metric: a\n-- @metric_type: histogram", "metric", "no field"),
        ("-- @metric: a\n-- @metric_buckets: 1, 2", "metric", "only a histogram"),
        ("-- @metric: a\n-- @metric: a", "metric", "twice"),
        ("-- @metric: a\n-- @metric_help: x\n-- @metric_help: y", "duplicate-annotation", "twice"),
        ("-- @metric: a\n-- @metric_labels: a, __b", "invalid-annotation", "label"),
        ("-- @metric: a\n-- @metric_labels: a,,b", "invalid-annotation", "empty"),
        ("-- @metric: a\n-- @metric_sample_rate: 2", "invalid-annotation", "bounds"),
        ("-- @metric: a\n-- @metric_type: summary", "invalid-annotation", "summary"),
        (
            "-- @metric: a\n-- @metric_type: histogram\n-- @metric_field: x\n-- @metric_buckets: 2, 1",
            "invalid-annotation",
            "grow",
        ),
        (
            "-- @metric: a\n-- @metric_type: histogram\n-- @metric_field: x\n-- @metric_buckets: few",
            "invalid-annotation",
            "numbers",
        ),
    ],
)
def test_a_metric_that_cannot_be_collected_is_found(comments: str, code: str, message: str) -> None:
    (finding,) = parse(f"{comments}\nSELECT a FROM s").findings.found
    assert finding.code == code
    assert message in finding.message
    assert finding.hint
    assert finding.span is not None


def test_what_follows_a_faulty_metric_is_not_given_to_the_one_before() -> None:
    application = parse("-- @metric: good\n-- @metric: 5bad\n-- @metric_help: of the bad one\nSELECT a FROM s")
    assert [metric.name for metric in metrics_of(application.statements[0].annotations)] == ["good"]
    assert metrics_of(application.statements[0].annotations)[0].help == ""
