"""Tables from the web: what is gone from an answer is gone from the table; and what cannot be a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from tests.tables.loading_apps import refreshed, rows, tables_of

from velostream.errors import VeloError
from velostream.spark.loading.records import _typed


class Answers(BaseHTTPRequestHandler):
    """Answers with records and their version; who has that version already is told so."""

    records: ClassVar[list[dict[str, Any]]] = []
    asked: ClassVar[list[int]] = []

    def do_GET(self) -> None:
        body = json.dumps({"data": {"items": self.records}}).encode()
        etag = f'"{hash(body)}"'
        known = self.headers.get("If-None-Match") == etag
        self.asked.append(304 if known else 200)
        self.send_response(self.asked[-1])
        self.send_header("ETag", etag)
        self.send_header("Content-Length", "0" if known else str(len(body)))
        self.end_headers()
        if not known:
            self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Nothing is logged."""


@pytest.fixture
def address() -> Iterator[str]:
    Answers.records, Answers.asked = [], []
    server = HTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/rates"
    server.shutdown()
    server.server_close()


def test_an_answer_of_the_web_is_a_table(one_spark: Any, address: str, tmp_path: Path) -> None:
    settings = {"type": "http_source", "url": address, "format": "json", "records_path": "$.data.items"}
    Answers.records = [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"v": 3}]
    tables = tables_of(one_spark, tmp_path, "k STRING PRIMARY KEY, v INT", **settings)
    tables.load()
    assert rows(tables) == {"a": 1, "b": 2}
    assert tables.progress["t"].dead_lettered == 1
    version = tables.loading.loaders["t"].writer.store.newest()
    assert refreshed(tables) == {"a": 1, "b": 2}
    assert tables.loading.loaders["t"].writer.store.newest() == version
    Answers.records = [{"k": "b", "v": 5}]
    assert refreshed(tables) == {"b": 5}
    assert Answers.asked == [200, 304, 200]


def test_what_never_ends_is_no_table(one_spark: Any, tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="is loaded by a datagen_source, which has no end"):
        tables_of(one_spark, tmp_path, "k STRING PRIMARY KEY, v INT", type="datagen_source", rows="5")


def test_a_deletion_whose_key_is_of_another_type_takes_nothing_else_down() -> None:
    assert _typed(["1", "x", None, "-7"], pa.int64()).to_pylist() == [1, None, None, -7]
    assert _typed(["a", None], pa.string()).to_pylist() == ["a", None]
