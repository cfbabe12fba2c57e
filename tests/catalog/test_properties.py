"""All properties are declared well, and help finds them."""

import re

import pytest

from velostream.catalog.properties import (
    connectors_of,
    declared_keys,
    groups,
    sink_keys,
    source_keys,
    stream_keys,
    table_keys,
)
from velostream.config.job import JOB
from velostream.config.owner import Look
from velostream.config.property import Property
from velostream.formats import FORMATS
from velostream.sinks import SINKS
from velostream.sources import SOURCES

EVERY = [(group.title, declared) for group in groups() for declared in group.properties]


def looking(**given: str) -> Look:
    return lambda *keys: next((given[key.replace(".", "_")] for key in keys if key.replace(".", "_") in given), "")


@pytest.mark.parametrize(("title", "declared"), EVERY, ids=lambda value: getattr(value, "name", value))
def test_every_property_has_a_doc_of_one_line_and_a_name_that_can_be_typed(title: str, declared: Property) -> None:
    assert declared.doc
    assert "\n" not in declared.doc
    assert not declared.doc.endswith(".")
    for spelling in declared.spellings:
        assert re.fullmatch(r"[a-z0-9*]+([._-][a-z0-9*]+)*", spelling), spelling


@pytest.mark.parametrize("name", [*SOURCES, "kafka", "filesystem", "jdbc", "nonsense", ""])
@pytest.mark.parametrize("format_name", [*FORMATS, "nonsense", ""])
def test_no_two_keys_of_an_owner_collide(name: str, format_name: str) -> None:
    look = looking(type=name, format=format_name, path="x.csv")
    for keys in (source_keys, declared_keys, table_keys, stream_keys):
        assert keys(look).keys
    for sink in (*SINKS, "kafka", ""):
        assert sink_keys(looking(type=sink, format=format_name, key_format=format_name)).keys


@pytest.mark.parametrize(
    ("word", "source", "sink"),
    [
        ("kafka", "kafka_source", "kafka_sink"),
        ("kafka_source", "kafka_source", None),
        ("KAFKA-SINK", None, "kafka_sink"),
        ("filesystem", "file_source", "file_sink"),
        ("print", None, "console_sink"),
        ("datagen", "datagen_source", None),
        ("carrier_pigeon", None, None),
        ("", None, None),
    ],
)
def test_what_a_type_means(word: str, source: str | None, sink: str | None) -> None:
    found = connectors_of(word)
    assert [one.name if one else None for one in found] == [source, sink]


def test_options_of_a_format_belong_to_owners_of_that_format() -> None:
    assert source_keys(looking(type="kafka_source", format="csv")).find("csv.delimiter")
    assert not source_keys(looking(type="kafka_source", format="json")).find("csv.delimiter")
    assert source_keys(looking(type="file_source", path="a.csv")).find("csv.delimiter")
    assert source_keys(looking(type="file_source", path="a")).find("csv.delimiter")
    assert not source_keys(looking(type="file_source", path="a.parquet")).find("csv.delimiter")
    assert sink_keys(looking(type="kafka_sink", key_format="avro")).find("schema.registry.url")
    assert not sink_keys(looking(type="kafka_sink", format="json")).find("schema.file")
    assert sink_keys(looking(type="kafka_sink", format="protobuf")).find("schema.message")


def test_a_table_over_a_source_has_the_keys_of_both() -> None:
    declared = table_keys(looking(type="file_source", path="a.csv"))
    assert declared.find("missing.data.strategy")
    assert declared.find("path")
    assert not table_keys(looking()).find("path")


JOB_NAMES = """
    event.time.format event.time.zone event.time.fallback event.time.max_clock_skew time.semantics
    watermark.max_out_of_orderness watermark.strategy watermark.emit_interval watermark.scope watermark.idle_timeout
    allowed.lateness late.data.strategy emit emit.granularity emit.early emit.on emit.every.count emit.accumulation
    emit.fallback fill state.ttl state.hot.max_size state.hot.ttl state.warm.backend state.warm.cache_size
    state.warm.ttl state.cold.backend state.cold.retention state.memory.total job.mode batch.size num_partitions
    partitioning_strategy failure_strategy max_retries retry_backoff scan.in_worker tables.load.parallelism preset
    config_file deployment.node_id deployment.node_name deployment.region sla.latency.p99 sla.availability
    observability.metrics.enabled observability.tracing.enabled observability.profiling.enabled
"""


def test_a_job_has_what_is_promised() -> None:
    assert [name for name in JOB_NAMES.split() if JOB.find(name) is None] == []


@pytest.mark.parametrize(
    ("type_name", "names"),
    [
        (
            "kafka_source",
            """topic topic.pattern bootstrap.servers group.id auto.offset.reset max.records.per.batch format key.format
            on.data.loss topic.wait.timeout topic.retry.interval profile event.time.field partitions dedup.key dedup.ttl
            security.protocol schema.file schema.registry.url max.rate start.time config_file refresh.interval
            refresh.mode version.time watermark.max_out_of_orderness""",
        ),
        ("file_source", "path partition.by partitions files.per.batch growing file.wait.timeout file.retry.interval"),
        ("database_source", "url table query incremental.column database.wait.timeout database.retry.interval"),
        ("http_source", "url records.path poll.interval listen http.wait.timeout"),
        ("s3_source", "path s3.notifications s3.endpoint"),
        ("datagen_source", "rate rows seed partitions order out_of_order.fraction late.fraction fields.price.min"),
    ],
)
def test_a_source_has_what_is_promised(type_name: str, names: str) -> None:
    known = source_keys(looking(type=type_name, path="x"))
    assert [name for name in names.split() if known.find(name) is None] == []


@pytest.mark.parametrize(
    ("type_name", "names"),
    [
        ("kafka_sink", "topic bootstrap.servers format key.format topic.create topic.partitions compression.type acks"),
        ("file_sink", "path format compression rotation.size rotation.interval read.from.sink"),
        ("database_sink", "url table table.create write.mode username password"),
        ("http_sink", "url method timeout"),
    ],
)
def test_a_sink_has_what_is_promised(type_name: str, names: str) -> None:
    known = sink_keys(looking(type=type_name))
    assert [name for name in names.split() if known.find(name) is None] == []


@pytest.mark.parametrize(
    "name", ["missing.data.strategy", "wait.timeout", "refresh.interval", "auto.offset.reset", "retention"]
)
def test_a_table_has_what_is_promised(name: str) -> None:
    assert table_keys(looking()).find(name)


@pytest.mark.parametrize("name", ["read.early", "read.from.sink"])
def test_a_stream_has_what_is_promised(name: str) -> None:
    assert stream_keys(looking()).find(name)


def test_help_finds_properties_by_the_beginning_of_a_name_an_alias_or_a_group() -> None:
    found = {declared.name for group in groups("watermark.") for declared in group.properties}
    assert "watermark.scope" in found
    assert all(name.startswith("watermark") for name in found)
    assert [group.title for group in groups("kafka_source")] == ["kafka_source"]
    assert any(
        declared.name == "auto.offset.reset" for group in groups("scan.startup") for declared in group.properties
    )
    assert any(group.families for group in groups("properties."))
    assert groups("no-such-thing") == ()
