"""Tables from a real broker: all that is there, then what has come since; deletions; nothing is read twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.tables.loading_apps import refreshed, rows, tables_of

from velostream.spark.loading import kafka

if TYPE_CHECKING:
    import pytest
    from tests.kafka.cluster import Cluster

COLUMNS = "k STRING PRIMARY KEY, v INT"


def message(key: str, value: int | None) -> dict[str, Any]:
    return {"key": key, "value": None if value is None else json.dumps({"k": key, "v": value}), "partition": 0}


def test_a_topic_is_a_table_that_is_kept_up(
    one_spark: Any, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka, "STEP_MESSAGES", 3)
    topic = cluster.topic(partitions=2)
    cluster.send(topic, [message("a", 1), message("b", 2), message("a", 3), message("c", 4), message("b", None)])
    cluster.send(topic, [{"value": "not json", "partition": 1}, {"value": None, "partition": 1}])
    settings = {"type": "kafka_source", "topic": topic, "bootstrap_servers": cluster.address, "format": "json"}
    tables = tables_of(one_spark, tmp_path, COLUMNS, **settings)
    tables.load()
    assert rows(tables) == {"a": 3, "c": 4}
    assert tables.progress["t"].dead_lettered == 2
    cluster.send(topic, [message("c", None), message("d", 5)])
    assert refreshed(tables) == {"a": 3, "d": 5}
    assert tables.progress["t"].read == 2

    again = tables_of(one_spark, tmp_path, COLUMNS, **settings)
    cluster.send(topic, [message("e", 6)])
    again.load()
    assert rows(again) == {"a": 3, "d": 5, "e": 6}
    assert again.progress["t"].read == 1

    cluster.anew(topic, partitions=2)
    cluster.send(topic, [message("z", 7)])
    again.loading._refreshed("t")
    assert "ends before the messages that table 't' has: it was made anew" in again.progress["t"].error
    skipping = tables_of(one_spark, tmp_path, COLUMNS, **settings, on_data_loss="skip")
    skipping.load()
    assert rows(skipping) == {"a": 3, "d": 5, "e": 6, "z": 7}


def test_changes_of_a_database_are_a_table(one_spark: Any, cluster: Cluster, tmp_path: Path) -> None:
    def change(op: str, before: Any, after: Any) -> dict[str, Any]:
        return {"value": json.dumps({"op": op, "before": before, "after": after})}

    topic = cluster.topic()
    a, b = {"k": "a", "v": 1}, {"k": "b", "v": 2}
    cluster.send(topic, [change("r", None, a), change("c", None, b), change("u", a, {"k": "a", "v": 3})])
    settings = {"type": "kafka_source", "topic": topic, "bootstrap_servers": cluster.address}
    tables = tables_of(one_spark, tmp_path, COLUMNS, **settings, format="debezium_json")
    tables.load()
    assert rows(tables) == {"a": 3, "b": 2}
    cluster.send(topic, [change("d", b, None), {"value": None}])
    assert refreshed(tables) == {"a": 3}
    assert tables.progress["t"].dead_lettered == 1
