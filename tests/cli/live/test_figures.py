from typing import Any

import pytest

from velostream.cli.live.figures import Meter, amount, clock, span


def report(read: int = 0, **more: Any) -> dict[str, Any]:
    records = {"read": read, "open": 2, "in_results": 7, "dead_lettered": {"too_late": 1}, "dropped": {"late": 3}}
    base: dict[str, Any] = {"name": "x", "state": "running", "records": records, "emitted": {"final": 4, "late": 1}}
    base |= {
        "stateful": True,
        "windows": {"open_windows": 5, "late_events_total": 6},
        "watermark": None,
        "partitions": {},
    }
    return base | more


def partition(time: str | None, *, idle: bool = False) -> dict[str, Any]:
    return {"max_event_time": time, "lag_ms": 0, "idle": idle}


def test_rates_are_of_late_and_since_the_start() -> None:
    meter = Meter(started=0.0)
    meter.figures(report(0), 0.0)
    for second in range(1, 21):
        figures = meter.figures(report(100 * second), float(second))
    assert figures.rate == pytest.approx(100)
    for second in range(21, 41):
        figures = meter.figures(report(2_000), float(second))
    assert figures.rate == 0
    assert figures.average == 50


def test_records_of_an_earlier_process_are_no_rate() -> None:
    figures = Meter(started=0.0, before=1_000).figures(report(1_000), 2.0)
    assert (figures.rate, figures.average) == (0, 0)


def test_the_partition_that_holds_the_watermark_back_is_named() -> None:
    partitions = {"s/0": partition("2026-01-01T10:05:00+00:00"), "s/1": partition("2026-01-01T10:01:00+00:00")}
    partitions["s/2"] = partition(None, idle=True)
    given = report(partitions=partitions, watermark="2026-01-01T10:00:30+00:00", held_back_by=["s/1", "s/3"])
    figures = Meter(0.0).figures(given, 1.0)
    assert figures.held_by == "s/1 and 1 more"
    assert figures.behind == 270
    assert figures.idle == 1
    assert figures.emitted == 5


def test_one_partition_holds_nobody_back_and_no_state_means_rows_are_records() -> None:
    one = {"s/0": partition("2026-01-01T10:05:00+00:00")}
    assert Meter(0.0).figures(report(partitions=one, held_back_by=["s/0"]), 1.0).held_by == ""
    assert Meter(0.0).figures(report(stateful=False), 1.0).emitted == 7


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (0.4, "0.4"), (950, "950"), (9_999, "9,999"), (12_345, "12.3k"), (4_560_000, "4.56M")],
)
def test_amounts_are_short(number: float, text: str) -> None:
    assert amount(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (0.42, "0.4s"), (12.3, "12s"), (200, "3m20s"), (18_600, "5h10m"), (1_036_800, "12d")],
)
def test_lengths_of_time_are_short(seconds: float | None, text: str) -> None:
    assert span(seconds) == text


def test_times_are_without_what_a_reader_knows() -> None:
    assert clock("2026-01-31T10:05:00.123456+00:00") == "2026-01-31 10:05:00"
