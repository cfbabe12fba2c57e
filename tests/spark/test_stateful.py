"""Router, operator and unpack in this process: what the workers of Spark do, without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from velostream import types
from velostream.sources.streams.watermarks import NONE_YET, keep, stored
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.control import KEPT, command, give_clocks
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.operator import StageProcessor
from velostream.spark.stateful.payload import pack, unpack
from velostream.spark.stateful.router import router
from velostream.spark.stateful.unpack import passing, unpacker
from velostream.windows.accumulators.base import Call
from velostream.windows.assigners import ASSIGNERS
from velostream.windows.operator import Operator
from velostream.windows.settings import OperatorSettings

MINUTE = 60_000_000
SETTINGS = OperatorSettings(("k0",), (Call("v0", "sum", ("a0",), (types.BIGINT,)),), ASSIGNERS["TUMBLING"](size=MINUTE))
COLUMNS = ("k0", "a0", *names.POSITION, names.HASH)
LAYOUT = Layout(1, partial(Operator, SETTINGS), COLUMNS, (11, 22), bounded=True, known={"s": 1})
FOLDING = replace(LAYOUT, folding=SETTINGS)


def rows(*records: tuple[str | None, int | None, int | None, str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "k0": pl.Series([r[0] for r in records], dtype=pl.String),
            "a0": pl.Series([r[1] for r in records], dtype=pl.Int64),
            "_event_time": pl.Series([r[2] for r in records], dtype=pl.Int64),
            "_source": ["s"] * len(records),
            "_partition": pl.Series([0] * len(records), dtype=pl.Int32),
            "_offset": pl.Series(range(len(records)), dtype=pl.Int64),
            "_hash": pl.Series([hash(r[0]) % 97 for r in records], dtype=pl.Int64),
            "_bucket": pl.Series([0 if r[0] == "a" else 1 for r in records], dtype=pl.Int32),
            "_clock": pl.Series([1_000] * len(records), dtype=pl.Int64),
            "_status": pl.Series([r[3] for r in records], dtype=pl.String),
            "_detail": pl.Series([None] * len(records), dtype=pl.String),
            "_mark": pl.Series([None] * len(records), dtype=pl.String),
            "_record": [f"record {n}" for n in range(len(records))],
        }
    )


def routed(frame: pl.DataFrame, layout: Layout = LAYOUT) -> list[dict[str, Any]]:
    return [row for batch in router(layout)(iter(frame.to_arrow().to_batches())) for row in batch.to_pylist()]


def test_each_bucket_gets_its_rows_and_every_bucket_the_progress() -> None:
    found = routed(rows(("a", 1, 5, None), ("b", 2, 9, None), ("a", 3, 7, None)))
    assert [row["_bucket"] for row in found] == [11, 22]
    assert unpack(found[0]["payload"])["a0"].to_list() == [1, 3]
    assert all(json.loads(row["facts"])["progress"] == [["s", 0, 9, None]] for row in found)


def test_filtered_rows_move_the_watermark_and_are_counted_once() -> None:
    found = routed(rows(("a", 1, 5, None), (None, None, 90, "filtered")))
    facts = [json.loads(row["facts"]) for row in found]
    assert facts[0]["counts"] == {"": 1, "filtered": 1}
    assert "counts" not in facts[1]
    assert facts[1]["progress"] == [["s", 0, 90, None]]
    assert found[1]["payload"] is None


def test_a_router_tells_the_clock_only_where_rows_have_it() -> None:
    frame = rows(("a", 1, 5, None))
    assert [json.loads(row["facts"]).get("now") for row in routed(frame)] == [1_000, 1_000]
    assert ["now" in row["facts"] for row in routed(frame.drop("_clock"))] == [False, False]
    assert all(row["facts"].startswith('{"') for row in routed(frame.drop("_clock"))), "the clock is put in front"


def test_broken_rows_become_letters_with_their_record() -> None:
    found = routed(rows((None, None, None, "undecodable")))
    letters = unpack(found[-1]["payload"])
    assert found[-1]["kind"] == names.LETTER
    assert letters["reason"].to_list() == ["undecodable"]
    assert letters["record"].to_list() == ["record 0"]
    assert letters[names.GROUP].to_list() == [None]


def test_a_broken_record_whose_group_is_known_tells_it() -> None:
    letters = unpack(routed(rows(("a", 1, 90, "bad_value")), replace(LAYOUT, keys=("k0",)))[-1]["payload"])
    assert letters[names.GROUP].to_list() == ["a"]


def test_what_a_source_says_of_its_partitions_is_passed_on() -> None:
    marked = rows(("a", None, None, None)).with_columns(_mark=pl.lit('{"source": "s", "finished": [0]}'))
    assert json.loads(routed(marked)[0]["facts"])["marks"] == [{"source": "s", "finished": [0]}]


class Blobs(dict[str, bytes]):
    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:  # noqa: N802
        return (self[key[0]],) if key[0] in self else None

    def updateValue(self, key: tuple[str], value: tuple[bytes]) -> None:  # noqa: N802
        self[key[0]] = value[0]

    def removeKey(self, key: tuple[str]) -> None:  # noqa: N802
        self.pop(key[0], None)


def processor(layout: Layout = LAYOUT) -> StageProcessor:
    empty = rows().select(*COLUMNS, "_record").clear()
    made = StageProcessor(layout, pack(empty))
    blobs = Blobs()
    made.init(SimpleNamespace(getMapState=lambda *_: blobs))
    return made


def inputs(frame: pl.DataFrame | None, **facts: Any) -> Iterator[SimpleNamespace]:
    if frame is not None:
        for row in routed(frame):
            yield SimpleNamespace(facts=row["facts"], kind=row["kind"], payload=row["payload"])
    if facts:
        yield SimpleNamespace(facts=json.dumps(facts), kind=None, payload=None)


def kinds(made: StageProcessor, *given: Any, **facts: Any) -> dict[str, list[bytes]]:
    answer: dict[str, list[bytes]] = {}
    for row in made.handleInputRows((11,), inputs(*given, **facts), None):
        answer.setdefault(row.kind, []).append(row.payload)
    return answer


def test_a_window_fires_when_the_watermark_passes_and_the_rest_with_the_flush() -> None:
    made = processor()
    first = kinds(made, rows(("a", 1, 5, None), ("a", 2, MINUTE + 1, None)))
    assert unpack(first["result"][0])["v0"].to_list() == [1]
    assert json.loads(first["stats"][0])["open"] == 1
    last = kinds(made, None, flush=True, now=5)
    assert unpack(last["result"][0])["v0"].to_list() == [2]
    made.close()


def test_a_record_that_comes_too_late_is_a_letter_with_its_lateness() -> None:
    made = processor()
    kinds(made, rows(("a", 1, 5 * MINUTE, None)))
    late = kinds(made, rows(("a", 2, 7, None)))
    letter = unpack(late["letter"][0])
    assert letter["reason"].to_list() == ["too_late"]
    assert letter["lateness"].to_list()[0] > 0
    assert letter["record"].to_list() == ["record 0"]


def test_letters_of_the_router_pass_through() -> None:
    found = kinds(processor(), rows((None, None, None, "undecodable")))
    assert unpack(found["letter"][0])["reason"].to_list() == ["undecodable"]


def test_unpacked_rows_have_the_types_of_the_schema() -> None:
    schema = pa.schema([("k", pa.string()), ("n", pa.int32())])
    batch = pa.record_batch({"payload": pa.array([pack(pl.DataFrame({"n": [1, 2], "k": ["x", "y"]}))], pa.binary())})
    found = list(unpacker(schema)(iter([batch])))
    assert found[0].schema == schema
    assert found[0].to_pylist() == [{"k": "x", "n": 1}, {"k": "y", "n": 2}]


def test_progress_of_several_routers_is_put_together() -> None:
    made = processor()
    frames = [rows(("a", 1, 5, None)), rows(("a", 1, 9, None))]
    given = [one for frame in frames for one in inputs(frame)]
    found = [json.loads(row.payload) for row in made.handleInputRows((11,), iter(given), None) if row.kind == "stats"]
    assert found[0]["partitions"]["s/0"]["max_event_time"] == 9
    assert found[0]["counts"] == {"": 2}


@pytest.mark.parametrize("mark", [{"source": "s", "partitions": [0, 1]}, {"source": "s", "finished": [0]}])
def test_marks_reach_the_watermark(mark: dict[str, Any]) -> None:
    marked = rows(("a", None, None, None)).with_columns(_mark=pl.lit(json.dumps(mark)))
    found = kinds(processor(), pl.concat([rows(("a", 1, 5, None)), marked]))
    assert json.loads(found["stats"][0])["read"] == 1


def test_rows_that_cannot_be_late_are_combined_and_the_others_sent_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    keep(tmp_path, 6, [50])
    batch = SimpleNamespace(getLocalProperty=lambda _: "7")
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: batch)
    layout = replace(FOLDING, watermarks=str(tmp_path))
    timeless = ("a", 9, None, None)
    found = routed(rows(("a", 1, 60, None), ("a", 2, 70, None), ("a", 3, 7, None), timeless), layout)
    kinds_found = {row["kind"]: unpack(row["payload"]) for row in found if row["payload"]}
    assert kinds_found[names.FOLDED].height == 1
    assert kinds_found[names.ROWS]["a0"].to_list() == [3, 9]


def test_before_the_first_batch_nothing_can_be_late(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: SimpleNamespace(getLocalProperty=lambda _: "0"))
    layout = replace(FOLDING, watermarks=str(tmp_path))
    found = routed(rows(("a", 1, 5, None), ("a", 2, 6, None)), layout)
    assert found[0]["kind"] == names.FOLDED
    made = processor(layout)
    given = [SimpleNamespace(facts=row["facts"], kind=row["kind"], payload=row["payload"]) for row in found]
    stats = [json.loads(row.payload) for row in made.handleInputRows((11,), iter(given), None) if row.kind == "stats"]
    assert stats[0]["open"] == 2


def test_the_watermark_of_a_batch_is_kept_by_its_number(tmp_path: Any) -> None:
    keep(tmp_path, 0, [None, None])
    keep(tmp_path, 1, [None, 42])
    assert (stored(str(tmp_path), 0), stored(str(tmp_path), 1), stored(str(tmp_path), 2)) == (NONE_YET, 42, None)
    keep(tmp_path, 101, [43])
    assert stored(str(tmp_path), 1) is None


def test_commands_are_numbered_files_and_none_is_overwritten(tmp_path: Any) -> None:
    command(tmp_path, resumed=True)
    command(tmp_path, flush=True)
    give_clocks(tmp_path, [100, 200])
    files = sorted(tmp_path.glob("*.json"))
    told = [json.loads(file.read_text()) for file in files]
    assert [set(one) for one in told] == [{"now", "resumed"}, {"now", "flush"}, {"clock"}, {"clock"}]
    assert [file.stat().st_mtime for file in files] == sorted({file.stat().st_mtime for file in files})
    for _ in range(KEPT):
        command(tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == KEPT


def test_a_given_clock_replaces_the_real_one() -> None:
    stats = json.loads(kinds(processor(), rows(("a", 1, 5, None)), clock=200)["stats"][0])
    assert (stats["now"], stats["set_clock"]) == (200, 200)


def test_what_a_stage_says_goes_through_the_next_router_and_operator() -> None:
    below = kinds(processor(), rows(("a", 1, 5, None), (None, None, None, "undecodable")))
    batch = pa.record_batch(
        {
            "kind": pa.array([kind for kind, payloads in below.items() for _ in payloads]),
            "payload": pa.array([one for payloads in below.values() for one in payloads], pa.binary()),
        }
    )
    schema = pa.schema([("k0", pa.string())])
    marks = [row for found in passing(schema, 1)(iter([batch])) for row in found.to_pylist()]
    assert [json.loads(row["_mark"])["pass"] for row in marks] == ["letter", "stats"]
    assert json.loads(marks[1]["_mark"])["progress"] == [["#1", 11, 5, None]]
    assert [row["_mark"] for row in marks if row["_passed"] is None] == []
    frame = pl.concat(
        [
            rows(("a", None, None, None)).with_columns(_mark=pl.lit(row["_mark"]), _passed=row["_passed"])
            for row in marks
        ]
    )
    sent = routed(frame, replace(LAYOUT, known={"#1": 1}))
    assert [row["kind"] for row in sent if row["payload"]] == ["letter", "stats"]
    found = processor().handleInputRows((11,), (SimpleNamespace(**row) for row in sent), None)
    assert [row.kind for row in found] == ["letter", "stats", "stats"]


def test_records_that_a_stateful_node_passed_on_are_counted_and_move_no_watermark_but_its_own() -> None:
    passed = rows(("a", 1, 5, None)).with_columns(_counted=pl.lit(value=True))
    facts = json.loads(routed(passed)[0]["facts"])
    assert facts["progress"] == []
    assert facts["counts"] == {"": 1}


def test_a_batch_in_which_nobody_speaks_leaves_the_watermark_where_it_was(tmp_path: Any) -> None:
    keep(tmp_path, 0, [])
    keep(tmp_path, 1, [42])
    keep(tmp_path, 2, [])
    assert [stored(str(tmp_path), batch) for batch in range(3)] == [NONE_YET, 42, 42]
