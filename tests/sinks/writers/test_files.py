"""Rows in files: whole, once, and the same however many there are."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.config.asking import Asked, sink

from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.sinks.writers import Batch, BatchRows, check, write
from velostream.sinks.writers.batch import FEW
from velostream.sinks.writers.staging import Place, all_synced

QUERY = "0a1b2c3d-0000-0000-0000-000000000000"
MANY = FEW + 1
ROW = """SELECT 'a"b,c' AS k, CAST(1.1 AS DECIMAL(38, 10)) AS d, TIMESTAMP '2023-11-14 22:14:00.123456' AS t,
    NAMED_STRUCT('x', 1, 't', TIMESTAMP '2023-11-14 22:14:00') AS s, ARRAY(1, NULL) AS a, CAST(NULL AS STRING) AS n,
    '' AS e, 'two\\nlines' AS l, MAP('m', DATE '2024-01-01') AS m, X'01FF' AS b,
    CAST('NaN' AS DOUBLE) AS f, CAST(0.1 AS FLOAT) AS g, true AS o, TIMESTAMP_NTZ '1969-12-31 23:59:59' AS u,
    ' x ' AS w, 'a\\\\b' AS q, CAST(0 AS DECIMAL(10, 2)) AS z, 'é☃' AS `é`, 1.5D AS h, TIME '10:11:12' AS v"""


def settings(folder: Path, **more: str) -> Settings:
    given = {"s.type": "file_sink", "s.path": str(folder)} | {f"s.{key}": text for key, text in more.items()}
    asked = Asked(given, sink("s"))
    assert not asked.problems, asked.problems
    return asked.resolved["s"]


def put(frame: Any, chosen: Settings, number: int = 0, at_most: int | None = None, name: str = "out") -> None:
    write("file_sink", name, BatchRows(frame, at_most), chosen, Batch(QUERY, number))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.is_file())


def text(folder: Path) -> str:
    return "".join(file.read_text() for file in sorted(folder.glob("part-*")))


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_driver_and_spark_write_the_same(one_spark: Any, tmp_path: Path, form: str) -> None:
    frame = one_spark.sql(ROW)
    put(frame, settings(tmp_path / "few", format=form), at_most=1)
    put(frame, settings(tmp_path / "many", format=form), at_most=MANY)
    assert names(tmp_path / "few") == names(tmp_path / "many") == [f"part-out-0a1b2c3d-000000000-00000.{form}"]
    if form == "parquet":
        few, many = (pq.read_table(tmp_path / name) for name in ("few", "many"))
        assert str(few.to_pylist()) == str(many.to_pylist())
        assert few.schema.field("t").type == many.schema.field("t").type == pa.timestamp("us", "UTC")
        assert few["d"].to_pylist() == [Decimal("1.1000000000")]
    else:
        assert text(tmp_path / "few") == text(tmp_path / "many")


def test_json_lines_keep_every_value(one_spark: Any, tmp_path: Path) -> None:
    put(one_spark.sql(ROW), settings(tmp_path))
    row = json.loads(text(tmp_path), parse_float=Decimal)
    assert row["d"] == Decimal("1.1000000000")
    assert datetime.fromisoformat(row["t"]) == datetime(2023, 11, 14, 22, 14, 0, 123456, tzinfo=UTC)
    assert row["s"] == {"x": 1, "t": "2023-11-14T22:14:00.000000Z"}
    assert row["a"] == [1, None]
    assert row["n"] is None
    assert row["m"] == {"m": "2024-01-01"}


def test_csv_can_be_read_by_others(one_spark: Any, tmp_path: Path) -> None:
    put(one_spark.sql(ROW), settings(tmp_path, format="csv"))
    [file] = tmp_path.glob("*.csv")
    with file.open(newline="") as opened:
        [row] = csv.DictReader(opened)
    assert row["k"] == 'a"b,c'
    assert row["l"] == "two\nlines"
    assert json.loads(row["s"]) == {"x": 1, "t": "2023-11-14T22:14:00.000000Z"}
    assert json.loads(row["a"]) == [1, None]
    assert (row["n"], row["e"], row["b"]) == ("", "", "Af8=")


@pytest.mark.parametrize("at_most", [1, MANY])
def test_csv_is_written_as_the_options_say(one_spark: Any, tmp_path: Path, at_most: int) -> None:
    options = {"csv.delimiter": ";", "csv.quote": "'", "csv.escape": "\\", "csv.null": "NA"}
    frame = one_spark.sql("SELECT 'it''s' AS `a;b`, CAST(NULL AS INT) AS n, 'x;y' AS c")
    put(frame, settings(tmp_path / "1", format="csv", **options), at_most=at_most)
    assert text(tmp_path / "1") == "'a;b';n;c\n'it\\'s';NA;'x;y'\n"
    put(frame, settings(tmp_path / "2", format="csv", **{"csv.header": "false"}), at_most=at_most)
    assert text(tmp_path / "2") == "it's,,x;y\n"


@pytest.mark.parametrize("at_most", [1, MANY])
@pytest.mark.parametrize("compression", ["gzip", "zstd", "lz4"])
def test_text_is_compressed_in_forms_that_others_read(
    one_spark: Any, tmp_path: Path, compression: str, at_most: int
) -> None:
    put(one_spark.sql("SELECT 1 AS x"), settings(tmp_path, compression=compression), at_most=at_most)
    [file] = tmp_path.glob("part-*")
    content = pa.input_stream(str(file), compression=compression).read()
    assert content == b'{"x":1}\n'
    if compression == "gzip":
        assert gzip.decompress(file.read_bytes()) == content


@pytest.mark.parametrize("at_most", [1, MANY])
@pytest.mark.parametrize("compression", ["none", "gzip", "zstd", "lz4"])
def test_parquet_is_compressed_as_asked(one_spark: Any, tmp_path: Path, compression: str, at_most: int) -> None:
    put(one_spark.sql("SELECT 1 AS x"), settings(tmp_path, format="parquet", compression=compression), at_most=at_most)
    [file] = tmp_path.glob("part-*")
    told = pq.ParquetFile(file).metadata.row_group(0).column(0).compression
    assert told == {"none": "UNCOMPRESSED"}.get(compression, compression.upper())


def test_a_batch_that_is_written_again_takes_the_place_of_itself(one_spark: Any, tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    put(one_spark.range(3), chosen)
    put(one_spark.range(3), chosen, number=1)
    put(one_spark.range(3), chosen)
    put(one_spark.range(3, 6, 1, 2), chosen, at_most=MANY, number=2)
    put(one_spark.range(3, 6, 1, 2), chosen, number=2)
    assert len(text(tmp_path).splitlines()) == 9
    assert len(names(tmp_path)) == 3


def test_two_sinks_may_share_a_folder(one_spark: Any, tmp_path: Path) -> None:
    put(one_spark.range(2), settings(tmp_path), name="a")
    put(one_spark.range(2), settings(tmp_path, format="csv"), name="b")
    put(one_spark.range(2), settings(tmp_path), name="a")
    assert [name.split("-")[1] for name in names(tmp_path)] == ["a", "b"]


@pytest.mark.parametrize("at_most", [0, 1, None])
def test_a_batch_without_rows_leaves_no_file(one_spark: Any, tmp_path: Path, at_most: int | None) -> None:
    put(one_spark.range(0), settings(tmp_path / "out", format="parquet"), at_most=at_most)
    assert not (tmp_path / "out").exists()


def test_a_folder_is_looked_through_only_for_a_batch_that_may_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    glob = Path.glob
    monkeypatch.setattr(Path, "glob", lambda self, *given: looked.append(self) or glob(self, *given))

    def publish(number: int, files: int) -> list[str]:
        place = Place(tmp_path, "out", QUERY, number)
        place.staging.mkdir(parents=True)
        staged = [place.staging / str(index) for index in range(files)]
        for file in staged:
            file.write_text("{}")
        looked.clear()
        place.publish(all_synced(staged), "jsonl")
        return [name[-11:-6] for name in names(tmp_path) if name.startswith(place.prefix)]

    first = Place(tmp_path, "out", QUERY, 4)
    (tmp_path / f"{first.prefix}00009.jsonl").write_text("of an earlier process")
    later = Place(tmp_path, "out", QUERY, 6)
    (tmp_path / f"{later.prefix}00009.jsonl").write_text("of one whose checkpoint was put back")
    assert publish(4, 3) == ["00000", "00001", "00002"]
    assert publish(5, 2) == ["00000", "00001"]
    assert publish(6, 1) == ["00000"]
    assert publish(7, 2) == ["00000", "00001"]
    assert not looked
    assert publish(7, 1) == ["00000"]
    assert looked == [tmp_path]


def test_what_a_killed_driver_left_is_swept_and_never_seen(one_spark: Any, tmp_path: Path) -> None:
    left = tmp_path / ".staging" / "out-0a1b2c3d-000000007"
    other = tmp_path / ".staging" / "other-ffffffff-000000001"
    for folder in (left, other):
        folder.mkdir(parents=True)
        (folder / "00000").write_text('{"id": 1}\n{"i')
    put(one_spark.range(2), settings(tmp_path), number=8)
    assert not left.exists()
    assert other.exists()
    assert names(tmp_path) == ["part-out-0a1b2c3d-000000008-00000.jsonl"]


@pytest.mark.parametrize("at_most", [1, MANY])
def test_large_batches_are_split(one_spark: Any, tmp_path: Path, at_most: int) -> None:
    frame = one_spark.range(0, 20_000, 1, 1).selectExpr("CAST(id AS STRING) AS id", "repeat('x', 90) AS filler")
    put(frame, settings(tmp_path, **{"rotation.size": "500KB"}), at_most=at_most)
    files = sorted(tmp_path.glob("part-*"))
    assert len(files) >= 4
    assert all(file.stat().st_size < 600_000 for file in files)
    lines = text(tmp_path).splitlines()
    assert sorted(int(json.loads(line)["id"]) for line in lines) == list(range(20_000))


def test_a_relative_path_starts_from_the_folder_of_the_sql_file(one_spark: Any, tmp_path: Path) -> None:
    batch = Batch(QUERY, 0, folder=tmp_path)
    write("file_sink", "out", BatchRows(one_spark.range(1)), settings(Path("results/ids")), batch)
    assert len(names(tmp_path / "results" / "ids")) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"compression": "snappy"}, "cannot compress text by snappy"),
        ({"rotation.interval": "10m", "path": "s3://bucket/out"}, "'rotation.interval' cannot be done"),
    ],
)
def test_what_cannot_be_written_is_refused(more: dict[str, str], message: str) -> None:
    with pytest.raises(VeloError, match=message) as refusal:
        check("file_sink", "out", settings(Path("out"), **more))
    assert refusal.value.error_code == "unsupported"
    assert refusal.value.hint


def test_a_sink_that_nobody_writes_is_refused() -> None:
    with pytest.raises(VeloError, match=r"no release of Iceberg works with Spark 4\.2") as refusal:
        check("iceberg_sink", "out", None)
    assert "delta_sink" in refusal.value.hint
