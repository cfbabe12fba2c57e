"""Kafka as a source: topics that grow, starts by time, records that Kafka lost, topics that are not there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import NewTopic
from tests.kafka.apps import START, properties, run, runner_of, sink, source
from tests.kafka.cluster import Cluster

from velostream.config.connections.kafka_clients import for_asking
from velostream.errors import VeloError
from velostream.kafka import Cluster as Asked
from velostream.sources.streams.kafka_bulk import read_messages
from velostream.sources.streams.kafka_topics import wait_for_topics


def records(first: int, count: int, partition: int = 0) -> list[dict[str, Any]]:
    return [
        {"value": json.dumps({"k": "ab"[n % 2], "v": n, "at": START + n * 1_000}), "partition": partition}
        for n in range(first, first + count)
    ]


def files(home: Path) -> str:
    return properties("out", type="file_sink", path=str(home / "out"), format="jsonl")


def rows(home: Path) -> list[dict[str, Any]]:
    found = sorted((home / "out").glob("*.jsonl"))
    return [json.loads(line) for file in found for line in file.read_text().splitlines()]


def until(holds: Callable[[], bool], seconds: float = 120) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it has not happened"
        time.sleep(0.1)


def test_topics_of_a_pattern_and_partitions_that_appear_while_it_runs_are_read_and_hold_the_watermark(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    first, second = cluster.topic("grows", 1), cluster.topic("grows-more", 1)
    third = f"{second}-late"
    cluster.send(first, records(0, 100))
    cluster.send(second, records(0, 50))
    group = f"group-{first}"
    text = source(
        *(cluster.address, ""),
        **{"topic_pattern": f"({first}|{second}.*)", "auto_offset_reset": "earliest", "group_id": group},
    )
    text += "CREATE STREAM x AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m) "
    text += f"INTO out WITH ({files(tmp_path)});"
    runner = runner_of(one_spark, text, tmp_path)
    thread = Thread(target=lambda: runner.run(None, lambda: None))
    thread.start()
    try:
        until(lambda: bool(runner.jobs) and runner.jobs[0].accounts.read == 150)
        [job] = runner.jobs
        assert set(job.accounts.partitions) == {f"s/{first}/0", f"s/{second}/0"}
        assert job.accounts.watermark == (START + 49_000) * 1_000
        assert job.accounts.holding == [f"s/{second}/0"]
        cluster.grow(second, 2)
        cluster.send(second, records(40, 10, partition=1))
        until(lambda: job.accounts.read == 160)
        assert set(job.accounts.partitions) == {f"s/{first}/0", f"s/{second}/0", f"s/{second}/1"}
        cluster.admin.create_topics([NewTopic(third, 1, 1)])[third].result()
        cluster.send(third, records(40, 5))
        until(lambda: job.accounts.read == 165)
        assert f"s/{third}/0" in job.accounts.partitions
        cluster.send(third, records(100, 30))
        cluster.send(second, [*records(100, 30), *records(100, 30, partition=1)])
        until(lambda: job.accounts.watermark == (START + 99_000) * 1_000)
    finally:
        runner.stopping.set()
        thread.join()
    assert job.accounts.records["dead_lettered"] == {}
    assert sum(row["n"] for row in rows(tmp_path)) == 60 + 50 + 10 + 5
    wanted = [TopicPartition(first, 0), TopicPartition(second, 0), TopicPartition(second, 1), TopicPartition(third, 0)]
    asked = cluster.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)])
    shown = asked[group].result().topic_partitions
    assert [one.offset for one in shown] == [100, 80, 40, 35]


def test_a_start_by_time_and_records_that_kafka_lost_are_counted_or_end_the_job(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("lossy", 1)
    timed = [{**one, "timestamp": START + n * 1_000} for n, one in enumerate(records(0, 100))]
    cluster.send(topic, timed)
    query = f"CREATE STREAM x AS SELECT k, v FROM s INTO out WITH ({files(tmp_path)});"
    given = {"start_time": "2023-11-14T22:15:00Z", "on_data_loss": "skip"}
    text = source(cluster.address, topic, **given) + query
    report = run(one_spark, text, tmp_path)["x"]
    begins = (1_700_000_100_000 - START) // 1_000
    assert report["records"]["read"] == 100 - begins
    assert min(row["v"] for row in rows(tmp_path)) == begins
    cluster.send(topic, records(100, 50))
    cluster.admin.delete_records([TopicPartition(topic, 0, 130)])[TopicPartition(topic, 0)].result()
    report = run(one_spark, text, tmp_path)["x"]
    assert report["records"]["read"] == 100 - begins + 20
    assert report["lost"] == {"s": 30}

    cluster.send(topic, records(150, 50))
    cluster.admin.delete_records([TopicPartition(topic, 0, 180)])[TopicPartition(topic, 0)].result()
    strict = source(cluster.address, topic) + query
    with pytest.raises(VeloError, match="Kafka no longer has records") as failure:
        run(one_spark, strict, tmp_path)
    assert failure.value.error_code == "offsets-lost"
    assert "on.data.loss" in failure.value.hint


def settings(cluster: Cluster, topic: str, **more: str) -> Any:
    """The settings of a source."""
    from velostream.plan import plan
    from velostream.validation import validate

    text = source(cluster.address, topic, **more) + f"SELECT k FROM s INTO o WITH ({sink(cluster.address, 'x', 'o')});"
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library).jobs[0].scans[0].settings


def test_a_topic_that_is_not_there_is_told_with_those_that_look_like_it(cluster: Cluster) -> None:
    topic = cluster.topic("payments", 1)
    given = settings(cluster, topic.replace("payments", "paymnets"))
    with pytest.raises(VeloError, match=f"there is no topic 'paymnets.*' at {cluster.address} for 's'") as failure:
        wait_for_topics("s", given, Asked(for_asking(given)))
    assert f"there is '{topic}'" in failure.value.hint
    assert "topic.wait.timeout" in failure.value.hint
    given = settings(cluster, "", topic_pattern="nothing.*", topic_wait_timeout="200ms", topic_retry_interval="50ms")
    with pytest.raises(VeloError, match=r"no topic matches 'nothing\.\*'.* after 200ms"):
        wait_for_topics("s", given, Asked(for_asking(given)))


def test_a_topic_that_comes_later_is_waited_for(cluster: Cluster) -> None:
    name = cluster.topic("known", 1) + "-later"
    given = settings(cluster, name, topic_wait_timeout="30s", topic_retry_interval="100ms")
    Timer(0.5, lambda: cluster.admin.create_topics([NewTopic(name, 3, 1)])).start()
    assert wait_for_topics("s", given, Asked(for_asking(given))) == {name: [0, 1, 2]}


def test_brokers_that_do_not_answer_are_named() -> None:
    asked = Asked({"bootstrap.servers": "127.0.0.1:1"})
    with pytest.raises(VeloError, match=r"no Kafka broker answers at '127\.0\.0\.1:1'") as failure:
        asked.topics(timeout=1)
    assert failure.value.error_code == "broker-unreachable"


def test_a_topic_is_read_in_bulk_between_offsets(one_spark: Any, cluster: Cluster) -> None:
    topic = cluster.topic("bulk", 2)
    cluster.send(topic, [*records(0, 30), *records(30, 20, partition=1)])
    given = settings(cluster, topic)
    ends = Asked(for_asking(given)).ends([topic])
    assert ends == {topic: {0: 30, 1: 20}}
    cluster.give_up(topic, records(0, 7))
    ends = Asked(for_asking(given)).ends([topic])
    assert ends == {topic: {0: 38, 1: 20}}, "seven records and the mark of a transaction that was given up"
    whole = read_messages(one_spark, given, None, ends)
    assert whole.count() == 50
    assert dict(whole.dtypes)["value"] == dict(whole.dtypes)["_key"] == "binary"
    cluster.send(topic, records(50, 5))
    newer = Asked(for_asking(given)).ends([topic])
    added = read_messages(one_spark, given, ends, newer).collect()
    assert sorted(row["_offset"] for row in added) == [38, 39, 40, 41, 42]
