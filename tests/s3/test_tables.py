"""Tables from objects in a store: all of them, then those that are new; one that has changed means all over again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.postgres.apps import runner_of
from tests.s3.server import ObjectStore

from velostream import stores
from velostream.jobs.tables import Tables
from velostream.stores import Store
from velostream.tables.loading import INCREMENTAL


def test_a_table_is_loaded_from_objects_and_follows_them(one_spark: Any, tmp_path: Path, s3: ObjectStore) -> None:
    s3.bucket("tables")
    stores.use("s3://tables", Store(s3.url, access_key="k", secret_key="s"))
    stores.put("s3://tables/t/1.csv", b"k,v\na,1\nb,2\n,3\n")
    text = f"""CREATE TABLE t (k STRING PRIMARY KEY, v INT) WITH ('type' = 's3_source', 'path' = 's3://tables/t/*.csv',
            'format' = 'csv', {s3.settings("t")});
        CREATE STREAM s (k STRING) WITH ('type' = 'datagen_source');
        SELECT s.k, t.v FROM s JOIN t ON s.k = t.k;"""
    tables = Tables(runner_of(one_spark, tmp_path, text).plan, one_spark, tmp_path / "checkpoint", tmp_path)
    tables.load()
    loader = tables.loading.loaders["t"]

    def rows() -> dict[str, int]:
        version = loader.load(INCREMENTAL)
        return {row["k"]: row["v"] for row in version.read().to_pylist()}

    assert (tables.progress["t"].rows, tables.progress["t"].dead_lettered) == (2, 1), "a row without its key is told"
    assert rows() == {"a": 1, "b": 2}
    stores.put("s3://tables/t/2.csv", b"k,v\nb,20\nc,30\n")
    read = tables.progress["t"].read
    assert rows() == {"a": 1, "b": 20, "c": 30}
    assert tables.progress["t"].read == read + 2, "only what is new is read"
    stores.put("s3://tables/t/1.csv", b"k,v\nz,9\n")
    assert rows() == {"z": 9, "b": 20, "c": 30}
