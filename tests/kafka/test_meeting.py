"""Two versions of a job on Kafka read until both have read the same messages, and share what comes behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.jobs.test_meeting import Version, written
from tests.kafka.apps import START, properties, source
from tests.kafka.cluster import Cluster

from velostream.jobs.meeting import meet
from velostream.jobs.ownership import Ownership
from velostream.server.moving.copying import copy_state


@pytest.mark.slow
@pytest.mark.skipif("SHARES" not in os.environ.get("VELO_STRATEGIES", ""), reason="it takes half a minute: make faults")
def test_messages_are_shared_by_where_they_stand_from_one_point_on(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic, sent = cluster.topic("shared", 2), iter(range(10_000))

    def send(count: int, partition: int) -> None:
        told = [json.dumps({"k": "a", "v": next(sent), "at": START}) for _ in range(count)]
        cluster.send(topic, [{"value": each, "partition": partition} for each in told])

    text = (
        source(cluster.address, topic, auto_offset_reset="earliest")
        + "-- @name: all_of_them\nSELECT v FROM s INTO out "
    )
    text += f"WITH ({properties('out', type='file_sink', path='out', format='jsonl')});"
    send(10, 0)
    old = Version(one_spark, tmp_path, tmp_path / "old", (0, 100), text)
    old.read()
    copy_state(tmp_path / "old", tmp_path / "new")
    send(10, 1)
    new = Version(one_spark, tmp_path, tmp_path / "new", (0, 0), text)
    new.read()
    send(10, 0)
    assert meet(old.job, tmp_path / "new" / "all_of_them")
    assert meet(new.job, tmp_path / "old" / "all_of_them")
    assert len(rows(tmp_path)) == 20
    old.owns(Ownership((40, 100)))
    new.owns(Ownership((0, 40)))
    send(200, 1)
    for one in (old, new):
        one.read()
    assert sorted(rows(tmp_path)) == list(range(230))
    assert 40 < len(rows(tmp_path, new.job.home.query_id()[:8])) < 150


def rows(folder: Path, query: str = "") -> list[int]:
    files = [file for file in written(folder) if query in file.name]
    return [json.loads(line)["v"] for file in files for line in file.read_text().splitlines()]
