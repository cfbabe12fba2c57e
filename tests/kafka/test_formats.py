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


def test_bytes_go_through_csv_and_what_is_no_base64_is_a_letter(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    first, second, third = (cluster.topic(name) for name in ("first", "second", "third"))
    cluster.send(first, [{"value": json.dumps({"b": b, "at": START})} for b in ("/wD/", None)])
    columns = "b BINARY, at BIGINT"
    text = source(cluster.address, first, columns)
    text += (
        f"CREATE STREAM copied AS SELECT b, at FROM s INTO out WITH ({sink(cluster.address, second, format='csv')});"
    )
    run(one_spark, text, tmp_path / "one")
    assert raw(cluster, second, 2) == [f"/wD/,{START}".encode(), f",{START}".encode()]
    cluster.send(second, [{"value": f"§,{START}"}])
    text = source(cluster.address, second, columns, format="csv")
    text += f"CREATE STREAM again AS SELECT b, _headers FROM s INTO out WITH ({sink(cluster.address, third)});"
    report = run(one_spark, text, tmp_path / "two")["again"]
    assert [json.loads(one.value or "")["b"] for one in cluster.read(third)] == ["/wD/", None]
    assert report["records"]["dead_lettered"] == {"undecodable": 1}


def test_a_row_that_its_schema_does_not_take_is_a_letter_and_headers_are_set_beside_those_that_are_shown(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    first, second = cluster.topic("first"), cluster.topic("second")
    lists = ([1, 2], [1, None], [])
    values = [json.dumps({"k": "a", "list": one, "at": START}) for one in lists]
    cluster.send(first, [{"value": value, "headers": [("h", "1")]} for value in values])
    text = source(cluster.address, first, "k STRING, list ARRAY<INT>, at BIGINT")
    told = sink(cluster.address, second, format="protobuf")
    text += f"CREATE STREAM copied AS SELECT k, list, _headers, SET_HEADER('h', '2') FROM s INTO out WITH ({told});"
    report = run(one_spark, text, tmp_path)["copied"]
    assert report["records"]["in_results"] == 2
    assert report["records"]["dead_lettered"] == {"refused": 1}
    [letter] = store_of("", "copied", tmp_path / "checkpoint" / "copied" / "dead-letters", tmp_path).read()
    assert "field 'list' holds NULL" in letter["error"]
    assert [one.headers for one in cluster.read(second)] == [[("h", b"2")]] * 2
