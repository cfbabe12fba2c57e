"""The warm tier: state stores in shared memory, and how much memory they take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.postgres.apps import SOURCE, runner_of, write_lines

from velostream.errors import VeloError
from velostream.plan import plan
from velostream.spark.stateful.hot_folders import own_folder
from velostream.spark.warm import cache_settings, place_stores, refused_mixture
from velostream.validation import validate

START = 1_700_000_040_000
BLOCKS = "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB"
COUNTS = """CREATE STREAM {name} AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)
    INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl'{more});"""


def counts(name: str = "counts", **settings: str) -> str:
    names = {key: key.replace("__", "-").replace("_", ".").replace("-", "_") for key in settings}
    more = "".join(f", '{names[key]}' = '{value}'" for key, value in settings.items())
    return COUNTS.format(name=name, more=more)


def test_the_stores_of_a_query_share_its_cache() -> None:
    found = {name.rsplit(".", 1)[1]: int(value) for name, value in cache_settings(1 << 30, 16).items()}
    assert found == {"blockCacheSizeMB": 48, "writeBufferSizeMB": 8, "maxWriteBufferNumber": 2}, "64 MB each"
    assert cache_settings(1, 16)[BLOCKS] == "1", "the least that RocksDB has"


def test_state_stores_lie_in_shared_memory_while_a_job_wants_it_and_their_checkpoint_on_disk(
    one_spark: Any, tmp_path: Path
) -> None:
    memory = own_folder("warm")
    if memory is None:
        pytest.skip("this host has no shared memory")
    write_lines(tmp_path, "1.jsonl", [{"k": k, "v": 1, "at": START} for k in "ab"])
    seen: list[str] = []
    runner = runner_of(one_spark, tmp_path, SOURCE + counts(state_warm_backend="memory", state_warm_cache__size="64MB"))
    runner.events.subscribe(lambda event: seen.extend(str(each) for each in memory.rglob("*StateStoreId*")))
    runner.run_until_done()
    assert seen, "RocksDB has its folders there"
    assert len([*(tmp_path / "checkpoint" / "counts" / "spark" / "state").rglob("*.changelog")]) > 0
    assert int(one_spark.conf.get(BLOCKS)) <= 24
    assert (tmp_path / "out").is_dir()
    other = runner_of(one_spark, tmp_path, SOURCE + counts("others"))
    place_stores(one_spark, other.plan)
    settings = one_spark._jvm.org.apache.spark.SparkEnv.get().conf()
    assert settings.get("spark.local.dir", "") != str(memory), "the next application has them on disk again"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (counts(state_warm_backend="memory") + counts("b", state_warm_backend="rocksdb"), "of 'counts' is in memory"),
        (counts(state_warm_backend="memory", state_memory_total="1GB"), "'state.memory.total' of job 'counts' cannot"),
    ],
)
def test_what_cannot_be_kept_together_is_refused(text: str, told: str) -> None:
    answer = validate(SOURCE + text, "test.sql", variables={})
    planned = plan(answer.bound, answer.library)
    [refusal] = [error for job in planned.jobs for error in refused_mixture(job, planned)]
    assert told in refusal.message
    assert refusal.span is not None


def test_a_host_whose_spark_is_told_where_its_files_are_refuses_memory(
    one_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    runner = runner_of(one_spark, tmp_path, SOURCE + counts(state_warm_backend="memory"))
    with pytest.raises(VeloError, match="SPARK_LOCAL_DIRS says where"):
        place_stores(one_spark, runner.plan)
