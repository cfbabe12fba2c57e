"""Messages in other formats than JSON, and dead letters in a topic, on a real broker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from confluent_kafka import Consumer, TopicPartition
from tests.kafka.apps import START, run, sink, source
from tests.kafka.cluster import Cluster

from velostream import types
from velostream.formats.decoding.protobuf import ProtobufDecoder
from velostream.formats.schemas.made_proto import proto_text
from velostream.formats.schemas.proto_sources import ProtoSources
from velostream.sinks.letters import store_of

_TYPES = (("k", types.STRING), ("v", types.INT), ("at", types.BIGINT))
_COLUMNS = pa.schema([("k", pa.string()), ("v", pa.int32()), ("at", pa.int64())])


def raw(cluster: Cluster, topic: str, count: int) -> list[bytes]:
    """The first values of a topic of one partition, as they are."""
    consumer = Consumer({"bootstrap.servers": cluster.address, "group.id": "raw", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    try:
        return [message.value() for message in consumer.consume(count, 30) if message.error() is None]
    finally:
        consumer.close()


def test_json_becomes_avro_becomes_protobuf_and_letters_are_messages(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    first, second, third, dead = (cluster.topic(name) for name in ("first", "second", "third", "dead"))
    good = [{"value": json.dumps({"k": "a", "v": n, "at": START + n}), "key": f"key-{n}"} for n in range(3)]
    bad = {"value": '{"k": ', "key": "bad", "headers": [("h", b"\xff"), ("h", None)]}
    cluster.send(first, [*good, bad])
    location = f"kafka://{cluster.address}/{dead}"
    text = (
        source(cluster.address, first)
        + f"""
        CREATE STREAM copied AS SELECT k PRIMARY KEY, v, at FROM s INTO out
        WITH ({sink(cluster.address, second, format="avro", key_format="json")}, 'dlq.location' = '{location}');"""
    )
    report = run(one_spark, text, tmp_path / "one")["copied"]
    assert report["records"]["dead_lettered"] == {"undecodable": 1}
    [letter] = store_of(location, "copied", tmp_path, tmp_path).read()
    assert (letter["record"], letter["key"], letter["reason"], letter["offset"]) == ('{"k": ', "bad", "undecodable", 3)
    assert letter["headers"] == [{"key": "h", "value": "base64:/w=="}, {"key": "h", "value": None}]

    text = (
        source(cluster.address, second, format="avro", key_format="json")
        + f"""
        CREATE STREAM again AS SELECT k, v, at, _key AS key FROM s INTO out
        WITH ({sink(cluster.address, third, format="protobuf")});"""
    )
    report = run(one_spark, text, tmp_path / "two")["again"]
    assert report["records"]["in_results"] == 3
    schema = pa.schema([*_COLUMNS, ("key", pa.string())])
    decoder = ProtobufDecoder(schema, (*_TYPES, ("key", types.STRING)), ProtoSources(proto_text(schema, third)))
    found = decoder(pa.array(raw(cluster, third, 3), pa.binary())).to_pylist()
    assert [(row["k"], row["v"], row["key"], row["_fault"]) for row in found] == [("a", n, "a", None) for n in range(3)]
