"""Micro-batches of a Kafka source by bytes and by latency: the limit changes while the query runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.kafka.apps import START, runner_of, source
from tests.kafka.cluster import Cluster


def test_micro_batches_have_the_bytes_that_are_set_or_grow_as_the_latency_allows(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("limited", 2)
    made = [{"k": "x" * 9_900, "v": n, "at": START + n} for n in range(300)]
    cluster.send(topic, [{"value": json.dumps(one), "partition": n % 2} for n, one in enumerate(made)])
    text = source(cluster.address, topic)
    text += """
        CREATE STREAM weighed AS SELECT v FROM s
            INTO a WITH ('a.type' = 'memory_sink', 'batch.strategy' = 'memory', 'batch.memory' = '1MB');
        CREATE STREAM tuned AS SELECT v FROM s INTO b
            WITH ('b.type' = 'memory_sink', 'job.mode' = 'adaptive', 'batch.min.size' = '20',
                'batch.target.latency' = '60s');
        """
    runner = runner_of(one_spark, text, tmp_path)
    found: dict[str, list[int]] = {"weighed": [], "tuned": []}

    def note(event: Any) -> None:
        if type(event).__name__ == "BatchEnded":
            [job] = [job for job in runner.jobs if job.job.name == event.job]
            found[event.job].append(job.accounts.read - sum(found[event.job]))

    runner.events.subscribe(note)
    runner.run_until_done()
    assert {name: sum(sizes) for name, sizes in found.items()} == {"weighed": 300, "tuned": 300}
    assert 90 <= found["weighed"][0] <= 110
    assert len(found["weighed"]) == 3, "three megabytes, one at a time"
    assert found["tuned"] == [20, 40, 80, 160]
    assert [job.report()["batching"]["strategy"] for job in runner.jobs] == ["memory", "adaptive"]
