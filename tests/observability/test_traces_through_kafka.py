"""A trace that comes with a message of Kafka goes on: the micro-batch is linked to it, and messages carry it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kafka.apps import START, runner_of, sink, source
from tests.kafka.cluster import Cluster
from tests.kafka.conftest import cluster  # noqa: F401 - the broker of the test run
from tests.observability.conftest import Receiver

from velostream.observability.watching import watched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def test_traceparents_go_through_kafka_and_spans_to_a_receiver(
    one_spark: SparkSession,
    cluster: Cluster,  # noqa: F811
    otlp: Receiver,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{otlp.http}")
    orders, copies = cluster.topic("traced", 1), cluster.topic("traced-out", 1)
    values = [{"value": json.dumps({"k": name, "v": 1, "at": START}), "partition": 0} for name in ("with", "without")]
    cluster.send(orders, [{**values[0], "headers": [("traceparent", PARENT.encode())]}, values[1]])
    text = source(cluster.address, orders) + (
        f"CREATE STREAM copied AS SELECT k, v FROM s INTO out WITH ({sink(cluster.address, copies)});"
    )
    runner = runner_of(one_spark, text, tmp_path)
    with watched(runner, print):
        runner.run_until_done()

    written = {json.loads(one.value or "")["k"]: dict(one.headers or ()) for one in cluster.read(copies)}
    assert written["with"]["traceparent"] == PARENT.encode(), "a message keeps the trace that it came with"
    batch = next(span for span in otlp.spans() if span["name"] == "batch copied" and TRACE in span["links"])
    assert written["without"]["traceparent"].decode().startswith(f"00-{batch['trace']}-{batch['span']}-")
    stages = {span["name"] for span in otlp.spans() if span["parent"] == batch["span"]}
    assert "sink out" in stages
