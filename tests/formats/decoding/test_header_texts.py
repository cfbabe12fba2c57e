"""Headers that crossed as JSON texts are the lists that they were."""

from __future__ import annotations

import json
from base64 import b64encode

import pyarrow as pa

from velostream.formats.decoding.header_texts import listed

KIND = pa.list_(pa.struct({"key": pa.string(), "value": pa.binary()}))
FEW = [{"key": 'é"\n', "value": b"\xff\n"}, {"key": "none", "value": None}, {"key": "twice", "value": b""}]


def _written(headers: list[dict[str, object]]) -> str:
    """As Spark writes them: bytes in base64, and nothing of a value that is NULL."""
    told = [{**one, "value": b64encode(one["value"]).decode()} for one in headers if isinstance(one["value"], bytes)]
    return json.dumps(
        [next((each for each in told if each["key"] == one["key"]), {"key": one["key"]}) for one in headers]
    )


def test_keys_values_and_their_order_come_back_and_messages_without_headers_have_an_empty_list() -> None:
    more = [{"key": "twice", "value": b"1"}, {"key": "twice", "value": b"1"}]
    texts = pa.array([None, _written(FEW), None, _written(more), None])
    made = listed(texts, KIND)
    assert made.type == KIND
    assert made.to_pylist() == [[], FEW, [], more, []]
    assert listed(texts.slice(2, 2), KIND).to_pylist() == [[], more]


def test_where_no_message_has_headers_nothing_is_read() -> None:
    assert listed(pa.nulls(3, pa.string()), KIND).to_pylist() == [[], [], []]
    assert listed(pa.nulls(0, pa.string()), KIND).to_pylist() == []
