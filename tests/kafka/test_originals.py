"""Dead letters of Kafka records hold the message as it came, though records do not carry themselves through the job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from confluent_kafka import TopicPartition
from tests.kafka.apps import START, properties, run, runner_of, sink, source
from tests.kafka.cluster import Cluster

from velostream.jobs.home import Home
from velostream.jobs.replaying import replay
from velostream.sources.streams.kafka_originals import GAP, messages_at

MINUTE = 60_000


def test_messages_far_apart_are_found_and_those_that_are_not_there_are_left_out(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("far", 2)
    cluster.send(topic, [{"value": str(n), "partition": 0} for n in range(2 * GAP + 10)])
    cluster.send(topic, [{"value": None, "key": "gone", "partition": 1}])
    text = source(cluster.address, topic) + "SELECT k FROM s;"
    [scan] = runner_of(one_spark, text, tmp_path).plan.jobs[0].scans
    places = [(topic, 0, 3), (topic, 0, 4), (topic, 0, 2 * GAP + 9), (topic, 1, 0), (topic, 1, 7)]
    found = messages_at(scan.settings, places)
    assert {place[1:]: message.value() for place, message in found.items()} == {
        (0, 3): b"3",
        (0, 4): b"4",
        (0, 2 * GAP + 9): str(2 * GAP + 9).encode(),
        (1, 0): None,
    }
    [deleted] = cluster.admin.delete_records([TopicPartition(topic, 0, 4)]).values()
    deleted.result()
    left = messages_at(scan.settings, [*places, ("no-such-topic", 0, 1)])
    assert sorted(place[1:] for place in left) == [(0, 4), (0, 2 * GAP + 9), (1, 0)], "one that is gone hides no other"


def test_a_late_record_is_a_letter_with_its_bytes_key_headers_and_time_and_windows_have_the_headers_of_records(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic, counts = cluster.topic("late", 1), cluster.topic("counts", 1)
    late = f'{{"k":"a",  "v":4, "at":{START + 1}}}'
    values = [json.dumps({"k": "a", "v": n, "at": START + n * MINUTE}) for n in range(5)]
    tags = [[("n", str(n).encode()), ("n", None), ("ä", b"\xff")] if n else [] for n in range(5)]
    # every other one is not plain, and left to Spark to decode
    told = [{"value": " " * (n % 2 == 0) + value, "headers": tags[n]} for n, value in enumerate(values)]
    cluster.send(topic, told)
    text = source(cluster.address, topic)
    text += "CREATE STREAM x AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m) INTO out WITH "
    text += f"({sink(cluster.address, counts)});"
    text += "CREATE STREAM y AS SELECT k, 100 / (LAG(v) OVER (PARTITION BY k ORDER BY at) - 2) AS w FROM s INTO held "
    text += f"WITH ({properties('held', type='memory_sink')});"
    behind = run(one_spark, text, tmp_path)["y"]
    assert behind["records"]["dead_lettered"] == {"bad_value": 1}
    assert [one.headers for one in cluster.read(counts)] == tags
    [file] = (tmp_path / "checkpoint" / "y" / "dead-letters").glob("*.jsonl")
    failed = json.loads(file.read_text())
    assert failed["record"] == json.dumps({"k": "a", "v": 3, "at": START + 3 * MINUTE}), "the record, not the row"
    assert (failed["topic"], failed["offset"]) == (topic, 3)
    assert 3 in json.loads(failed["row"]).values()
    [why] = replay(Home(tmp_path / "checkpoint" / "y"), [{**failed, "id": "x"}]).passed_over
    assert "is in the state of the job" in why[1]
    headers = [("trace", b"1"), ("trace", b"\xff")]
    cluster.send(topic, [{"value": late, "key": "K", "headers": headers, "timestamp": START}, {"value": "{ not json"}])
    report = run(one_spark, text, tmp_path)["x"]
    assert report["records"]["dead_lettered"] == {"too_late": 1, "undecodable": 1}
    files = sorted((tmp_path / "checkpoint" / "x" / "dead-letters").glob("*.jsonl"))
    letters = {one["reason"]: one for file in files for one in map(json.loads, file.read_text().splitlines())}
    one = letters["too_late"]
    assert (one["record"], one["key"], one["topic"], one["offset"]) == (late, "K", topic, 5)
    assert [(each["key"], each["value"]) for each in one["headers"]] == [("trace", "1"), ("trace", "base64:/w==")]
    assert one["timestamp"] == "2023-11-14T22:14:00Z"
    assert letters["undecodable"]["record"] == "{ not json"
