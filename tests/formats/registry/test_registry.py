"""Schemas in a real registry: numbers, subjects, evolution, and bytes that other tools wrote."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.formats.held import Settings
from tests.registry.server import NoRegistry, SchemaRegistry

from velostream import types
from velostream.errors import VeloError
from velostream.formats.decoding.avro import AvroDecoder
from velostream.formats.decoding.keys import KeyDecoder
from velostream.formats.decoding.protobuf import ProtobufDecoder
from velostream.formats.encoding.encoders import key_encoder, value_encoder
from velostream.formats.registry import Registry
from velostream.formats.registry.columns import registered_columns
from velostream.formats.registry.framing import framed


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    try:
        server = SchemaRegistry()
    except NoRegistry as error:
        pytest.skip(str(error))
    yield Registry(server.url)
    server.close()


def test_schemas_evolve_and_what_is_not_compatible_is_a_fault(registry: Registry, tmp_path: Path) -> None:
    settings: Any = Settings({"format": "avro", "key.format": "avro", "schema.registry.url": registry.url})
    first = pa.table({"a": pa.array([1, 2], pa.int32())})
    second = pa.table({"a": pa.array([3], pa.int32()), "b": ["new"]})
    old = value_encoder("out", first.schema, settings, subject="trades")
    data = [
        *old(first).to_pylist(),
        *value_encoder("out", second.schema, settings, subject="trades")(second).to_pylist(),
    ]
    assert data[0][0] == 0
    assert value_encoder("out", first.schema, settings, subject="trades") == old
    latest = registry.latest("trades-value")
    assert latest is not None
    assert [field["name"] for field in json.loads(latest.text)["fields"]] == ["a", "b"]
    assert registry.latest("nobody-value") is None

    columns = pa.schema([("a", pa.int64()), ("b", pa.string())])
    kinds = (("a", types.BIGINT), ("b", types.STRING))
    decoder = AvroDecoder(columns, kinds, registry=registry)
    found = decoder(pa.array([*data, framed(999_999) + b"\x00", b"{}"], pa.binary())).to_pylist()
    assert [(row["a"], row["b"]) for row in found[:3]] == [(1, None), (2, None), (3, "new")]
    assert found[3]["_fault"].endswith("has no schema of number 999999")
    assert found[4]["_fault"] == "the bytes do not begin with the number of a schema, as a registry's do"

    default = {"name": "b", "type": "string", "default": "none"}
    reader = {"type": "record", "name": "trades", "fields": [{"name": "a", "type": ["null", "long"]}, default]}
    read_as = AvroDecoder(columns, kinds, json.dumps(reader), registry)
    resolved = read_as(pa.array(data, pa.binary())).to_pylist()
    assert [(row["a"], row["b"]) for row in resolved] == [(1, "none"), (2, "none"), (3, "new")]

    number = registry.register(
        "texts-value", "AVRO", '{"type":"record","name":"t","fields":[{"name":"a","type":"string"}]}'
    )
    [changed] = decoder(pa.array([framed(number) + b"\x02x"])).to_pylist()
    assert changed["_fault"] == "column 'a' is BIGINT, and STRING in the schema of the record"


def test_protobuf_and_keys_go_through_it_too(registry: Registry) -> None:
    settings: Any = Settings({"format": "protobuf", "key.format": "avro", "schema.registry.url": registry.url})
    rows = pa.table({"a": pa.array([1], pa.int64()), "s": ["x"]})
    data = value_encoder("out", rows.schema, settings, subject="orders")(rows)
    kinds = (("a", types.BIGINT), ("s", types.STRING))
    [found] = ProtobufDecoder(rows.schema, kinds, registry=registry)(data).to_pylist()
    assert found == {"a": 1, "s": "x", "_fault": None}
    keys = key_encoder("out", rows.schema, settings, subject="orders")(rows)
    assert KeyDecoder("avro", registry=registry)(keys).field("key").to_pylist() == ['{"a":1,"s":"x"}']


def test_the_columns_of_a_source_are_those_of_its_subject(registry: Registry) -> None:
    rows = pa.table({"a": pa.array([1], pa.int64()), "s": ["x"]})
    for form, topic in (("json", "js"), ("avro", "av"), ("protobuf", "pb")):
        settings: Any = Settings({"format": form, "topic": topic, "schema.registry.url": registry.url})
        [data] = value_encoder("out", rows.schema, settings, subject=topic)(rows).to_pylist()
        assert data.endswith(b'{"a":1,"s":"x"}') == (form == "json")
        found = registered_columns("source", settings)
        assert [(field.name, str(field.type)) for field in found or ()] == [("a", "BIGINT"), ("s", "STRING")]
    missing: Any = Settings({"topic": "nobody", "schema.registry.url": registry.url})
    with pytest.raises(VeloError, match="has no subject 'nobody-value' for 'x'"):
        registered_columns("x", missing)


def test_a_schema_that_the_registry_refuses_is_said_with_its_words(registry: Registry) -> None:
    with pytest.raises(VeloError, match=f"the schema registry '{registry.url}' refuses"):
        registry.register("bad-value", "AVRO", '{"type": "nothing"}')


def test_a_registry_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("velostream.formats.registry.client._PAUSE", 0.0)
    with pytest.raises(VeloError, match="does not answer") as raised:
        Registry("http://127.0.0.1:9").latest("x")
    assert raised.value.error_code == "registry-unreachable"
