"""Applications from Kafka to Kafka, on a real broker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.kafka.apps import START, run, sink, source
from tests.kafka.cluster import Cluster

TRACE = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
HEADERS = [("traceparent", TRACE), ("tag", b"one"), ("step", b"old"), ("tag", b"two"), ("empty", None)]


def records(first: int, count: int) -> list[dict[str, Any]]:
    """One record each tenth of a second, by turns for two partitions."""
    return [
        {
            "value": json.dumps({"k": "abcde"[n % 5], "v": n, "at": START + n * 100}),
            "key": f"key-{n % 5}",
            "partition": n % 2,
            "headers": HEADERS,
        }
        for n in range(first, first + count)
    ]


def values(messages: list[Any]) -> list[dict[str, Any]]:
    return [json.loads(one.value) for one in messages]


def test_records_windows_headers_keys_and_times_go_from_kafka_to_kafka_and_a_second_run_goes_on(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    orders, copies, minutes = (cluster.topic(name, 2) for name in ("orders", "copies", "minutes"))
    broken = [{"value": "{not json", "key": "k", "partition": 0}, {"value": None, "key": "gone", "partition": 1}]
    cluster.send(orders, [*records(0, 1500), *broken])
    cluster.give_up(orders, records(0, 100))
    text = (
        source(cluster.address, orders, max_records_per_batch="800")
        + f"""
        CREATE STREAM copied AS SELECT k || '!' AS k PRIMARY KEY, v, _topic AS topic, _partition AS p, _offset AS o,
            _key AS old_key, HEADER('traceparent') AS trace, SET_HEADER('step', 'new'), REMOVE_HEADER('empty')
        FROM s WHERE v % 2 = 0 INTO out WITH ({sink(cluster.address, copies)});
        -- @job_mode: transactional
        CREATE STREAM counted AS SELECT k, _partition AS p, COUNT(*) AS n, SUM(v) AS total FROM s
        GROUP BY k, _partition WINDOW TUMBLING(1m) INTO bars WITH ({sink(cluster.address, minutes, "bars")});
        """
    )
    report = run(one_spark, text, tmp_path)
    assert report["copied"]["records"]["read"] == 1502
    assert report["copied"]["records"]["filtered"] == 750
    assert report["copied"]["records"]["dead_lettered"] == {"undecodable": 1, "tombstone": 1}
    assert set(report["counted"]["partitions"]) == {"s/0", "s/1"}

    copied = cluster.read(copies)
    assert sorted(one["v"] for one in values(copied)) == list(range(0, 1500, 2))
    first = next(one for one in copied if json.loads(one.value or "")["v"] == 4)
    assert json.loads(first.value or "") == {
        **{"k": "e!", "v": 4, "topic": orders, "p": 0, "o": 2, "old_key": "key-4", "trace": TRACE.decode()},
    }
    assert first.key == "e!"
    assert first.headers == [("traceparent", TRACE), ("tag", b"one"), ("tag", b"two"), ("step", b"new")]
    assert first.time == START + 400

    bars = cluster.read(minutes)
    assert sum(one["n"] for one in values(bars)) == 1500
    assert {one.key for one in bars} >= {"a|0", "b|1"}
    assert bars[0].time % 60_000 == 59_999
    run_again = run(one_spark, text, tmp_path)
    assert cluster.read(copies) == copied
    assert cluster.read(minutes) == bars
    assert run_again["copied"]["records"]["read"] == 1502

    cluster.send(orders, records(1500, 300))
    report = run(one_spark, text, tmp_path)
    assert report["counted"]["records"]["read"] == 1802
    assert sorted(one["v"] for one in values(cluster.read(copies))) == list(range(0, 1800, 2))
    newest = {
        (one["k"], one["p"], message.time): one
        for one, message in zip(values(cluster.read(minutes)), cluster.read(minutes), strict=True)
    }
    assert sum(one["n"] for one in newest.values()) == 1800
