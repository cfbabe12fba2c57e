"""What is read of JSON in a worker is what Spark reads of it, whatever the texts are; the rest is left to Spark."""

from __future__ import annotations

import json
import random
from typing import Any

import pyarrow as pa
import pytest

from velostream.formats.decoding.json_columns import is_plain, read_columns
from velostream.types import parse

COLUMNS = {
    "t": ("STRING", pa.string()),
    "b": ("BOOLEAN", pa.bool_()),
    "y": ("TINYINT", pa.int8()),
    "i": ("INT", pa.int32()),
    "l": ("BIGINT", pa.int64()),
    "d": ("DOUBLE", pa.float64()),
    "x": ("DECIMAL(10,3)", pa.decimal128(10, 3)),
    "at": ("TIMESTAMP", pa.timestamp("us", "UTC")),
    "a": ("ARRAY<STRING>", pa.list_(pa.string())),
    "s": ("STRUCT<k: BIGINT, m: ARRAY<DOUBLE>>", pa.struct([("k", pa.int64()), ("m", pa.list_(pa.float64()))])),
}
SCHEMA = pa.schema([(name, kind) for name, (_, kind) in COLUMNS.items()])
PLAIN = {
    "a": ["[]", '["a", null, ""]', "null"],
    "s": ["{}", '{"k": 1}', '{"m": [1, 2.5, null], "other": {}}', "null"],
    "t": ['""', '"a"', '"ä\\u00e4\\n\\u0000"', '"\\ud83d\\ude00"', '"{}"', '"12"', "null"],
    "b": ["true", "false", "null"],
    "y": ["0", "-128", "127", "null"],
    "i": ["0", "-0", "2147483647", "-2147483648", "null"],
    "l": ["0", "9223372036854775807", "-9223372036854775808", "null"],
    "d": [
        "0",
        "-0.0",
        "1e5",
        "1E-7",
        "0.1",
        "4.9e-324",
        "1.7976931348623157e308",
        "123456789012345678901234567890",
        "7",
    ],
    "x": ["0", "1.5", "-1234567.891", "1e2", '"2.25"', "9999999.999", "null"],
    "at": [
        '"2026-01-02T03:04:05Z"',
        '"2026-01-02 03:04:05.123456"',
        '"0001-01-01T00:00:00Z"',
        '"2024-02-29T23:59:59.9Z"',
        "null",
    ],
}
ODD = {
    "a": ["[1]", '"a"', "{}", '[["a"]]'],
    "s": ['{"k": "1"}', "[]", '{"m": [[]]}', '{"k": 1, "k": 2}', '{"m": {}}', "7"],
    "t": ["1", "1.50", "true", '{"k": [1, "z"]}', "[1]", '"\\ud800"', '"\n"', "'a'"],
    "b": ['"true"', "1", "TRUE"],
    "y": ["128", "1.0", '"1"', "1e1"],
    "i": ["2147483648", "1.0", "01", '"5"', "1e2", ""],
    "l": ["9223372036854775808", "1.5", '"7"'],
    "d": ["NaN", "Infinity", '"NaN"', "1e999", "1.", ".5", "+1", '"1.5"'],
    "x": ["1.2345", "12345678.9", "99999999999", '"x"', "1e20"],
    "at": [
        '"2026-02-30T00:00:00Z"',
        '"2026-01-02"',
        '"2026-01-02T03"',
        '"2026-01-02T03:04:60Z"',
        "1700000000",
        '"x"',
        '"2026-01-02T03:04:05+01:00"',
        '"2026-1-2 3:4:5"',
        '"0000-01-01T00:00:00Z"',
        '"2026-01-02T03:04:05.1234567Z"',
        "0.5",
    ],
}
WHOLE = [
    "", " ", "{}", "null", "[]", "{", "}", '{"t":"a"', '{"t":"a"}}', '{"t":"a"}{"t":"b"}', '{"t":"a"} {"t":"b"}',
    '{"t":"a","t":"b"}', '[{"t":"a"}]', ' {"t":"a"}', '{"t":"a"}\n', '{"t":"a",}', "{'t':'a'}", '{"T":"a"}',
    '{"z":{"t":"a","z":[{}]},"t":"b"}', '{"t":"a"}x}', '{"z":"\t"}', '{"z":01}', '{/*c*/"t":"a"}', '\ufeff{"t":"a"}',
    '{"z":' + "[" * 1100 + "]" * 1100 + "}", '{"d":' + "1" * 1100 + "}", '{"z":"' + "a" * 2000 + '","t":"a"}',
]  # fmt: skip


def text(chance: random.Random, odd: float) -> str:
    names = chance.sample(sorted(COLUMNS), chance.randint(0, len(COLUMNS)))
    members = [f'"{name}":{chance.choice((ODD if chance.random() < odd else PLAIN)[name])}' for name in names]
    if chance.random() < 0.2:
        members.insert(0, '"unknown":{"a":[1,2,{"b":null}]}')
    return "{" + chance.choice([",", ", ", ",\n "]).join(members) + "}"


@pytest.mark.parametrize("odd", [0.0, 0.3])
def test_texts_that_are_taken_say_what_spark_reads_in_them(one_spark: Any, odd: float) -> None:
    chance = random.Random(7)
    texts = [text(chance, odd) for _ in range(600)]
    texts += WHOLE if odd else []
    wanted = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items()) + ", _corrupt STRING"
    frame = one_spark.createDataFrame(list(enumerate(texts)), "n INT, v STRING")
    options = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_corrupt')"
    read = frame.selectExpr("n", f"from_json(v, '{wanted}', {options}) AS r").orderBy("n").select("r.*").toArrow()
    taken = 0
    # one by one where texts are odd, so that none of them hides another
    groups = [[n] for n in range(len(texts))] if odd else [list(range(len(texts)))]
    for group in groups:
        found, places = read_columns(pa.array([texts[n] for n in group], pa.string()), SCHEMA)
        taken += len(places)
        for row, place in zip(found.to_pylist(), places, strict=True):
            expected = read.slice(group[place], 1).to_pylist()[0]
            assert expected.pop("_corrupt") is None, texts[group[place]]
            assert repr(row) == repr(expected), texts[group[place]]
    assert taken == len(texts) if not odd else 100 < taken < len(texts)


def test_odd_texts_cost_only_those_around_them() -> None:
    texts: list[bytes | None] = [json.dumps({"t": str(n), "l": n}).encode() for n in range(20_000)]
    texts[3], texts[9_000], texts[19_999], texts[77] = b'{"l":"x"}', None, b'{"t":"\xff"}', b'{"t":"a"}{"t":"b"}'
    found, places = read_columns(pa.array(texts, pa.binary()), SCHEMA)
    assert set(range(20_000)) - set(places) >= {3, 9_000, 19_999, 77}
    assert len(places) > 19_000
    assert found["t"].to_pylist() == [str(place) for place in places]


def test_where_every_part_has_odd_texts_all_are_left() -> None:
    texts = [b'{"l":"x"}' if n % 50 == 0 else b'{"l":1}' for n in range(10_000)]
    assert len(read_columns(pa.array(texts), SCHEMA)[1]) == 0


def test_only_types_that_readers_agree_on_are_plain() -> None:
    assert all(is_plain(parse(kind)) for kind, _ in COLUMNS.values())
    odd = ("FLOAT", "DATE", "MAP<STRING, INT>", "BINARY", "VARIANT", "TIMESTAMP_NTZ", "ARRAY<DATE>", "ARRAY<TIMESTAMP>")
    assert not any(is_plain(parse(kind)) for kind in odd)
