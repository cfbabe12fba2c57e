"""Files as records: every format, what is broken, what grows, and what changes under the reader's hands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles
from pyspark.sql.types import StructType
from tests.config.asking import Asked, source

from velostream.errors import VeloError
from velostream.sources.streams import files
from velostream.sources.streams.csv_records import CsvForm, csv_records
from velostream.sources.streams.decoding import FileForm, record_batches
from velostream.sources.streams.files import FAULTS, SYSTEM, FileOptions, FileStreamReader
from velostream.sources.streams.texts import BASE64, json_records
from velostream.sources.streams.waiting import wait_for_files

LIMIT = ReadMaxFiles(1_000_000)


def values(path: Path, form: FileForm) -> list[tuple[Any, ...]]:
    found = [row for batch in record_batches(str(path), form, pa.schema([])) for row in batch.to_pylist()]
    return [(row["value"], row["_raw"], row["_fault"]) for row in found]


def csv(path: Path, text: str, columns: str = "a b", **form: Any) -> list[tuple[str | None, str | None]]:
    path.write_text(text, newline="")
    return [(one.value, one.fault) for one in csv_records(str(path), CsvForm(**form), columns.split())]


def test_a_line_that_is_not_utf8_keeps_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'\xef\xbb\xbf{"k": 1}\r\n\n  \n{"k": "\xff"}\n{"k": 3}')
    [good, bad, last] = values(tmp_path / "a", FileForm("jsonl", ("k",)))
    assert good == ('{"k": 1}', None, None)
    assert bad[:2] == (None, BASE64 + "eyJrIjogIv8ifQ==")
    assert "UTF-8" in bad[2]
    assert last[0] == '{"k": 3}'


@pytest.mark.parametrize("format_name", ["jsonl", "string"])
def test_blank_lines_are_records_of_plain_text_only(tmp_path: Path, format_name: str) -> None:
    (tmp_path / "a").write_text("1\n\n2\n")
    found = [value for value, _, _ in values(tmp_path / "a", FileForm(format_name, ("value",)))]
    assert found == (["1", "", "2"] if format_name == "string" else ["1", "2"])


def test_blocks_do_not_cut_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("velostream.sources.streams.opening.BLOCK", 7)
    lines = [json.dumps({"n": n, "text": "é" * (n % 5)}, ensure_ascii=False) for n in range(50)]
    with gzip.open(tmp_path / "a.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    assert [value for value, _, _ in values(tmp_path / "a.gz", FileForm("jsonl", ("n",)))] == lines


@pytest.mark.parametrize(
    "text", ['[{"a": 1},\n {"a": [2, "]"]}\n, 3]', '{"a": 1}\n{"a":\n [2, "]"]} 3\n', '{"a": 1}{"a": [2, "]"]}3']
)
def test_json_is_an_array_or_values_one_after_another(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    found = list(json_records(str(tmp_path / "a.json")))
    assert [json.loads(one.value or "") for one in found if one.value] == [{"a": 1}, {"a": [2, "]"]}, 3][: len(found)]
    assert len(found) == 3


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a": 2', '[{"a": 1}, oops, {"a": 2}]'])
def test_json_that_breaks_off_is_one_bad_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    [good, bad] = json_records(str(tmp_path / "a.json"))
    assert good.value == '{"a": 1}'
    assert (bad.value, bad.fault) == (None, "the text is not JSON")
    assert "2" in str(bad.raw)


def test_csv_records_may_have_line_breaks_in_quotes(tmp_path: Path) -> None:
    text = 'a,b\n1,"two\nlines"\n"q ""x""",2\n5" pipe,3\n\n"open,4\n'
    found = csv(tmp_path / "a.csv", text)
    assert [value for value, _ in found] == ['1,"two\nlines"', '"q ""x""",2', '5" pipe,3', None]
    assert found[-1][1] == "a quote is opened and not closed"


def test_csv_with_an_escape_does_not_double_quotes(tmp_path: Path) -> None:
    found = csv(tmp_path / "a.csv", 'a;b\n"x\\"\ny";2\n"z\\\\";3\n', delimiter=";", escape="\\")
    assert [value for value, _ in found] == ['"x\\"\ny";2', '"z\\\\";3']


def test_a_header_maps_names_to_declared_columns(tmp_path: Path) -> None:
    found = csv(tmp_path / "a.csv", 'x,B,a\n1,"2,5",3\n4,5\n', "a b c")
    assert found == [('3,"2,5",', None), (None, "2 values where the header has 3")]


def test_a_header_with_a_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="'a' twice"):
        csv(tmp_path / "a.csv", "a,A\n1,2\n")


def test_parquet_has_columns_in_any_order_and_its_bad_values_at_fault(tmp_path: Path) -> None:
    table = pa.table({"B": ["1", "x", "3"], "extra": [1, 2, 3], "t": pa.array([1, 2, 3], pa.timestamp("ns"))})
    pq.write_table(table, tmp_path / "a.parquet")
    schema = pa.schema([("a", pa.string()), ("b", pa.int32()), ("t", pa.timestamp("us", "UTC"))])
    form = FileForm("parquet", ("a", "b", "t"))
    rows = [row for batch in record_batches(str(tmp_path / "a.parquet"), form, schema) for row in batch.to_pylist()]
    assert [row["b"] for row in rows] == [1, None, 3]
    assert [row["_fault"] is None for row in rows] == [True, False, True]
    assert json.loads(rows[1]["_raw"])["B"] == "x"


def reader(folder: Path, **more: Any) -> FileStreamReader:
    settings = {"source": "s", "path": "*.jsonl", "folder": str(folder), "interval": 0.0, **more}
    schema = StructType()
    for part in f"value STRING, {FAULTS}, {SYSTEM}".split(", "):
        name, kind = part.split(" ")
        schema = schema.add(name, {"STRING": "string", "INT": "integer", "BIGINT": "long", "BOOLEAN": "boolean"}[kind])
    form = FileForm("jsonl", ("k",))
    return FileStreamReader(FileOptions(manifest=str(folder / "manifest"), form=form, **settings), schema)


def read(one: FileStreamReader, start: dict[str, Any], end: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The records of a batch as (value, partition, offset), and its marks."""
    rows = [
        row
        for part in one.partitions(start, json.loads(json.dumps(end)))
        for batch in one.read(part)
        for row in batch.to_pylist()
    ]
    records = [(row["value"], row["_partition"], row["_offset"]) for row in rows if row["_mark"] is None]
    return records, [json.loads(row["_mark"]) for row in rows if row["_mark"] is not None]


def test_files_are_taken_in_order_of_name_and_keep_their_numbers(tmp_path: Path) -> None:
    for name in "bc":
        (tmp_path / f"{name}.jsonl").write_text(f"{name}0\n{name}1\n")
    one = reader(tmp_path, by="file", per_batch=1)
    start = one.initialOffset()
    first = one.latestOffset(start, LIMIT)
    assert read(one, start, first)[0] == [("b0", 0, 0), ("b1", 0, 1)]
    (tmp_path / "a.jsonl").write_text("a0\n")
    again = reader(tmp_path, by="file", per_batch=1)
    second = again.latestOffset(first, LIMIT)
    third = again.latestOffset(second, LIMIT)
    assert read(again, first, second)[0] == [("c0", 1, 0), ("c1", 1, 1)]
    assert read(again, second, third)[0] == [("a0", 2, 0)]
    assert again.latestOffset(third, LIMIT) == third
    assert read(again, start, first)[0] == [("b0", 0, 0), ("b1", 0, 1)]


def test_a_bounded_run_lists_all_files_and_ends_each(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_text("1\n")
    one = reader(tmp_path, by="file", per_batch=2, ends=True)
    one.prepareForTriggerAvailableNow()
    (tmp_path / "d.jsonl").write_text("1\n")
    first = one.latestOffset(one.initialOffset(), LIMIT)
    second = one.latestOffset(first, LIMIT)
    assert one.latestOffset(second, LIMIT) == second
    assert read(one, one.initialOffset(), first)[1] == [
        {"source": "s", "partitions": [0, 1, 2]},
        {"source": "s", "finished": [0]},
        {"source": "s", "finished": [1]},
    ]
    assert read(one, first, second)[1] == [{"source": "s", "partitions": [2]}, {"source": "s", "finished": [2]}]


def test_a_source_without_partitions_is_one_that_ends_with_a_bounded_run(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text("1\n")
    one = reader(tmp_path, per_batch=1, ends=True)
    first = one.latestOffset(one.initialOffset(), LIMIT)
    second = one.latestOffset(first, LIMIT)
    assert read(one, one.initialOffset(), first)[1] == [{"source": "s", "partitions": [0]}]
    assert read(one, first, second)[1][-1] == {"source": "s", "finished": [0]}


def test_a_file_that_changed_after_it_was_read_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("1\n")
    one = reader(tmp_path)
    end = one.latestOffset(one.initialOffset(), LIMIT)
    file.touch()
    assert one.latestOffset(end, LIMIT) == end
    file.write_text("2\n")
    with pytest.raises(VeloError, match=r"a\.jsonl' has changed after it was read"):
        one.latestOffset(end, LIMIT)


def test_a_file_that_grows_is_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("0\n\n1\nhal")
    one = reader(tmp_path, growing=True, by="file")
    first = one.latestOffset(one.initialOffset(), LIMIT)
    assert read(one, one.initialOffset(), first)[0] == [("0", 0, 0), ("1", 0, 1)]
    with file.open("a") as more:
        more.write("f\n3")
    second = one.latestOffset(first, LIMIT)
    assert read(one, first, second)[0] == [("half", 0, 2)]
    assert one.latestOffset(second, LIMIT) == second
    bounded = reader(tmp_path, growing=True, by="file", ends=True)
    third = bounded.latestOffset(second, LIMIT)
    records, marks = read(bounded, second, third)
    assert records == [("3", 0, 3)]
    assert marks == [{"source": "s", "partitions": [0]}, {"source": "s", "finished": [0]}]


@pytest.mark.parametrize("growing", [False, True])
def test_a_file_that_is_gone_before_it_was_read_is_an_error_and_one_that_was_read_is_none(
    tmp_path: Path, growing: bool
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text("1\n")
    one = reader(tmp_path, growing=growing, per_batch=1)
    first = one.latestOffset(one.initialOffset(), LIMIT)
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(VeloError, match=r"a\.jsonl' is gone, and was not read yet"):
        read(one, one.initialOffset(), first)
    (tmp_path / "b.jsonl").unlink()
    with pytest.raises(VeloError, match=r"b\.jsonl' is gone, and was not read yet"):
        read(one, first, one.latestOffset(first, LIMIT))


def test_a_file_that_shrinks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("1\n2\n")
    one = reader(tmp_path, growing=True)
    end = one.latestOffset(one.initialOffset(), LIMIT)
    (tmp_path / "a.jsonl").write_text("1\n")
    with pytest.raises(VeloError, match="shorter"):
        one.latestOffset(end, LIMIT)


def test_a_batch_takes_no_more_bytes_than_is_good_for_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BATCH_BYTES", 5)
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_text("1\n2\n")
    one = reader(tmp_path)
    assert one.latestOffset(one.initialOffset(), LIMIT)["files"] == 1
    assert one.latestOffset(one.initialOffset(), ReadAllAvailable())["files"] == 3


def test_files_that_are_missing_are_said_with_what_looks_like_them(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "trades.csv").write_text("a\n")
    asked = Asked({"s.type": "file_source", "s.path": "data/trade.csv", "s.file.wait.timeout": "20ms"}, source("s"))
    with pytest.raises(VeloError, match=r"no file 'data/trade.csv' for 's' after 20ms") as refusal:
        wait_for_files("s", asked.resolved["s"], tmp_path)
    assert "'data/trades.csv'" in refusal.value.hint
    assert "s.file.wait.timeout" in refusal.value.hint


def test_csv_of_many_lines_is_read_at_once_until_something_is_quoted(tmp_path: Path) -> None:
    text = 'a,b\n1,x\n\n2,y\r\n3,"z\nz"\n4,w\n'
    (tmp_path / "a").write_text(text, newline="")
    form = FileForm("csv", ("a", "b"))
    assert [value for value, _, _ in values(tmp_path / "a", form)] == ["1,x", "2,y", '3,"z\nz"', "4,w"]
    moved = FileForm("csv", ("b", "a"))
    assert [value for value, _, _ in values(tmp_path / "a", moved)][:2] == ["x,1", "y,2"]
    (tmp_path / "a").write_bytes(b"a,b\n1,x\n2,\xff\n3,z\n")
    found = values(tmp_path / "a", form)
    assert [value for value, _, _ in found] == ["1,x", None, "3,z"]
    assert found[1][1] == f"{BASE64}Miz/"


def test_avro_files_have_columns_and_what_does_not_fit_is_at_fault(tmp_path: Path) -> None:
    import fastavro

    fields = [{"name": "K", "type": "string"}, {"name": "v", "type": "long"}]
    at = {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}
    schema = {"type": "record", "name": "r", "fields": [*fields, at]}
    rows = [{"K": "a", "v": value, "at": 1_700_000_000_000} for value in (1, 300)]
    with (tmp_path / "a.avro").open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), rows, codec="deflate")
    kinds = {"k": pa.string(), "v": pa.int8(), "at": pa.timestamp("us", "UTC"), "new": pa.int64()}
    wanted = pa.schema([*kinds.items(), ("_raw", pa.string()), ("_fault", pa.string())])
    [batch] = record_batches(str(tmp_path / "a.avro"), FileForm("avro", tuple(kinds)), wanted)
    first, second = batch.to_pylist()
    assert (first["k"], first["v"], first["at"].timestamp(), first["new"]) == ("a", 1, 1_700_000_000.0, None)
    assert (second["v"], json.loads(second["_raw"])["v"]) == (None, 300)
    assert second["_fault"].startswith("a value does not fit its column")
    as_time = pa.schema([("v", pa.timestamp("us", "UTC"))])
    [batch] = record_batches(str(tmp_path / "a.avro"), FileForm("avro", ("v",)), as_time)
    assert batch["_fault"][0].as_py() == "column 'v' is a time, and BIGINT in the file"
    (tmp_path / "b.avro").write_bytes((tmp_path / "a.avro").read_bytes()[:-5])
    with pytest.raises(VeloError, match="is not an Avro file, or is cut"):
        list(record_batches(str(tmp_path / "b.avro"), FileForm("avro", ("v",)), as_time))


@pytest.mark.parametrize("form", ["lz4", "zstd"])
def test_what_a_sink_compresses_can_be_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / ("a.jsonl" + {"lz4": ".lz4", "zstd": ".zst"}[form])
    with pa.output_stream(str(path), compression=form) as out:
        out.write(b'{"k": 1}\n')
    assert [value for value, _, _ in values(path, FileForm("jsonl", ("k",)))] == ['{"k": 1}']
