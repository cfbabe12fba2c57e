"""Spans go to a real receiver by gRPC too, and continue the traces that records came with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from tests.observability.conftest import Receiver
from tests.observability.test_lineage import planned

from velostream.errors import VeloError
from velostream.events import TRACEPARENT, BatchBegan, BatchEnded, Events, JobEnded, JobStarted, TracesSeen
from velostream.jobs.log_lines import FEW_TRACES, traceparents
from velostream.observability.tracing import Tracing, exporter, is_traced

SQL = """
CREATE STREAM s (k STRING) WITH ('s.type' = 'datagen_source');
-- @name: a
-- @deployment.region: eu-west-1
SELECT k FROM s;
-- @name: b
-- @observability.tracing.enabled: true
SELECT k FROM s;
-- @name: c
-- @observability.tracing.enabled: false
SELECT k FROM s;
"""
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def runner() -> Any:
    return SimpleNamespace(plan=planned(SQL))


def test_a_job_is_traced_if_it_says_so_or_if_the_environment_does(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = planned(SQL).jobs
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert [is_traced(job) for job in jobs] == [False, True, False]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    assert [is_traced(job) for job in jobs] == [True, True, False]
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not any(is_traced(job) for job in jobs)


def test_an_unknown_protocol_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon")
    with pytest.raises(VeloError, match="'carrier-pigeon'"):
        exporter()


def test_spans_reach_a_receiver_by_grpc_and_are_linked_to_the_traces_of_records(
    otlp: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{otlp.grpc}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    tracing = Tracing(runner())
    events = Events([tracing])
    events.publish(JobStarted("a"))
    began = BatchBegan("a", 7)
    events.publish(began)
    inside = TRACEPARENT.get()
    with events.stage("a", 7, "sink out", 3):
        pass
    events.publish(TracesSeen("a", 7, (PARENT, "nonsense")))
    events.publish(BatchEnded("a", 7, began.at, error="boom"))
    assert TRACEPARENT.get() == ""
    events.publish(JobEnded("a", "failed", "boom"))
    events.publish(BatchBegan("c", 0))  # says no: nobody hears of it
    assert TRACEPARENT.get() == ""
    tracing.close()
    spans = {span["name"]: span for span in otlp.spans()}
    assert set(spans) == {"job a", "batch a", "sink out"}
    batch = spans["batch a"]
    assert inside.startswith(f"00-{batch['trace']}-{batch['span']}-")
    assert batch["links"] == [spans["job a"]["trace"], PARENT.split("-")[1]]
    assert (batch["by"], batch["status"], batch["attributes"]["velostream.batch"]) == ("grpc", 2, 7)
    assert (spans["sink out"]["parent"], spans["sink out"]["attributes"]["velostream.rows"]) == (batch["span"], 3)
    assert spans["job a"]["attributes"]["cloud.region"] == "eu-west-1"


def test_traceparents_are_found_among_the_headers_of_records() -> None:
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    headers = [None, [], [{"key": "TraceParent", "value": PARENT.encode()}], [{"key": "other", "value": b"x"}]]
    table = pa.table({"_headers": pa.array([*headers, *headers], kind)})
    assert traceparents(table) == (PARENT,)
    assert traceparents(table.drop_columns("_headers")) == ()
    many = [[{"key": "traceparent", "value": str(number).encode()}] for number in range(100)]
    assert len(traceparents(pa.table({"_headers": pa.array(many, kind)}))) == FEW_TRACES
