"""Loading the tables of a run: a source that says nothing, and a stop while one does."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.jobs.tables import Tables
from velostream.plan import plan
from velostream.validation import validate


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that lets everybody in and answers nobody."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/rates"


def tables(address: str, checkpoint: Path, of_table: str, of_job: str = "") -> Tables:
    text = f"""
        CREATE TABLE rates (k STRING PRIMARY KEY, rate DOUBLE) WITH (
            'type' = 'http_source', 'url' = '{address}', 'format' = 'json', 'wait.timeout' = '{of_table}');
        CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
        -- @name: rated
        SELECT s.k, r.rate FROM s JOIN rates r ON s.k = r.k {of_job};"""
    answer = validate(text, "app.sql", variables={})
    assert answer.ok, answer.findings.errors
    no_spark: Any = None
    return Tables(plan(answer.bound, answer.library), no_spark, checkpoint, checkpoint)


def test_a_table_whose_source_says_nothing_is_waited_for_as_long_as_is_set_and_no_longer(
    silent: str, tmp_path: Path
) -> None:
    begun = time.monotonic()
    with pytest.raises(VeloError, match=r"'rates' is not ready .* said nothing for 1s; job 'rated' waits") as failure:
        tables(silent, tmp_path, "5m", "WITH ('rates.wait.timeout' = '1s')").load()
    assert time.monotonic() - begun < 20, "its own limit is 30 s"
    assert failure.value.error_code == "table-not-ready"
    assert "'rates.wait.timeout' = '5m'" in failure.value.hint


def test_who_stops_while_a_table_is_loaded_does_not_wait_for_it(silent: str, tmp_path: Path) -> None:
    stopping = Event()
    Timer(0.5, stopping.set).start()
    begun = time.monotonic()
    assert not tables(silent, tmp_path, "5m").load(stopping)
    assert time.monotonic() - begun < 20
