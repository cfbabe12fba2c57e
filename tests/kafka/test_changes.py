"""Streams of changes as Debezium writes them, on a real broker: rows are replaced and taken away, also in results."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.formats.held import Settings
from tests.kafka.apps import START, properties, run, sink, source
from tests.kafka.cluster import Cluster

from velostream.errors import VeloError
from velostream.formats.encoding.encoders import value_encoder

if TYPE_CHECKING:
    from tests.postgres.server import Database as PostgreSQL

MINUTE = 60_000
COLUMNS = "id INT PRIMARY KEY, k STRING, v INT, at BIGINT"
Row = dict[str, Any]


class Database:
    """A table whose changes are written down: rows come, change and go at random, the keys are few."""

    def __init__(self, seed: int, keys: int = 9) -> None:
        self.chance = random.Random(seed)
        self.keys = keys
        self.rows: dict[int, Row] = {}
        self.tombstones = 0

    def _row(self, number: int) -> Row:
        at = START + self.chance.randrange(4 * MINUTE)
        return {"id": number, "k": self.chance.choice("abc"), "v": self.chance.randint(-3, 9), "at": at}

    def changes(self, count: int) -> list[dict[str, Any]]:
        """Messages; what a row was before is told in full, by its key alone, or not at all."""
        found: list[dict[str, Any]] = []
        for _ in range(count):
            number = self.chance.randrange(self.keys)
            old = self.rows.get(number)
            if old is None:
                self.rows[number] = self._row(number)
                found.append(_change(number, self.chance.choice("cr"), None, self.rows[number]))
            elif self.chance.random() < 0.6:
                self.rows[number] = self._row(number)
                found.append(_change(number, "u", self.chance.choice([old, None]), self.rows[number]))
            else:
                del self.rows[number]
                key_alone = {"id": number, "k": None, "v": None, "at": None}
                found.append(_change(number, "d", self.chance.choice([old, key_alone]), None))
                found.append({"value": None, "key": str(number), "partition": number % 2})
                self.tombstones += 1
        return found


def _change(number: int, op: str, before: Row | None, after: Row | None) -> dict[str, Any]:
    told: Any = {"op": op, "before": before, "after": after, "ts_ms": 1}
    if number % 3 == 0:  # as it is with schemas enabled
        told = {"schema": {}, "payload": told}
    return {"value": json.dumps(told), "key": str(number), "partition": number % 2}


def of_topic(cluster: Cluster, topic: str) -> dict[str, Any]:
    """What a topic leaves of each key."""
    newest = {str(one.key): one.value for one in cluster.read(topic)}
    return {key: json.loads(value) for key, value in newest.items() if value is not None}


def of_files(folder: Path, *key: str) -> dict[Any, Row]:
    """What the lines of a sink leave of each key: the newest revision, unless that is withdrawn."""
    lines = [json.loads(line) for file in folder.rglob("*.jsonl") for line in file.read_text().splitlines()]
    lines.sort(key=lambda one: (one["_revision"], one["_emission"] == "retract"))
    newest = {tuple(one[name] for name in key): one for one in lines}
    return {key: one for key, one in newest.items() if one["_emission"] != "retract"}


def test_what_is_left_of_random_changes_is_what_a_batch_computes_of_the_rows_that_stand(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    topic, rows, sums = cluster.topic("changes", 2), cluster.topic("rows"), cluster.topic("sums")
    database = Database(11)
    settings = {"format": "debezium_json", "max_records_per_batch": "60"}
    files = {name: properties(name, type="file_sink", path=str(tmp_path / name), format="jsonl") for name in "fgh"}
    text = (
        source(cluster.address, topic, COLUMNS, **settings)
        + f"""
        -- @num_partitions: 2
        CREATE STREAM copied AS SELECT id PRIMARY KEY, k || '!' AS k, v FROM s WHERE v >= 0
        INTO out, f WITH ({sink(cluster.address, rows, write_mode="upsert")}, {files["f"]});
        -- @num_partitions: 2
        CREATE STREAM summed AS SELECT k, COUNT(*) AS n, SUM(v) AS total, MAX(v) AS most FROM s WHERE v <> 3
        GROUP BY k EMIT CHANGES
        INTO up, g WITH ({sink(cluster.address, sums, "up", write_mode="upsert")}, {files["g"]});
        -- @num_partitions: 2
        CREATE STREAM bars AS SELECT _window_start AS start, COUNT(*) AS n, SUM(v) AS total FROM s
        WINDOW TUMBLING(1m) INTO h
        WITH ({files["h"]}, 'allowed.lateness' = '1h', 's.watermark.max_out_of_orderness' = '10m');
        """
    )
    read = 0
    for count in (60, 40):
        changes = database.changes(count)
        cluster.send(topic, changes)
        read += len(changes)
        report = run(one_spark, text, tmp_path)
        standing = list(database.rows.values())
        for job in ("copied", "summed", "bars"):
            assert report[job]["records"]["read"] == read
            assert report[job]["records"]["dead_lettered"] == {}
            assert report[job]["records"]["filtered"] == database.tombstones
        copies = {str(one["id"]): (f"{one['k']}!", one["v"]) for one in standing if one["v"] >= 0}
        assert {key: (one["k"], one["v"]) for key, one in of_topic(cluster, rows).items()} == copies
        assert {str(key[0]): (one["k"], one["v"]) for key, one in of_files(tmp_path / "f", "id").items()} == copies

        groups, windows = defaultdict(list), defaultdict(list)
        for one in standing:
            if one["v"] != 3:
                groups[one["k"]].append(one["v"])
            windows[(one["at"] - START) // MINUTE].append(one["v"])
        wanted = {k: (len(values), sum(values), max(values)) for k, values in groups.items()}
        assert {k: (one["n"], one["total"], one["most"]) for k, one in of_topic(cluster, sums).items()} == wanted
        found = of_files(tmp_path / "g", "k")
        assert {key[0]: (one["n"], one["total"], one["most"]) for key, one in found.items()} == wanted
        bars = of_files(tmp_path / "h", "start")
        told = sorted((one["n"], one["total"]) for one in bars.values())
        assert told == sorted((len(values), sum(values)) for values in windows.values())


def avro(*rows: tuple[int, str, str]) -> list[bytes]:
    """Changes in Avro, by the columns alone: each an emission and what the row is then, or was."""
    names = ("a", "b", "_emission")
    table = pa.table([list(values) for values in zip(*rows, strict=True)], names=list(names))
    settings: Any = Settings({"format": "debezium_avro"})
    return [bytes(one) for one in value_encoder("out", table.schema, settings)(table).to_pylist()]


def test_without_a_declared_key_rows_are_known_by_that_of_the_message(
    one_spark: Any, cluster: Cluster, tmp_path: Path, postgres: PostgreSQL
) -> None:
    topic = cluster.topic(partitions=2)
    settings = {"type": "kafka_source", "topic": topic, "bootstrap_servers": cluster.address, "format": "debezium_avro"}
    text = f"""CREATE STREAM s (a BIGINT, b STRING) WITH ({properties("s", **settings)});
        CREATE STREAM copied AS SELECT _key AS name PRIMARY KEY, a, b FROM s INTO db WITH (
        'db.type' = 'database_sink', 'db.url' = '{postgres.url}', 'db.table' = 'newest', 'db.table.create' = 'true');"""
    came = avro((1, "x", "change"), (2, "y", "change"), (3, "z", "change"), (4, "?", "change"))
    keys = ("p", "q", "r", None)
    keyed = [{"key": key, "value": value, "partition": 0} for key, value in zip(keys, came, strict=True)]
    cluster.send(topic, [*keyed, {"key": "p", "value": b"\xff", "partition": 0}])
    records = run(one_spark, text, tmp_path)["copied"]["records"]
    assert records["dead_lettered"] == {"null_key": 1, "undecodable": 1}
    assert postgres.ask("SELECT name, a, b FROM newest ORDER BY name") == [("p", 1, "x"), ("q", 2, "y"), ("r", 3, "z")]
    changed, gone = avro((5, "x", "change"), (2, "", "retract"))
    news = (("r", changed), ("q", gone), ("q", None))
    cluster.send(topic, [{"key": key, "value": value, "partition": 0} for key, value in news])
    report = run(one_spark, text, tmp_path)["copied"]
    assert report["records"]["filtered"] == 1
    assert postgres.ask("SELECT name, a, b FROM newest ORDER BY name") == [("p", 1, "x"), ("r", 5, "x")]
    cluster.send(topic, [{"key": "p", "value": changed, "partition": 1}])
    with pytest.raises(VeloError, match="the key 'p' are in partitions 0, 1"):
        run(one_spark, text, tmp_path)
