"""Formats of times and time zones are checked before a record is read."""

import pytest

from velostream.config.event_time import TimeFormat, Zone
from velostream.errors import InvalidProperty


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("auto", "auto"),
        ("EPOCH_MILLIS", "epoch_millis"),
        ("epoch-millis", "epoch_millis"),
        ("epoch", "epoch_seconds"),
        ("epoch_seconds", "epoch_seconds"),
        ("iso8601", "iso8601"),
        ("yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss"),
        ("yyyy-MM-dd'T'HH:mm:ss[.SSS]XXX", "yyyy-MM-dd'T'HH:mm:ss[.SSS]XXX"),
        ("dd/MM/yyyy", "dd/MM/yyyy"),
        ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S"),
        ("EEE, d MMM yyyy HH:mm:ss z", "EEE, d MMM yyyy HH:mm:ss z"),
        ("yyyyDDD", "yyyyDDD"),
    ],
)
def test_formats_that_can_be_read(text: str, value: str) -> None:
    assert TimeFormat().parse(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "isoo8601", "epoch_millies", "HH:mm", "%Q", "%", "yyyy-MM-dd'T", "yyyy-MM-dd foo"),
        *("yyyy-MM-dd q", "uuuu-MM-dd", "yyyy-MM-ddd", "yyyy-MM-dd V", "yyyy-MM"),
    ],
)
def test_formats_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InvalidProperty) as refusal:
        TimeFormat().parse(text)
    assert "epoch_millis" in refusal.value.hint


@pytest.mark.parametrize("text", ["UTC", "Europe/Berlin", "+02:00", "-17:59", "+18:00"])
def test_time_zones(text: str) -> None:
    assert Zone().parse(text) == text


@pytest.mark.parametrize("text", ["", "Berlin", "+2", "+19:00", "../../etc/passwd", "Mars/Olympus"])
def test_what_is_not_a_time_zone(text: str) -> None:
    with pytest.raises(InvalidProperty):
        Zone().parse(text)
