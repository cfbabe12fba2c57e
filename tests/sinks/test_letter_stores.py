"""Where letters go: a folder of several checkpoints, PostgreSQL, a Kafka topic; each letter is there once."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.postgres.server import Database

from velostream.errors import InvalidProperty
from velostream.sinks.letters import LetterStore, letter, store_of
from velostream.sinks.letters.envelope import DERIVED, OPENS, PARTS, kept, opened, original


def some() -> list[dict[str, Any]]:
    headers = json.dumps([{"key": "h", "value": "AP8="}, {"key": "h"}])
    envelope = f"{OPENS}aw=={PARTS}1700000000000000{PARTS}{headers}{PARTS}in{OPENS}+base64:AP8="
    first = letter(reason="undecodable", error="a \0 in it", record=envelope, source="s", partition=1, offset=2)
    return [first, letter(reason="too_late", record='{"a": 1}', source="s", event_time=1 << 62, lateness=5_000)]


def check(store: LetterStore) -> None:
    store.write("query-one", 1, some())
    store.write("query-one", 1, some())
    store.write("query-two", 1, some()[1:])
    found = list(store.read())
    assert [one["reason"] for one in found] == ["undecodable", "too_late", "too_late"]
    assert len({one["id"] for one in found}) == 3
    one = found[0]
    assert (one["record"], one["key"], one["topic"], one["source"]) == ("base64:AP8=", "k", "in", "s")
    assert one["headers"] == [{"key": "h", "value": "base64:AP8="}, {"key": "h", "value": None}]
    assert (one["timestamp"], one["batch"], one["job"]) == ("2023-11-14T22:13:20Z", 1, "job")
    assert found[1]["lateness_ms"] == 5


def test_a_folder_keeps_the_letters_of_several_checkpoints(tmp_path: Path) -> None:
    store = store_of("dead", "job", tmp_path / "home", tmp_path)
    check(store)
    assert store.shown == str(tmp_path / "dead" / "job")
    assert store.purge({one["id"] for one in store.read()}) == 3
    assert list(store.read()) == []


def test_postgresql_keeps_them_in_one_table(postgres: Database, tmp_path: Path) -> None:
    store = store_of(postgres.url, "job", tmp_path, tmp_path)
    check(store)
    other = store_of(postgres.url, "other", tmp_path, tmp_path)
    assert list(other.read()) == []
    record, key = postgres.ask("SELECT record, key FROM velo_dead_letters WHERE reason = 'undecodable'")[0]
    assert (bytes(record), bytes(key)) == (b"\x00\xff", b"k")
    last = list(store.read())[-1]
    assert store.purge([last["id"]]) == 1
    assert len(list(store.read())) == 2


def test_an_address_that_cannot_hold_letters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidProperty, match="dead letters cannot go to 's3://bucket/x'"):
        store_of("s3://bucket/x", "job", tmp_path, tmp_path)


def test_bytes_and_texts_come_back_as_they_were() -> None:
    for data in (b"", b"text", "ü".encode(), b"\xff", b"a\0b", b"base64:eA==", OPENS.encode() + b"x"):
        assert original(kept(data)) == data
    assert opened(None) == {"record": None}
    assert opened("x") == {"record": "x"}
    assert opened(DERIVED + "{}") == {"record": None, "row": "{}"}
    assert original(kept(DERIVED.encode())) == DERIVED.encode()
