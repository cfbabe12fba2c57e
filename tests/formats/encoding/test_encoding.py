"""Rows to bytes: every value keeps its digits, its NULL and its zone, however many rows there are."""

import io
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from tests.formats.held import Settings

from velostream import types
from velostream.errors import VeloError
from velostream.formats.decoding.protobuf import ProtobufDecoder
from velostream.formats.encoding.csv_texts import CsvStyle, csv_header, csv_rows
from velostream.formats.encoding.encoders import key_encoder, value_encoder
from velostream.formats.encoding.json_texts import json_rows
from velostream.formats.schemas.made_proto import proto_text
from velostream.formats.schemas.proto_sources import ProtoSources

_TABLE = pa.table(
    {
        "i": pa.array([1, None, -5], pa.int64()),
        "b": pa.array([True, None, False]),
        "f": pa.array([1.0, float("nan"), None]),
        "g": pa.array([0.1, float("-inf"), 1e-7], pa.float32()),
        "d": pa.array([Decimal("0.00000001"), None, Decimal("12.5")], pa.decimal128(20, 8)),
        's"': pa.array(['a"b\\\n', None, "ü"]),
        "t": pa.array([datetime(2024, 1, 1, tzinfo=UTC), None, datetime(1960, 1, 1, 1, 2, 3, 4, tzinfo=UTC)]),
        "n": pa.array([datetime(2024, 1, 1), None, datetime(1, 1, 1)], pa.timestamp("us")),
        "day": pa.array([date(2024, 1, 1), None, date(1, 1, 1)]),
        "x": pa.array([b"\xff\x00", None, b""]),
        "l": pa.array([["a", None, '"'], None, []], pa.list_(pa.string())),
        "st": pa.array([{"q": 1, "r": [1.5]}, None, {"q": None, "r": None}]),
        "m": pa.array([[("k", 1), ('j"', None)], None, []], pa.map_(pa.string(), pa.int64())),
        "du": pa.array([timedelta(days=1, seconds=3), None, timedelta(0)]),
        "none": pa.nulls(3, pa.string()),
    }
)
_ROWS = [
    '{"i":1,"b":true,"f":1.0,"g":0.1,"d":0.00000001,"s\\"":"a\\"b\\\\\\n","t":"2024-01-01T00:00:00.000000Z",'
    '"n":"2024-01-01T00:00:00.000000","day":"2024-01-01","x":"/wA=","l":["a",null,"\\""],"st":{"q":1,"r":[1.5]},'
    '"m":{"k":1,"j\\"":null},"du":"1 day, 0:00:03","none":null}',
    '{"i":null,"b":null,"f":"NaN","g":"-Infinity","d":null,"s\\"":null,"t":null,"n":null,"day":null,"x":null,'
    '"l":null,"st":null,"m":null,"du":null,"none":null}',
    '{"i":-5,"b":false,"f":null,"g":1e-7,"d":12.50000000,"s\\"":"ü","t":"1960-01-01T01:02:03.000004Z",'
    '"n":"0001-01-01T00:00:00.000000","day":"0001-01-01","x":"","l":[],"st":{"q":null,"r":null},"m":{},'
    '"du":"0:00:00","none":null}',
]


_CSV = {"csv.quote": '"', "csv.delimiter": ";", "csv.null": "NA"}


def _value(rows: pa.Table, form: str) -> list[bytes | None]:
    settings: Any = Settings({"format": form, **_CSV})
    found: list[bytes | None] = value_encoder("out", rows.schema, settings)(rows).to_pylist()
    return found


def _key(rows: pa.Table, form: str) -> list[bytes | None]:
    settings: Any = Settings({"key.format": form, **_CSV})
    found: list[bytes | None] = key_encoder("out", rows.schema, settings)(rows).to_pylist()
    return found


def test_json_holds_every_value_of_every_type() -> None:
    assert json_rows(_TABLE).to_pylist() == _ROWS
    for row in _ROWS:
        json.loads(row)


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (_TABLE.slice(1, 2), _ROWS[1:]),
        (pa.concat_tables([_TABLE.slice(2), _TABLE.slice(0, 2)]), [_ROWS[2], *_ROWS[:2]]),
        (_TABLE.slice(0, 0), []),
        (_TABLE.select([]), ["{}"] * 3),
    ],
)
def test_slices_chunks_and_nothing_are_rows_too(rows: pa.Table, wanted: list[str]) -> None:
    assert json_rows(rows).to_pylist() == wanted


def test_csv_quotes_what_would_be_read_as_something_else() -> None:
    rows = pa.table({"a": ["x;y", "", None, "NA", 'q"'], "b": pa.array([[1], None, [], [2], [3]])})
    style = CsvStyle(";", null="NA")
    assert csv_rows(rows, style).to_pylist() == ['"x;y";[1]', '"";NA', "NA;[]", '"NA";[2]', '"q""";[3]']
    assert csv_rows(rows.slice(0, 1), CsvStyle(escape="\\")).to_pylist() == ["x;y,[1]"]
    assert csv_rows(pa.table({"a": ['\\"']}), CsvStyle(escape="\\")).to_pylist() == ['"\\\\\\""']
    assert csv_header(["a;", "b"], style) == '"a;";b'


def test_values_are_bytes_by_format() -> None:
    one = pa.table({"a": ["ü", None]})
    assert _value(one, "json") == ['{"a":"ü"}'.encode(), b'{"a":null}']
    assert _value(one, "csv") == ["ü".encode(), b"NA"]
    assert _value(one, "string") == ["ü".encode(), None]
    assert _value(pa.table({"a": [b"\xff"]}), "bytes") == [b"\xff"]


def test_keys_are_joined_escaped_and_null_where_there_is_none() -> None:
    both = pa.table({"a": ["x|y", "\\", None], "b": [1, None, 3]})
    assert _key(both, "string") == [b"x\\|y|1", b"\\\\|\\N", b"\\N|3"]
    assert _key(both, "json") == [b'{"a":"x|y","b":1}', b'{"a":"\\\\","b":null}', b'{"a":null,"b":3}']
    assert _key(both.select(["a"]), "string") == [b"x|y", b"\\", None]
    assert _key(both.select(["a"]), "json") == [b'"x|y"', b'"\\\\"', None]


def test_a_format_of_one_column_refuses_several() -> None:
    with pytest.raises(VeloError, match="sink 'out' has format string, which is one column, not 2") as raised:
        _value(pa.table({"a": ["x"], "b": [1]}), "string")
    assert raised.value.hint == "select one column, or use json, csv, avro or protobuf"
    with pytest.raises(VeloError, match="neither BINARY nor STRING"):
        _value(pa.table({"a": [1]}), "bytes")


def test_changes_say_what_happened_to_a_row() -> None:
    rows = pa.table({"a": [1, 2, 3], "_emission": ["final", "late", "retract"], "_revision": [1, 2, 3]})
    assert _value(rows, "debezium_json") == [
        b'{"before":null,"after":{"a":1},"op":"c"}',
        b'{"before":null,"after":{"a":2},"op":"u"}',
        b'{"before":{"a":3},"after":null,"op":"d"}',
    ]
    assert _value(rows.select(["a"]), "debezium_json")[1] == b'{"before":null,"after":{"a":2},"op":"c"}'


def test_times_of_an_avro_schema_in_milliseconds_are_whole_numbers_rounded_down(tmp_path: Path) -> None:
    kind = {"type": "long", "logicalType": "timestamp-millis"}
    schema = {"type": "record", "name": "x", "fields": [{"name": "t", "type": ["null", kind]}]}
    (tmp_path / "x.avsc").write_text(json.dumps(schema))
    rows = pa.table({"t": pa.array([-1, 1_700_000_000_123_456, None], pa.timestamp("us", "UTC"))})
    settings: Any = Settings({"format": "avro", "schema.file": "x.avsc"})
    made = value_encoder("out", rows.schema, settings, tmp_path)(rows).to_pylist()
    read = [fastavro.schemaless_reader(io.BytesIO(one), schema, None)["t"] for one in made]
    assert [one and one.isoformat() for one in read] == [
        "1969-12-31T23:59:59.999000+00:00",
        "2023-11-14T22:13:20.123000+00:00",
        None,
    ]


@pytest.mark.parametrize("value", [pa.array([[1, None]]), pa.array([[("a", None)]], pa.map_(pa.string(), pa.int64()))])
def test_protobuf_refuses_lists_and_maps_that_hold_null(value: pa.Array) -> None:
    with pytest.raises(ValueError, match="field 'v' holds NULL in a list or map"):
        _value(pa.table({"v": value}), "protobuf")


def test_readers_of_protobuf_do_without_columns_that_are_added_behind_others() -> None:
    few = pa.table({"k": ["a"], "total": pa.array([1], pa.int64())})
    more = few.append_column("_emission", pa.array(["late"])).append_column("_revision", pa.array([2], pa.int32()))
    old, new = (ProtoSources(proto_text(rows.schema, "out")) for rows in (few, more))
    kinds = (("k", types.STRING), ("total", types.BIGINT), ("_emission", types.STRING), ("_revision", types.INT))

    by_old = ProtobufDecoder(few.schema, kinds[:2], old)(pa.array(_value(more, "protobuf"), pa.binary()))
    by_new = ProtobufDecoder(more.schema, kinds, new)(pa.array(_value(few, "protobuf"), pa.binary()))

    assert by_old.to_pylist() == [{"k": "a", "total": 1, "_fault": None}]
    assert by_new.to_pylist() == [{"k": "a", "total": 1, "_emission": None, "_revision": None, "_fault": None}]
