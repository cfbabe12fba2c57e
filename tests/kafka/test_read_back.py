"""A stream that is read back from the topic of its sink gives what it gives where its reader computes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.kafka.apps import START, properties, run, sink, source
from tests.kafka.cluster import Cluster
from tests.kafka.test_from_kafka_to_kafka import records


def newest(folder: Path) -> dict[str, dict[str, Any]]:
    """The newest row of each key in the files of a folder."""
    lines = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    return {row["k"]: {"n": row["n"], "windows": row["windows"]} for row in sorted(lines, key=lambda r: r["_revision"])}


def test_corrected_rows_of_a_transactional_job_are_read_from_a_topic_that_was_not_there(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    orders, minutes = cluster.topic("orders", 2), f"{cluster.topic('minutes', 1)}-made"
    late = [{"value": json.dumps({"k": "a", "v": 1, "at": START + 5}), "partition": n % 2} for n in range(10)]
    cluster.send(orders, [*records(0, 1200), *late])
    made = sink(cluster.address, minutes, "bars", topic_create="true", topic_partitions="2")
    hours = "SELECT k, SUM(n) AS n, COUNT(*) AS windows FROM minutes GROUP BY k WINDOW TUMBLING(1h) INTO"
    files = {name: properties(name, type="file_sink", path=f"out/{name}") for name in ("one", "two")}
    text = (
        source(cluster.address, orders, max_records_per_batch="800")
        + f"""
        -- @job_mode: transactional
        CREATE STREAM minutes AS SELECT k, _window_start AS started, COUNT(*) AS n FROM s
          GROUP BY k WINDOW TUMBLING(1m) INTO bars WITH ({made}, 'allowed.lateness' = '10m');
        CREATE STREAM fused AS {hours} one WITH ({files["one"]});
        CREATE STREAM again AS {hours} two WITH ({files["two"]}, 'minutes.read.from.sink' = 'true');
        """
    )
    report = run(one_spark, text, tmp_path)
    assert report["minutes"]["emitted"]["late"] == 1
    assert report["again"]["records"]["read"] == 11
    assert report["again"]["records"]["dead_lettered"] == {}
    expected = {k: {"n": 250 if k == "a" else 240, "windows": 2} for k in "abcde"}
    assert newest(tmp_path / "out/one") == newest(tmp_path / "out/two") == expected


def test_rows_that_are_corrected_are_read_from_topics_of_avro_and_protobuf(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    orders = cluster.topic("orders", 1)
    sent = [(1, 0), (2, 30), (4, 61), (8, 130), (16, 5)]
    cluster.send(orders, [{"value": json.dumps({"k": "a", "v": v, "at": START + at * 1_000})} for v, at in sent])
    text = source(cluster.address, orders, max_records_per_batch="4")
    for form in ("avro", "protobuf"):
        made = sink(cluster.address, cluster.topic(form, 2), f"{form}_topic", format=form)
        text += f"""
        -- @num_partitions: 2
        CREATE STREAM {form} AS SELECT k, _window_start AS started, _event_time AS happened,
          CAST(SUM(v) AS DECIMAL(20, 2)) AS sum, NULLIF(MIN(v), 1) AS least FROM s GROUP BY k WINDOW TUMBLING(1m)
          INTO {form}_topic WITH ({made}, 'allowed.lateness' = '10m');
        -- @num_partitions: 2
        CREATE STREAM of_{form} AS SELECT k, SUM(sum) AS n, COUNT(least) AS windows FROM {form}
          GROUP BY k WINDOW TUMBLING(1h)
          INTO f{form} WITH ({properties(f"f{form}", type="file_sink", path=f"out/{form}")},
          '{form}.read.from.sink' = 'true');
        """
    report = run(one_spark, text, tmp_path)
    for form in ("avro", "protobuf"):
        assert report[form]["emitted"]["late"] == 1
        assert report[f"of_{form}"]["records"]["read"] == 4
        assert report[f"of_{form}"]["records"]["dead_lettered"] == {}
        assert newest(tmp_path / "out" / form) == {"a": {"n": 31.0, "windows": 2}}


def test_newest_rows_go_when_nothing_corrects_them_any_more_also_over_stops(
    one_spark: Any, cluster: Cluster, tmp_path: Path
) -> None:
    orders, minutes = cluster.topic("orders", 1), cluster.topic("minutes", 1)
    made = sink(cluster.address, minutes, "bars")
    files = {name: properties(name, type="file_sink", path=f"out/{name}") for name in ("each", "pairs")}
    behind = {"watermark_max_out_of_orderness": "6m", "max_records_per_batch": "20"}
    reads = properties("minutes", read_from_sink="true", **behind)
    text = (
        source(cluster.address, orders, max_records_per_batch="20")
        + f"""
        CREATE STREAM minutes AS SELECT k, _window_start AS started, COUNT(*) AS n FROM s
          GROUP BY k WINDOW TUMBLING(1m) INTO bars WITH ({made}, 'allowed.lateness' = '1m');
        CREATE STREAM plain AS SELECT k, started, n FROM minutes INTO each WITH ({files["each"]}, {reads},
          'state.ttl' = '2m');
        CREATE STREAM windowed AS SELECT k, _window_start AS started, SUM(n) AS n FROM minutes
          GROUP BY k WINDOW TUMBLING(2m) INTO pairs WITH ({files["pairs"]}, {reads});
        """
    )
    late = (("a", 1), ("b", 2), ("c", 30), ("a", -20))  # the last one belongs to the minute before
    sent = [(k, (minute * 60 + second) * 1_000) for minute in range(60) for k, second in late]
    for part in range(3):
        records = [{"k": k, "v": 1, "at": START + at} for k, at in sent[part * 80 : part * 80 + 80]]
        cluster.send(orders, [{"value": json.dumps(record)} for record in records])
        reports = run(one_spark, text, tmp_path)
    for name, job, length in (("each", "plain", 60_000), ("pairs", "windowed", 120_000)):
        said = stands(tmp_path / "out" / name)
        assert sum(row["n"] for row in said.values()) == len(sent)
        assert len(said) == len({(k, (START + at) // length) for k, at in sent})
        assert reports[job]["records"]["dead_lettered"] == {}
        assert reports[job]["windows"]["state_rows"] < 2 * len({(k, at // 60_000) for k, at in sent})


def stands(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The newest row of each key and window in the files of a folder."""
    lines = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    return {(row["k"], row["started"]): row for row in sorted(lines, key=lambda row: row["_revision"])}
