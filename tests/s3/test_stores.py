"""Objects as files, in a server that speaks like S3."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.datasource import InputPartition
from tests.postgres.apps import run, runner_of
from tests.s3.server import ObjectStore
from tests.sources.test_files import reader

from velostream import stores
from velostream.errors import VeloError
from velostream.sources.streams.files import Task
from velostream.sources.streams.missing import INTERRUPTED
from velostream.stores import Store


@pytest.fixture
def bucket(s3: ObjectStore, request: pytest.FixtureRequest) -> str:
    name = request.node.name.replace("_", "-")[:40].strip("-")
    s3.bucket(name)
    stores.use(f"s3://{name}", Store(s3.url, access_key="k", secret_key="s"))
    return f"s3://{name}"


def test_objects_are_found_by_path_prefix_and_glob(bucket: str) -> None:
    for key in ("a/1.jsonl", "a/2.jsonl", "a/b/3.jsonl", "a/_hidden.jsonl", "a/x.csv"):
        stores.put(f"{bucket}/{key}", b"x" * len(key))

    def keys(path: str) -> list[str]:
        return [found.removeprefix(f"{bucket}/") for found in stores.objects(f"{bucket}/{path}")]

    assert keys("a/*.jsonl") == ["a/1.jsonl", "a/2.jsonl"]
    assert keys("a/**/*.jsonl") == ["a/1.jsonl", "a/2.jsonl", "a/b/3.jsonl"]
    assert keys("a/[2-9].jsonl") == ["a/2.jsonl"]
    assert keys("a/") == keys("a") == ["a/1.jsonl", "a/2.jsonl", "a/x.csv"]
    assert keys("a/1.jsonl") == ["a/1.jsonl"]
    assert keys("none/*") == []
    assert stores.about(f"{bucket}/a/x.csv")[0] == 7
    stores.remove(f"{bucket}/a/x.csv")
    with pytest.raises(FileNotFoundError):
        stores.about(f"{bucket}/a/x.csv")


def test_a_store_that_does_not_answer_is_an_error_from_outside() -> None:
    stores.use("s3://nowhere", Store("http://127.0.0.1:1", access_key="k", secret_key="s"))
    with pytest.raises(VeloError, match="'s3://nowhere/x' cannot be reached") as caught:
        stores.about("s3://nowhere/x")
    assert (caught.value.error_code, caught.value.exit_code) == ("store-unreachable", 3)
    store = Store("http://127.0.0.1:1", access_key="k", secret_key="s")
    one = reader(Path("nowhere"), path="s3://nowhere/*.jsonl", store=store)
    task = Task(0, "s3://nowhere/x.jsonl", 0, None, 0, 0, "", "")
    with pytest.raises(VeloError, match="source 's': 's3://nowhere/x") as caught:
        list(one.read(InputPartition(task)))
    assert caught.value.error_code == INTERRUPTED, "the job tries again"


def test_objects_are_read_and_written_as_files_are(
    one_spark: Any, tmp_path: Path, bucket: str, s3: ObjectStore
) -> None:
    lines = [json.dumps({"k": "a", "v": n}) for n in range(10)]
    stores.put(f"{bucket}/in/1.jsonl", "\n".join(lines).encode())
    stores.put(f"{bucket}/in/2.jsonl.gz", gzip.compress("\n".join([*lines, "{broken"]).encode()))
    text = f"""CREATE STREAM s (k STRING, v INT) WITH ('type' = 's3_source', 'path' = '{bucket}/in/*',
        'format' = 'jsonl',
        {s3.settings("s")});
        CREATE STREAM copied AS SELECT k, v, _topic AS object FROM s INTO out WITH ('out.type' = 'file_sink',
        'out.path' = '{bucket}/out', 'out.format' = 'parquet', {s3.settings("out")});"""
    report = run(one_spark, tmp_path, text)
    assert report["records"]["read"] == 21
    assert report["records"]["dead_lettered"] == {"undecodable": 1}
    stores.put(f"{bucket}/in/3.jsonl", lines[0].encode())
    assert run(one_spark, tmp_path, text)["records"]["read"] == 22, "only what is new is read"
    written = [pq.read_table(io.BytesIO(stores.opened(path).read())) for path in stores.objects(f"{bucket}/out/*")]
    rows = pa.concat_tables(written).to_pylist()
    assert len(rows) == 21
    assert {row["object"] for row in rows} == {f"{bucket}/in/{name}" for name in ("1.jsonl", "2.jsonl.gz", "3.jsonl")}
    wrong = text.replace(f"{bucket}/in/*", f"{bucket}/in/4.jsonl")
    with pytest.raises(VeloError, match="there is no object") as caught:
        runner_of(one_spark, tmp_path / "other", wrong).prepare(bounded=True)
    assert f"'{bucket}/in/" in caught.value.hint
    assert "file.wait.timeout" in caught.value.hint
