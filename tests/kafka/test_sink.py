"""Kafka as a sink: topics that are made, corrections, rows that are too large, many rows exactly once."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import ConfigResource
from tests.kafka.apps import START, run, runner_of, sink, source
from tests.kafka.cluster import Cluster

from velostream.errors import VeloError
from velostream.sinks.writers import Batch, BatchRows, kafka, write
from velostream.sinks.writers.kafka import WRITERS, Producing
from velostream.spark.lower.job import sinks_of


def records(*values: tuple[str, int, int]) -> list[dict[str, Any]]:
    return [{"value": json.dumps({"k": k, "v": v, "at": START + at * 1_000})} for k, v, at in values]


def test_corrections_replace_rows_withdrawals_are_tombstones_and_large_rows_are_letters(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    numbers = cluster.topic("numbers", 1)
    made, large = f"{numbers}-made", f"{numbers}-large"
    cluster.send(numbers, records(("a", 1, 0), ("a", 4, 1), ("b", 9, 2), ("c", 1, 200)))
    upserts = sink(
        *(cluster.address, made),
        **{"write_mode": "upsert", "topic_create": "true", "topic_partitions": "3", "topic_config_retention_ms": "-1"},
    )
    limited = sink(
        *(cluster.address, large, "wide"),
        **{"topic_create": "true", "topic_config_max_message_bytes": "1000", "message_time": "processing_time"},
    )
    text = (
        source(cluster.address, numbers)
        + f"""
        CREATE STREAM small AS SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m) HAVING SUM(v) < 10
            INTO out WITH ({upserts}, 'allowed.lateness' = '1h');
        CREATE STREAM long AS SELECT k, REPEAT('x', v * 200) AS text FROM s INTO wide WITH ({limited});
        """
    )
    run(one_spark, text, tmp_path)
    cluster.send(numbers, records(("a", 2, 5), ("b", 5, 6)))
    report = run(one_spark, text, tmp_path)
    rows = cluster.read(made)
    newest = {one.key: one.value for one in rows}
    window = "2023-11-14 22:14:00"
    [a] = [key for key in newest if key is not None and key.startswith("a|")]
    [b] = [key for key in newest if key is not None and key.startswith("b|")]
    assert window in a.replace("T", " ")
    assert json.loads(newest[a] or "")["total"] == 7
    assert newest[b] is None
    told = [dict(one.headers) for one in rows if one.key == b]
    said = [(one["_emission"], one["_revision"]) for one in told]
    assert said == [(b"final", b"1"), (b"retract", b"1")], "a withdrawal says which revision it withdraws"
    assert len(cluster.admin.list_topics(made).topics[made].partitions) == 3
    [asked] = cluster.admin.describe_configs([ConfigResource("topic", made)]).values()
    assert asked.result()["retention.ms"].value == "-1"

    wide = cluster.read(large)
    assert sorted(len(json.loads(one.value or "")["text"]) for one in wide) == [200, 200, 400, 800]
    assert all(one.time > START + 10**9 for one in wide)
    assert report["long"]["records"]["dead_lettered"] == {"refused": 2}
    files = sorted((tmp_path / "checkpoint" / "long" / "dead-letters").glob("*.jsonl"))
    letters = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert "larger than the 1,000 that topic" in letters[0]["error"]


def target(spark: Any, cluster: Cluster, home: Path, topic: str, **more: str) -> Any:
    """How a transactional job of two columns writes to a topic: settings and shape."""
    given = sink(cluster.address, topic, **more)
    text = (
        source(cluster.address, topic)
        + f"""
        -- @job_mode: transactional
        CREATE STREAM x AS SELECT k PRIMARY KEY, v FROM s INTO out WITH ({given});"""
    )
    [job] = runner_of(spark, text, home).plan.jobs
    sinks = sinks_of(job)
    assert sinks is not None
    [one] = sinks.targets
    return one.settings, replace(sinks.shape(one), headers="", time="")


def values(cluster: Cluster, topic: str) -> Counter[int]:
    return Counter(json.loads(one.value or "")["v"] for one in cluster.read(topic))


def test_many_rows_are_written_by_tasks_and_again_by_the_same_ones(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("many", 2)
    settings, shape = target(one_spark, cluster, tmp_path, topic)
    count = 20_000
    frame = one_spark.range(count).selectExpr("CAST(id % 100 AS STRING) AS k", "CAST(id AS INT) AS v")
    many = BatchRows(frame, at_most=1_000_000)
    query = f"query-{topic}"

    def put(rows: BatchRows, number: int) -> None:
        """As a process does that has just started."""
        kafka.release(query)
        assert not write("kafka_sink", "out", rows, settings, Batch(query, number), shape)

    put(many, 0)
    put(many, 0)
    assert values(cluster, topic) == Counter(range(count))

    spread = kafka._spread(frame, shape.key)
    part = spread.filter("spark_partition_id() = 1").toArrow()
    opened = kafka._opened[query, "out"]
    begun = Producing(replace(opened.writer, part="1"))
    assert opened.messages is not None
    begun.write(opened.messages.of(part, []), 1)
    del begun
    put(BatchRows(frame, at_most=count), 1)
    assert values(cluster, topic) == Counter(dict.fromkeys(range(count), 2))

    few = BatchRows(frame.limit(10), at_most=10)
    put(few, 2)
    put(many, 2)
    assert sum(values(cluster, topic).values()) == 2 * count + 10
    assert WRITERS == 4, "what is written again after an update must go to the same writers"


def test_another_query_writes_its_first_micro_batch_a_zombie_nothing_and_what_kafka_forgot_is_told(
    one_spark: Any, cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    topic = cluster.topic("queries", 1)
    settings, shape = target(one_spark, cluster, tmp_path, topic)
    rows = BatchRows(one_spark.range(5).selectExpr("'a' AS k", "CAST(id AS INT) AS v"), at_most=5)
    write("kafka_sink", "out", rows, settings, Batch(f"one-{topic}", 0), shape)
    write("kafka_sink", "out", rows, settings, Batch(f"two-{topic}", 0), shape)
    assert values(cluster, topic) == Counter(dict.fromkeys(range(5), 2))
    zombie = kafka._opened.pop((f"one-{topic}", "out"))
    write("kafka_sink", "out", rows, settings, Batch(f"one-{topic}", 1), shape)
    assert zombie.messages is not None
    with pytest.raises(VeloError, match="cannot be written"):
        zombie.producing.write(zombie.messages.of(rows.table(), []), 1)
    zombie.producing.close()
    assert values(cluster, topic) == Counter(dict.fromkeys(range(5), 3))
    for days in (6, 8):
        caplog.clear()
        write("kafka_sink", "out", rows, settings, Batch(f"old-{topic}-{days}", 7, age=days * 86_400.0), shape)
        told = "Kafka forgets after 7.0 days whether it was written" in caplog.text
        assert told == (days == 8)


def test_a_topic_that_is_not_there_and_settings_that_contradict_are_refused(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic = cluster.topic("present", 1)
    rows = BatchRows(one_spark.range(1).selectExpr("'a' AS k", "1 AS v"), at_most=1)
    settings, shape = target(one_spark, cluster, tmp_path, topic.replace("present", "presents"))
    with pytest.raises(VeloError, match=r"there is no topic 'presents.*for sink 'out'") as failure:
        write("kafka_sink", "out", rows, settings, Batch("q", 0), shape)
    assert f"'{topic}'" in failure.value.hint
    assert "topic.create" in failure.value.hint
    settings, shape = target(one_spark, cluster, tmp_path, topic, acks="1")
    with pytest.raises(VeloError, match=r"'out\.acks' is 1"):
        write("kafka_sink", "out", rows, settings, Batch("q", 0), shape)
    settings, shape = target(one_spark, cluster, tmp_path, topic, kafka_no_such="1")
    with pytest.raises(VeloError, match="for sink 'out': No such configuration property") as failure:
        write("kafka_sink", "out", rows, settings, Batch("q", 0), shape)
    assert failure.value.error_code == "invalid-property"
