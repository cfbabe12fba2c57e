"""Clients of Kafka that forget the limits that they are given, and settings that make no client."""

from __future__ import annotations

import time
from threading import Event

import pytest

from velostream.errors import VeloError
from velostream.kafka import Cluster, within


def test_a_call_is_waited_for_no_longer_than_it_may_take() -> None:
    assert within(5, lambda: 7) == 7
    with pytest.raises(KeyError, match="gone"):
        within(5, lambda: {}["gone"])
    ends, began = Event(), time.monotonic()
    with pytest.raises(TimeoutError, match="did not come back in 0 s"):
        within(0.1, ends.wait)
    assert time.monotonic() - began < 4
    ends.set()


def test_settings_that_make_no_client_are_told_and_passwords_are_not() -> None:
    cluster = Cluster({"bootstrap.servers": "127.0.0.1:1", "no.such": "1", "sasl.password": "word-of-ann"})
    with pytest.raises(VeloError, match=r"'127\.0\.0\.1:1': .*No such configuration property") as failure:
        cluster.topics(timeout=1)
    assert failure.value.error_code == "invalid-property"
    assert "word-of-ann" not in f"{cluster!r} {failure.value}"
