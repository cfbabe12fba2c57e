"""A webhook that fails half-way: nothing is lost, and what is sent again has the key that it had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.config.asking import Asked, sink
from tests.http.serving import Web

from velostream.errors import VeloError
from velostream.sinks.writers import Batch, BatchRows, Refusal, Shape, release, write

SHAPE = Shape((("k", "STRING"), ("v", "BIGINT")))
QUERY = "0a1b2c3d"


def put(web: Web, table: pa.Table, number: int = 0, *, strict: bool = False, **more: str) -> list[Refusal]:
    given = {"s.type": "http_sink", "s.url": f"{web.url}/hook", **{f"s.{name}": text for name, text in more.items()}}
    asked = Asked(given, sink("s"))
    assert not asked.problems, asked.problems
    batch = Batch(QUERY, number, Path(), print, strict)
    rows: Any = BatchRows(None, table.num_rows, table)  # type: ignore[arg-type]
    return list(write("http_sink", "s", rows, asked.resolved["s"], batch, SHAPE))


def table(*keys: str) -> pa.Table:
    return pa.table({"k": list(keys), "v": list(range(len(keys)))})


def test_only_what_was_not_answered_is_sent_again_and_after_a_restart_with_the_same_keys(web: Web) -> None:
    web.state(failures=1)
    with pytest.raises(VeloError, match="503"):
        put(web, table("a", "b", "c"))
    assert put(web, table("a", "b", "c")) == []
    first = web.state()["log"]
    assert [json.loads(one["body"])["k"] for one in first] == ["a", "a", "b", "c"]
    release(QUERY)
    put(web, table("a", "b", "c"))
    keys = [one["headers"]["Idempotency-Key"] for one in web.state()["log"]]
    assert keys[4:] == keys[1:4]
    put(web, table("a", "b", "c"), 1)
    assert len({one["headers"]["Idempotency-Key"] for one in web.state()["log"]}) == 6
    release(QUERY)


def test_equal_rows_have_keys_of_their_own(web: Web) -> None:
    rows = pa.table({"k": ["a", "a"], "v": [1, 1]})
    put(web, rows)
    keys = [one["headers"]["Idempotency-Key"] for one in web.state()["log"]]
    assert len(set(keys)) == 2
    release(QUERY)


def test_lines_travel_together(web: Web) -> None:
    put(web, table(*"abc"), format="jsonl")
    put(web, table(*"abc"), 1, format="csv")
    first, second = web.state()["log"]
    assert [json.loads(line)["k"] for line in first["body"].splitlines()] == ["a", "b", "c"]
    assert first["headers"]["Content-Type"] == "application/x-ndjson"
    assert second["body"] == "k,v\na,0\nb,1\nc,2\n"
    release(QUERY)


def test_refused_rows_are_told_or_end_it(web: Web) -> None:
    [refused] = put(web, table("a", "poison"))
    assert refused.row == '{"k":"poison","v":1}'
    assert "422" in refused.error
    assert put(web, table("a", "poison")) == [refused], "a further try of the batch tells it again"
    with pytest.raises(VeloError, match="422") as caught:
        put(web, table("a", "poison"), 1, strict=True)
    assert caught.value.error_code == "http-refused"
    with pytest.raises(VeloError, match="which is one column, not 2"):
        put(web, table("a"), 2, format="string")
    with pytest.raises(VeloError, match="404"):
        put(web, table("a"), 2, url=f"{web.url}/nowhere")
    with pytest.raises(VeloError, match="does not answer") as caught:
        put(web, table("a"), 3, url="http://127.0.0.1:1/x")
    assert caught.value.exit_code == 3
    release(QUERY)
