"""Whole statements from and to the web."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.http.serving import Web
from tests.postgres.apps import SOURCE, letters, run, runner_of, write_lines

from velostream.errors import VeloError
from velostream.jobs.emissions import FOLDER, windows

START = 1_700_000_040_000


def test_a_webhook_gets_every_row_once_by_its_key_and_refused_rows_are_letters(
    one_spark: Any, tmp_path: Path, web: Web
) -> None:
    web.state(failures=2)
    write_lines(tmp_path, "1.jsonl", [{"k": k, "v": n, "at": START} for n, k in enumerate(["a", "b", "poison", "a"])])
    text = f"""{SOURCE}
        CREATE STREAM sent AS SELECT k, v FROM s INTO hook WITH ('hook.type' = 'http_sink',
        'hook.url' = '{web.url}/hook', 'hook.headers.Authorization' = 'Bearer x', 'retry_backoff' = '10ms',
        'hook.circuit.breaker.calls' = '2', 'hook.circuit.breaker.open.duration' = '300ms',
        'hook.circuit.breaker.trial.calls' = '1');"""
    report = run(one_spark, tmp_path, text)
    log = web.state()["log"]
    keys = [one["headers"]["Idempotency-Key"] for one in log]
    taken = [one for one in log if not one.get("failed")]
    assert [json.loads(one["body"]) for one in taken] == [
        {"k": k, "v": n} for n, k in enumerate(["a", "b", "poison", "a"])
    ]
    assert len(set(keys)) == 4
    assert len(keys) == 6, "two requests were sent again, with the keys that they had"
    assert all(one["headers"]["Authorization"] == "Bearer x" for one in log)
    assert report["records"]["dead_lettered"] == {"refused": 1}
    breaker = report["circuit_breakers"]["hook"]
    assert "503" in breaker.pop("error")
    assert breaker == {"state": "closed", "calls": 3, "failures": 2, "suspended": 0, "opened": 1}
    assert "422" in letters(tmp_path, "sent")[0]["error"]


def test_a_row_that_no_sink_takes_has_not_left_and_neither_has_one_that_having_hides(
    one_spark: Any, tmp_path: Path, web: Web
) -> None:
    keys = ["a", "a", "b", "poison", "poison", "c", "c", "a"]
    write_lines(tmp_path, "1.jsonl", [{"k": k, "v": 1, "at": START + 70_000 * (n == 7)} for n, k in enumerate(keys)])
    query = "FROM s GROUP BY k WINDOW TUMBLING(1m)"
    hook = f"'hook.type' = 'http_sink', 'hook.url' = '{web.url}/hook'"
    text = f"""{SOURCE}
        CREATE STREAM alone AS SELECT k, COUNT(*) AS n {query} HAVING COUNT(*) > 1 INTO hook WITH ({hook});
        CREATE STREAM plain AS SELECT k, COUNT(*) AS n {query} INTO hook WITH ({hook});
        CREATE STREAM beside AS SELECT k, COUNT(*) * 2 AS n {query} INTO hook, out WITH ({hook},
        'out.type' = 'memory_sink');
        CREATE STREAM twice AS SELECT k, COUNT(*) * 2 AS n {query} INTO hook, other WITH ({hook},
        'other.type' = 'http_sink', 'other.url' = '{web.url}/hook', 'other.format' = 'jsonl');"""
    runner = runner_of(one_spark, tmp_path, text)
    runner.run_until_done()
    reports = {one["name"]: one for one in runner.report()["jobs"]}
    assert all(job.accounts.adds_up for job in runner.jobs)
    assert {name: (one["emitted"]["final"], one["refused"]) for name, one in reports.items()} == {
        "alone": (2, 1),
        "plain": (4, 1),
        "beside": (5, 1),
        "twice": (4, 5),
    }
    left = {name: [one.text for one in windows(tmp_path / "checkpoint" / name / FOLDER)] for name in reports}
    assert left == {
        "alone": ["c", "a"],
        "plain": ["a", "c", "b", "a"],
        "beside": ["a", "poison", "c", "b", "a"],
        "twice": ["a", "c", "b", "a"],
    }


def test_an_address_is_polled_and_what_is_new_is_read(one_spark: Any, tmp_path: Path, web: Web) -> None:
    web.state(answer=json.dumps({"items": [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "c", "v": "x"}]}))
    text = f"""CREATE STREAM q (k STRING, v INT) WITH ('type' = 'http_source', 'url' = '{web.url}/data',
        'records.path' = '$.items', 'poll.interval' = '100ms');
        CREATE STREAM sums AS SELECT k, SUM(v) AS total FROM q GROUP BY k EMIT CHANGES INTO out WITH
        ('out.type' = 'memory_sink', 'state.ttl' = '1d');"""
    report = run(one_spark, tmp_path / "bounded", text)
    assert report["records"]["read"] == 3
    assert report["records"]["dead_lettered"] == {"undecodable": 1}
    runner = runner_of(one_spark, tmp_path / "watched", text)
    timers = [threading.Timer(8, web.state, kwargs={"answer": json.dumps({"items": [{"k": "a", "v": 10}]})})]
    for timer in timers:
        timer.start()

    def stop_when_read() -> None:
        if runner.jobs and runner.jobs[0].accounts.read >= 4:
            runner.stopping.set()

    runner.run(60, stop_when_read)
    assert runner.jobs[0].accounts.read == 4
    assert runner.jobs[0].accounts.adds_up
    left = list((tmp_path / "watched" / "checkpoint" / "sums" / "sources" / "q").glob("*.json"))
    assert len(left) <= 1, "what is committed is not kept"


def test_a_webhook_that_is_listened_at_keeps_what_it_gets(one_spark: Any, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = f"""CREATE STREAM e (k STRING, v INT) WITH ('type' = 'http_source', 'listen' = '127.0.0.1:{port}/events',
        'format' = 'jsonl');
        CREATE STREAM heard AS SELECT k, v FROM e INTO out WITH ('out.type' = 'memory_sink');"""
    runner = runner_of(one_spark, tmp_path, text)
    said: list[int] = []

    def send() -> None:
        for number in range(3):
            body = f'{{"k": "a", "v": {number}}}\n{{"k": "b", "v": {number}}}\n'.encode()
            deadline = time.monotonic() + 40
            while time.monotonic() < deadline:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/events", data=body) as answer:
                        said.append(answer.status)
                    break
                except OSError:
                    time.sleep(0.2)

    sender = threading.Thread(target=send)
    sender.start()

    def stop_when_read() -> None:
        if runner.jobs and runner.jobs[0].accounts.read >= 6:
            runner.stopping.set()

    runner.run(60, stop_when_read)
    sender.join()
    assert said == [200, 200, 200]
    assert runner.jobs[0].accounts.read == 6
    with pytest.raises(VeloError, match="never ends"):
        runner_of(one_spark, tmp_path / "b", text).run_until_done()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/events", data=b"x")


def test_a_slow_sink_slows_the_intake_and_loses_nothing(one_spark: Any, tmp_path: Path, web: Web) -> None:
    web.state(delay=0.5)
    text = f"""CREATE STREAM s (v INT) WITH ('type' = 'datagen_source', 'rate' = '200', 'rows' = '600',
        'fields.v.kind' = 'sequence', 'fields.v.start' = '0', 'fields.v.end' = '599');
        CREATE STREAM sent AS SELECT v FROM s INTO hook WITH ('hook.type' = 'http_sink', 'hook.url' = '{web.url}/hook',
        'hook.format' = 'jsonl', 'batch.strategy' = 'fixed_size', 'batch.size' = '100');"""
    began = time.monotonic()
    report = run(one_spark, tmp_path, text)
    assert time.monotonic() - began >= 3, "six micro-batches wait for half a second each"
    bodies = [one["body"] for one in web.state(delay=0)["log"]]
    found = [json.loads(line)["v"] for body in bodies for line in body.splitlines()]
    assert sorted(found) == list(range(600))
    assert max(len(body.splitlines()) for body in bodies) <= 100
    assert report["records"]["read"] == report["records"]["in_results"] == 600
