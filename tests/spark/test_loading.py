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
from velostream.spark.loading import generated
from velostream.spark.loading.records import _typed
from velostream.tables.newest import TIME


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


MADE = {"type": "datagen_source", "fields_k_values": "a, b, c", "fields_v_kind": "sequence"}


def test_a_generator_with_a_number_of_rows_is_a_table_that_is_the_same_however_often_it_is_looked_at(
    one_spark: Any, tmp_path: Path
) -> None:
    columns = "k STRING PRIMARY KEY, at TIMESTAMP, v INT"
    settings = {**MADE, "rows": "50", "event_time_field": "at", "version_time": "at"}
    tables = tables_of(one_spark, tmp_path, columns, **settings, refresh_mode="full")
    tables.load()
    loaded = rows(tables)
    assert set(loaded) == {"a", "b", "c"}
    assert max(loaded.values()) == 50
    version = tables.loading.loaders["t"].writer.store.newest()
    assert version is not None
    times = version.read().select(["k", "at", TIME])
    assert times["at"].cast(pa.int64()).to_pylist() == times[TIME].to_pylist()
    assert refreshed(tables) == loaded
    again = tables.loading.loaders["t"].writer.store.newest()
    assert again is not None
    assert again.read().select(["k", "at", TIME]).sort_by("k") == times.sort_by("k")


def test_a_generator_goes_on_where_its_table_was_and_another_one_takes_its_place(
    one_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated, "STEP_ROWS", 20)
    columns = "k STRING, v INT PRIMARY KEY"
    table = tables_of(one_spark, tmp_path, columns, **MADE, rows="50").loading.loaders["t"].source
    steps, since = [], dict[str, Any]()
    while (step := table.step(since)) is not None:
        steps.append(step)
        since = dict(step.offset)
    assert [step.rows.num_rows for step in steps] == [20, 20, 10]
    assert [step.fresh for step in steps] == [True, False, False]
    assert [step.last for step in steps] == [False, False, True]
    assert [value for step in steps for value in step.rows["v"].to_pylist()] == [*range(1, 51)]
    other = tables_of(one_spark, tmp_path, columns, **MADE, rows="30").loading.loaders["t"].source
    step = other.step(since)
    assert step is not None
    assert step.fresh
    assert step.rows["v"].to_pylist() == [*range(1, 21)]


def test_a_generator_of_no_rows_is_an_empty_table(one_spark: Any, tmp_path: Path) -> None:
    tables = tables_of(one_spark, tmp_path, "k STRING PRIMARY KEY, v INT", **MADE, rows="0")
    tables.load()
    assert rows(tables) == {}
    assert refreshed(tables) == {}


def test_generated_records_without_a_key_become_letters(one_spark: Any, tmp_path: Path) -> None:
    told = {**MADE, "fields_k_null_fraction": "1"}
    tables = tables_of(one_spark, tmp_path, "k STRING PRIMARY KEY, v INT", **told, rows="5")
    tables.load()
    assert rows(tables) == {}
    assert tables.progress["t"].dead_lettered == 5


def test_what_never_ends_is_no_table(one_spark: Any, tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="a datagen_source without `rows`") as refusal:
        tables_of(one_spark, tmp_path, "k STRING PRIMARY KEY, v INT", type="datagen_source")
    assert "'t.rows'" in refusal.value.hint


def test_a_deletion_whose_key_is_of_another_type_takes_nothing_else_down() -> None:
    assert _typed(["1", "x", None, "-7"], pa.int64()).to_pylist() == [1, None, None, -7]
    assert _typed(["a", None], pa.string()).to_pylist() == ["a", None]
