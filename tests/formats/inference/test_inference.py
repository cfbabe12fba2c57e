"""Columns are learnt from samples as Spark would learn them."""

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from velostream.errors import InvalidSchema
from velostream.formats.inference import infer
from velostream.formats.inference.csv import CsvOptions


def shown(path: Path, format_name: str, csv: CsvOptions | None = None) -> dict[str, str]:
    return {
        field.name: str(field.type) + ("" if field.nullable else " NOT NULL")
        for field in infer([path], format_name, csv)
    }


def csv(tmp_path: Path, text: str, options: CsvOptions | None = None) -> dict[str, str]:
    (tmp_path / "a.csv").write_bytes(text.encode())
    return shown(tmp_path / "a.csv", "csv", options)


def jsonl(tmp_path: Path, *records: Any) -> dict[str, str]:
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(record) for record in records))
    return shown(tmp_path / "a.jsonl", "jsonl")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "+3"], "BIGINT NOT NULL"),
        (["007"], "BIGINT NOT NULL"),
        (["1", "2.5"], "DOUBLE NOT NULL"),
        (["1e3", "NaN", "-Inf"], "DOUBLE NOT NULL"),
        (["9223372036854775808"], "DECIMAL(38,0) NOT NULL"),
        (["9" * 39], "DOUBLE NOT NULL"),
        (["true", "FALSE"], "BOOLEAN NOT NULL"),
        (["2026-01-31"], "DATE NOT NULL"),
        (["2026-01-31", "2026-01-31T12:00:00Z"], "TIMESTAMP NOT NULL"),
        (["2026-01-31 12:00:00.123", "2026-01-31T12:00+02:00"], "TIMESTAMP NOT NULL"),
        (["2026-13-31"], "STRING NOT NULL"),
        (["1", "x"], "STRING NOT NULL"),
        (["true", "1"], "STRING NOT NULL"),
        (["1", ""], "BIGINT"),
        (["", ""], "STRING"),
        ([" 1"], "STRING NOT NULL"),
    ],
)
def test_types_of_csv(tmp_path: Path, values: list[str], kind: str) -> None:
    assert csv(tmp_path, "a,b\n" + "".join(f"{value},x\n" for value in values))["a"] == kind


def test_csv_options_take_effect(tmp_path: Path) -> None:
    options = CsvOptions(delimiter=";", header=False, quote="'", escape="\\", null="NA")
    assert csv(tmp_path, "1;'a;b'\nNA;'it\\'s'\n", options) == {"_c0": "BIGINT", "_c1": "STRING NOT NULL"}


def test_rows_of_another_length_are_passed_over(tmp_path: Path) -> None:
    assert csv(tmp_path, "\ufeffa,b\r\n1,2\r\n\r\nx\r\n1,2,3\r\n") == {"a": "BIGINT NOT NULL", "b": "BIGINT NOT NULL"}


def test_a_header_alone_gives_strings(tmp_path: Path) -> None:
    assert csv(tmp_path, "a,b\n") == {"a": "STRING", "b": "STRING"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no header and no row"),
        ("a,,b\n", "a column without a name"),
        ("a,A\n", "has column 'a' twice"),
        (f"a\n{'x' * 140_000}\n", "is not CSV"),
        ("a\n\udcff".encode("utf-8", "surrogateescape").decode("latin-1"), None),
    ],
)
def test_csv_that_tells_no_columns(tmp_path: Path, text: str, message: str | None) -> None:
    if message is None:
        (tmp_path / "a.csv").write_bytes(b"a\n\xff\n")
        with pytest.raises(InvalidSchema, match="not UTF-8"):
            shown(tmp_path / "a.csv", "csv")
        return
    with pytest.raises(InvalidSchema, match=message):
        csv(tmp_path, text)


def test_only_the_first_thousand_records_count(tmp_path: Path) -> None:
    assert csv(tmp_path, "a\n" + "1\n" * 1000 + "x\n") == {"a": "BIGINT NOT NULL"}
    assert csv(tmp_path, "a\n" + "1\n" * 999 + "x\n") == {"a": "STRING NOT NULL"}
    assert jsonl(tmp_path, *([{"a": 1}] * 1000), {"b": 2}) == {"a": "BIGINT NOT NULL"}


def test_only_the_first_megabyte_counts_and_a_cut_row_does_not(tmp_path: Path) -> None:
    filler = "y" * 100_000
    assert csv(tmp_path, "a,b\n" + f"1,{filler}\n" * 11 + "x,z\n") == {"a": "BIGINT NOT NULL", "b": "STRING NOT NULL"}
    assert csv(tmp_path, "b,a\n" + f"{filler},1\n" * 10 + f'{filler},"1\n{filler}"\n') == {
        "b": "STRING NOT NULL",
        "a": "BIGINT NOT NULL",
    }


def test_types_of_json(tmp_path: Path) -> None:
    found = jsonl(
        tmp_path,
        {
            "i": 1,
            "d": 1,
            "s": "2026-01-31",
            "b": True,
            "n": None,
            "o": {"x": 1},
            "l": [1, 2.5],
            "e": [],
            "m": 1,
            "z": {},
        },
        {"i": -5, "d": 2.5, "s": "x", "b": False, "o": {"y": "a"}, "l": [None], "m": "text", "w": 2**70, "h": 10**40},
    )
    assert found == {
        "i": "BIGINT NOT NULL",
        "d": "DOUBLE NOT NULL",
        "s": "STRING NOT NULL",
        "b": "BOOLEAN NOT NULL",
        "n": "STRING",
        "o": "STRUCT<x: BIGINT, y: STRING> NOT NULL",
        "l": "ARRAY<DOUBLE> NOT NULL",
        "e": "ARRAY<STRING>",
        "m": "STRING NOT NULL",
        "z": "STRING",
        "w": "DECIMAL(38,0)",
        "h": "DOUBLE",
    }


def test_what_is_not_an_object_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\nnot json\n[1]\n"x"\n\n{"a": 2, "b": [{"c": 1}, {"d": 2}]}\n')
    assert shown(tmp_path / "a.jsonl", "jsonl") == {
        "a": "BIGINT NOT NULL",
        "b": "ARRAY<STRUCT<c: BIGINT, d: BIGINT>>",
    }


@pytest.mark.parametrize(
    "text",
    ['[{"a": 1}, {"a": 2}]', '[\n  {"a": 1},\n  {"a": 2}\n]\n', '{\n "a": 1\n}', '  [{"a": 1}, 5, {"a'],
)
def test_arrays_and_objects_over_many_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    assert shown(tmp_path / "a.json", "json") == {"a": "BIGINT NOT NULL"}


def test_an_array_on_one_long_line_is_read_as_far_as_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" + ", ".join(['{"a": "' + "é" * 50_000 + '"}'] * 30) + "]", "utf-8")
    assert shown(tmp_path / "a.json", "json") == {"a": "STRING NOT NULL"}


@pytest.mark.parametrize("text", ["", "[]", "5", "nothing\nhere\n"])
def test_json_that_tells_no_columns(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InvalidSchema, match="no JSON object"):
        shown(tmp_path / "a.json", "json")


def test_several_files_are_one_sample(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "b.jsonl").write_text('{"a": 1.5, "b": 1}\n')
    found = infer([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], "jsonl")
    assert [(field.name, str(field.type), field.nullable) for field in found] == [
        ("a", "DOUBLE", False),
        ("b", "BIGINT", True),
    ]
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,y\n1.5,\n")
    found = infer([tmp_path / "a.csv", tmp_path / "b.csv"], "csv")
    assert [(field.name, str(field.type), field.nullable) for field in found] == [
        ("x", "DOUBLE", False),
        ("y", "BIGINT", True),
    ]


def test_a_sample_is_full_after_enough_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n" + "1\n" * 1000)
    (tmp_path / "a.jsonl").write_text('{"x": 1}\n' * 1000)
    gone = tmp_path / "not-looked-at"
    assert len(infer([tmp_path / "a.csv", gone], "csv")) == 1
    assert len(infer([tmp_path / "a.jsonl", gone], "jsonl")) == 1


def test_compressed_files_are_read(tmp_path: Path) -> None:
    import pyarrow as pa

    text = b"a\n1\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "a.csv.bz2").write_bytes(bz2.compress(text))
    (tmp_path / "a.csv.xz").write_bytes(lzma.compress(text))
    with pa.output_stream(str(tmp_path / "a.csv.zst"), compression="zstd") as stream:
        stream.write(text)
    for ending in ("gz", "bz2", "xz", "zst"):
        assert shown(tmp_path / f"a.csv.{ending}", "csv") == {"a": "BIGINT NOT NULL"}
    (tmp_path / "bad.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(InvalidSchema, match="cannot be read"):
        shown(tmp_path / "bad.csv.gz", "csv")


def test_columns_of_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            pa.field("i", pa.int32(), nullable=False),
            ("l", pa.int64()),
            ("u", pa.uint64()),
            ("d", pa.decimal128(12, 4)),
            ("t", pa.timestamp("us", tz="UTC")),
            ("n", pa.timestamp("us")),
            ("day", pa.date32()),
            ("s", pa.string()),
            ("b", pa.binary()),
            ("x", pa.binary(4)),
            ("a", pa.list_(pa.float64())),
            ("m", pa.map_(pa.string(), pa.int32())),
            ("o", pa.struct([("p", pa.bool_())])),
            ("c", pa.dictionary(pa.int32(), pa.string())),
        ]
    )
    pq.write_table(schema.empty_table(), tmp_path / "a.parquet")
    assert shown(tmp_path / "a.parquet", "parquet") == {
        "i": "INT NOT NULL",
        "l": "BIGINT",
        "u": "DECIMAL(20,0)",
        "d": "DECIMAL(12,4)",
        "t": "TIMESTAMP",
        "n": "TIMESTAMP_NTZ",
        "day": "DATE",
        "s": "STRING",
        "b": "BINARY",
        "x": "BINARY",
        "a": "ARRAY<DOUBLE>",
        "m": "MAP<STRING, INT>",
        "o": "STRUCT<p: BOOLEAN>",
        "c": "STRING",
    }


def test_parquet_that_cannot_be_used(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.schema([("t", pa.time64("us"))]).empty_table(), tmp_path / "time.parquet")
    with pytest.raises(InvalidSchema, match="a type that Spark does not have"):
        shown(tmp_path / "time.parquet", "parquet")
    (tmp_path / "bad.parquet").write_text("x")
    with pytest.raises(InvalidSchema, match="not a Parquet file"):
        shown(tmp_path / "bad.parquet", "parquet")


def number(value: int) -> bytes:
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value: bytes) -> bytes:
    return number(len(value)) + value


SCHEMA = b'{"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}'


@pytest.mark.parametrize(
    "blocks",
    [
        number(2) + text(b"avro.codec") + text(b"null") + text(b"avro.schema") + text(SCHEMA) + number(0),
        number(-1) + number(200) + text(b"avro.schema") + text(SCHEMA) + number(0),
    ],
)
def test_columns_of_avro(tmp_path: Path, blocks: bytes) -> None:
    (tmp_path / "a.avro").write_bytes(b"Obj\x01" + blocks + b"s" * 16)
    assert shown(tmp_path / "a.avro", "avro") == {"id": "BIGINT NOT NULL"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PAR1", "not an Avro data file"),
        (b"Obj\x01", "ends inside of its header"),
        (b"Obj\x01" + number(1) + text(b"avro.schema") + number(500) + b"{", "ends inside of its header"),
        (b"Obj\x01" + b"\xff" * 11, "ends inside of its header"),
        (b"Obj\x01" + number(1) + number(-3), "ends inside of its header"),
        (b"Obj\x01" + number(1) + text(b"x") + text(b"y") + number(0), "no schema in its header"),
    ],
)
def test_avro_that_cannot_be_used(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "a.avro").write_bytes(data)
    with pytest.raises(InvalidSchema, match=message):
        shown(tmp_path / "a.avro", "avro")


def test_an_avro_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSchema, match="cannot be read"):
        shown(tmp_path / "a.avro", "avro")


def test_formats_that_give_one_column_need_no_sample(tmp_path: Path) -> None:
    assert shown(tmp_path / "a.txt", "string") == {"value": "STRING"}


def test_formats_that_tell_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSchema, match="cannot be learnt"):
        shown(tmp_path / "a", "protobuf")
    with pytest.raises(InvalidSchema, match="no file"):
        infer([], "csv")
