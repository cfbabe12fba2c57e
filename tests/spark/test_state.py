"""The store on Spark's state, and the hot tier before it: whatever becomes of its files, the answers are the same."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.spark import test_running as running
from tests.windows.driving import Record, Run, frame, newest, settings

from velostream.errors import VeloError
from velostream.jobs.home import Home
from velostream.spark.stateful import hot_folders, store
from velostream.spark.stateful.hot import Hot, HotSettings
from velostream.spark.stateful.store import SparkStore, enveloped, opened
from velostream.windows import state
from velostream.windows.assigners import Session, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import emission
from velostream.windows.facts import Facts, progress_of
from velostream.windows.lateness import Lateness
from velostream.windows.operator import Operator
from velostream.windows.state import Ledger, encode
from velostream.windows.watermark import WatermarkSettings

ROOMY = 1 << 30


class Blobs(dict[str, bytes]):
    """A MapState in a dict that counts its calls."""

    calls = 0

    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:  # noqa: N802
        self.calls += 1
        return (self[key[0]],) if key[0] in self else None

    def updateValue(self, key: tuple[str], value: tuple[bytes]) -> None:  # noqa: N802
        self.calls += 1
        self[key[0]] = value[0]

    def removeKey(self, key: tuple[str]) -> None:  # noqa: N802
        self.calls += 1
        self.pop(key[0], None)


def numbers(count: int, first: int = 0) -> pl.DataFrame:
    return pl.DataFrame({"_cell": range(first, first + count), "n": pl.Series(range(count), dtype=pl.Int128)})


LARGE = numbers(2_000)


def kept(hot: Hot) -> list[Path]:
    return sorted(hot.folder.iterdir())


def test_a_frame_is_kept_for_the_next_worker_and_read_without_the_state_store(tmp_path: Path) -> None:
    blobs = Blobs()
    SparkStore(blobs, Hot(tmp_path, ROOMY, 60)).put("t/1", encode(LARGE), LARGE)
    calls = blobs.calls
    hot = Hot(tmp_path, ROOMY, 60)
    found = SparkStore(blobs, hot).get("t/1")
    assert isinstance(found, pl.DataFrame)
    assert found.equals(LARGE)
    assert found.schema == LARGE.schema
    assert blobs.calls == calls
    assert (hot.counts.hits, hot.counts.misses, hot.counts.evictions) == (1, 0, 0)
    assert hot.counts.bytes == sum(file.stat().st_size for file in kept(hot)) > 0


def test_a_frame_that_is_gone_comes_from_the_state_store_and_is_kept_again(tmp_path: Path) -> None:
    blobs = Blobs()
    hot = Hot(tmp_path, ROOMY, 60)
    spark = SparkStore(blobs, hot)
    spark.put("t/1", encode(LARGE), LARGE)
    kept(hot)[0].unlink()
    found = spark.get("t/1")
    assert isinstance(found, pl.DataFrame)
    assert found.equals(LARGE)
    assert (hot.counts.hits, hot.counts.misses) == (0, 1)
    assert len(kept(hot)) == 1
    spark.delete("t/1")
    assert kept(hot) == []
    assert (hot.counts.bytes, blobs, spark.get("t/1")) == (0, {}, None)


def spoil(file: Path, how: str) -> None:
    content = bytearray(file.read_bytes())
    if how == "flip":
        content[len(content) // 2 :] = bytes(255 - each for each in content[len(content) // 2 :])
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "empty":
        content.clear()
    if how == "delete":
        file.unlink()
    else:
        file.write_bytes(content)


@pytest.mark.parametrize("how", ["flip", "cut", "empty", "delete"])
@pytest.mark.parametrize("checked", [False, True], ids=["unread", "read before"])
def test_a_spoilt_file_is_never_believed(tmp_path: Path, how: str, checked: bool) -> None:
    blobs = Blobs()
    SparkStore(blobs, Hot(tmp_path, ROOMY, 60)).put("t/1", encode(LARGE), LARGE)
    if checked:
        SparkStore(blobs, Hot(tmp_path, ROOMY, 60)).get("t/1")
    time.sleep(0.01)
    spoil(kept(Hot(tmp_path, ROOMY, 60))[0], how)
    hot = Hot(tmp_path, ROOMY, 60)
    found = SparkStore(blobs, hot).get("t/1")
    assert isinstance(found, pl.DataFrame)
    assert found.equals(LARGE)
    assert hot.counts.misses == 1


def test_new_frames_push_out_those_that_were_not_used_for_longest(tmp_path: Path) -> None:
    hot = Hot(tmp_path, 100_000, 60)
    for name in ("t/1", "t/2", "t/3"):
        hot.put(name, LARGE)
        time.sleep(0.002)
    assert hot.counts.evictions == 1
    later = Hot(tmp_path, 100_000, 60)
    assert later.get("t/1") is None
    assert later.get("t/2") is not None
    time.sleep(0.002)
    later.put("t/4", LARGE)
    assert (later.get("t/3"), later.counts.evictions) == (None, 1)
    assert later.get("t/2") is not None


def test_a_frame_that_was_missed_takes_only_free_room(tmp_path: Path) -> None:
    hot = Hot(tmp_path, 100_000, 60)
    hot.put("t/1", LARGE)
    hot.put("t/2", LARGE)
    hot.welcome("t/3", LARGE)
    assert [hot.get(f"t/{n}") is not None for n in (1, 2, 3)] == [True, True, False]
    assert hot.counts.evictions == 0


def test_a_frame_larger_than_the_tier_and_a_full_folder_keep_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Hot(tmp_path, 1_000, 60)
    small.put("t/1", LARGE)
    assert (small.files, small.counts.bytes) == ({}, 0)
    full = Hot(tmp_path, ROOMY, 60)
    there = os.statvfs(tmp_path)
    monkeypatch.setattr("os.statvfs", lambda _: there.__class__((*there[:4], there.f_blocks // 11, *there[5:])))
    full.put("t/1", LARGE)
    assert full.files == {}


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    hot = Hot(tmp_path / "file" / "bucket", ROOMY, 60)
    hot.put("t/1", LARGE)
    assert hot.get("t/1") is None


def test_frames_that_nobody_used_for_the_time_to_live_go(tmp_path: Path) -> None:
    hot = Hot(tmp_path, ROOMY, 60)
    hot.put("t/1", LARGE)
    hot.put("t/2", LARGE)
    os.utime(kept(hot)[0], (time.time() - 100, time.time()))
    (tmp_path / "7.unfinished").write_text("a worker died")
    later = Hot(tmp_path, ROOMY, 60)
    assert (list(later.files), later.counts.evictions) == (["t+2"], 1)
    assert len(kept(later)) == 1


def test_small_blobs_travel_with_the_root(tmp_path: Path) -> None:
    blobs = Blobs()
    spark = SparkStore(blobs)
    spark.get("root")
    spark.put("t/1", b"\1small")
    spark.put("t/2", b"\1other")
    spark.put("t/3", bytes(store.SMALL + 1))
    spark.put("root", b"\1{}")
    assert (set(blobs), blobs.calls) == ({"root", "t/3"}, 3)
    again = SparkStore(blobs)
    assert again.get("root") == b"\1{}"
    assert (again.get("t/1"), again.get("t/2")) == (b"\1small", b"\1other")
    again.delete("t/1")
    again.delete("t/2")
    again.put("root", b"\1{}")
    assert blobs["root"] == b"\1{}"
    assert (SparkStore(blobs).get("root"), SparkStore(Blobs()).get("root")) == (b"\1{}", None)


def test_too_many_small_blobs_get_a_place_of_their_own_the_oldest_first() -> None:
    blobs = Blobs()
    spark = SparkStore(blobs)
    each = bytes(store.SMALL)
    count = store.TOGETHER // store.SMALL + 3
    for number in range(count):
        spark.put(f"t/{number}", each)
    spark.put("root", b"\1{}")
    assert set(blobs) == {"root", "t/0", "t/1", "t/2"}
    later = SparkStore(blobs)
    later.get("root")
    assert all(later.get(f"t/{number}") == each for number in range(count))
    later.delete("t/0")
    assert "t/0" not in blobs


@given(st.binary(), st.dictionaries(st.text(max_size=9), st.binary(max_size=9), max_size=5))
def test_an_envelope_gives_back_what_was_put_in(root: bytes, small: dict[str, bytes]) -> None:
    assert opened(enveloped(root, small)) == (root, small)


def summed(rows: pl.DataFrame, complete: bool) -> pl.DataFrame:
    return rows.group_by("_cell").agg(pl.col("n").sum())


def test_a_micro_batch_that_is_run_again_never_sees_what_the_failed_one_wrote(tmp_path: Path) -> None:
    blobs = Blobs()
    failed = Blobs(blobs)
    first = Ledger("t", SparkStore(failed, Hot(tmp_path, ROOMY, 60)), summed)
    first.append(numbers(2_000))
    again = Ledger("t", SparkStore(blobs, Hot(tmp_path, ROOMY, 60)), summed)
    again.append(numbers(2_000, first=7))
    assert first.segments[0].number == again.segments[0].number
    hot = Hot(tmp_path, ROOMY, 60)
    found = Ledger("t", SparkStore(blobs, hot), summed, again.snapshot()).read()
    assert found is not None
    assert found["_cell"].min() == 7
    assert hot.counts.hits == 1


def test_two_stores_on_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    mine, other = Blobs(), Blobs()
    ledgers = [Ledger("t", SparkStore(blobs, Hot(tmp_path, ROOMY, 60)), summed) for blobs in (mine, other)]
    for number in range(6):
        for shift, ledger in enumerate(ledgers):
            ledger.append(numbers(2_000, first=shift * 1_000_000 + number))
            ledger.tidy()
    for shift, (blobs, ledger) in enumerate(zip((mine, other), ledgers, strict=True)):
        later = Ledger("t", SparkStore(blobs, Hot(tmp_path, ROOMY, 60)), summed, ledger.snapshot())
        found = later.read()
        assert found is not None
        assert found["_cell"].min() == shift * 1_000_000
        assert found["n"].sum() == 6 * sum(range(2_000))


PLANS = [
    settings(Tumbling(10), lateness=Lateness(1_000)),
    settings(Session(4), lateness=Lateness(1_000)),
    settings(Unbounded(), emission=emission("CHANGES", granularity="batch", windowed=False)),
    settings(Tumbling(10), lateness=Lateness(1_000), emission=emission("CHANGES")),
]
records = st.builds(Record, time=st.integers(0, 60), key=st.sampled_from("abcdef"), value=st.integers(-5, 5))


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.assigner.name} {plan.emission.mode.name}")
@hypothesis_settings(
    max_examples=8,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(batches=st.lists(st.lists(records, max_size=8), max_size=8), seed=st.integers(0, 1 << 30))
def test_files_may_vanish_and_spoil_and_micro_batches_fail_and_nothing_changes(
    tmp_path_factory: pytest.TempPathFactory, plan: Any, batches: list[list[Record]], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("hot")
    luck = random.Random(seed)
    batches = [[replace(r, offset=100 * n + m) for m, r in enumerate(batch)] for n, batch in enumerate(batches)]
    plain = Run(plan)
    blobs, rows = Blobs(), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "SMALL", 0)
        patch.setattr(state, "TARGET_ROWS", 2)
        patch.setattr(state, "DEPTH", 3)
        for number, batch in enumerate([*batches, []]):
            flush = number == len(batches)
            plain.batch(*batch, flush=flush)
            facts = Facts(tuple(progress_of(frame(batch))), flush=flush)
            if luck.random() < 0.4:
                other = frame(batch).with_columns(pl.col("value") + 1_000)
                Operator(plan, SparkStore(Blobs(blobs), Hot(folder, 20_000, 60))).process(other, facts)
            for file in sorted(folder.iterdir()) if folder.exists() else []:
                if luck.random() < 0.2:
                    spoil(file, luck.choice(["flip", "cut", "empty", "delete"]))
            outcome = Operator(plan, SparkStore(blobs, Hot(folder, 20_000, 60))).process(frame(batch), facts)
            rows += outcome.results.to_dicts()
    by_start = isinstance(plan.assigner, Session)
    assert newest(rows, by_start=by_start) == newest(plain.rows, by_start=by_start)


def test_the_numbers_of_the_tier_are_in_the_statistics(tmp_path: Path) -> None:
    plan = settings(Unbounded(), emission=emission("CHANGES", granularity="batch", windowed=False))
    blobs = Blobs()
    for _ in range(2):
        many = frame([Record(1, key=f"key {number}") for number in range(3_000)])
        outcome = Operator(plan, SparkStore(blobs, Hot(tmp_path, ROOMY, 60))).process(many, Facts())
    stats = outcome.stats
    assert (stats.hot_hits, stats.hot_misses, stats.hot_evictions) == (2, 0, 0)
    assert stats.hot_state_size_bytes > 100_000
    assert stats.as_data()["hot_hits"] == 2


@pytest.mark.parametrize(
    ("plan", "most"),
    [
        (settings(Tumbling(1_000), watermark=WatermarkSettings(max_out_of_orderness=5)), 5),
        (settings(Unbounded(), emission=emission("CHANGES", granularity="batch", windowed=False)), 7),
        (settings(Session(300), watermark=WatermarkSettings(max_out_of_orderness=5)), 9),
    ],
    ids=["TUMBLING", "GROUP BY", "SESSION"],
)
def test_a_micro_batch_takes_few_calls_of_the_state_store(tmp_path: Path, plan: Any, most: int) -> None:
    blobs = Blobs()
    batches = 30
    for number in range(batches):
        rows = frame([Record(number * 100 + n // 20, key=f"key {n % 500}", offset=n) for n in range(2_000)])
        facts = Facts(tuple(progress_of(rows)))
        Operator(plan, SparkStore(blobs, Hot(tmp_path, ROOMY, 60))).process(rows, facts)
    assert blobs.calls / batches <= most


def test_the_folder_of_a_query_has_an_owner_and_goes_with_it(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as gone:
        gone.wait()
    owners = {"living": [hot_folders._process(os.getpid())], "dead": [f"{gone.pid}-1"], "two": [f"{gone.pid}-1"]}
    owners["two"].append(hot_folders._process(os.getppid()))
    owners["reused"] = [f"{os.getpid()}-1"]
    owners["odd"] = ["someone"]
    for query, names in owners.items():
        for name in names:
            (tmp_path / query / "owners").mkdir(parents=True, exist_ok=True)
            (tmp_path / query / "owners" / name).touch()
    (tmp_path / "fresh").mkdir()
    (tmp_path / "old").mkdir()
    os.utime(tmp_path / "old", (0, 0))
    hot = HotSettings("0", 1_000_000, 60, 4, str(tmp_path)).bucket("mine", 3)
    assert hot is not None
    assert (hot.folder, hot.most) == (tmp_path / "mine" / "0" / "3", 250_000)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fresh", "living", "mine", "two"]
    again = HotSettings("0", 1_000_000, 60, 4, str(tmp_path)).bucket("mine", 3)
    assert again is not None
    hot_folders.released("mine", tmp_path)
    assert not (tmp_path / "mine").exists()


def test_a_folder_that_cannot_be_had_means_no_hot_tier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    assert HotSettings("0", 1_000, 60, 1, str(tmp_path / "file")).bucket("q", 0) is None
    monkeypatch.setattr("os.getuid", lambda: 12_345)
    assert HotSettings("0", 1_000, 60, 1, str(tmp_path)).bucket("q", 0) is None
    assert "12345" in str(hot_folders.shared_memory())


def test_on_spark_workers_find_the_state_that_others_decoded(one_spark: Any, tmp_path: Path) -> None:
    for number in range(4):
        lines = [{"k": f"key {n}", "v": n, "at": running.START + n} for n in range(1_500)]
        running.write(tmp_path / "in", f"{number}.jsonl", lines)
    counted = "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k EMIT FINAL INTO out "
    report = running.run(
        one_spark, tmp_path, counted + "WITH (@sink, 'num_partitions' = 2)", **{"files.per.batch": "1"}
    )
    windows = report["windows"]
    assert windows["hot_hits"] > 0
    assert windows["hot_misses"] == windows["state_evictions_total"] == 0
    assert windows["hot_state_size_bytes"] > 0
    assert {(row["n"], row["total"] // 4) for row in running.rows(tmp_path)} == {(4, n) for n in range(1_500)}
    assert not (hot_folders.shared_memory() / Home(tmp_path / "checkpoint" / report["name"]).query_id()).exists()


def test_on_spark_an_aggregate_can_be_added_before_others_and_a_changed_window_is_refused(
    one_spark: Any, tmp_path: Path
) -> None:
    first, second = ([{"k": "a", "v": v, "at": running.START + v}] for v in (5, 7))
    query = "SELECT k, @calls FROM s GROUP BY k WINDOW TUMBLING(@size) EMIT FINAL INTO out WITH (@sink)"
    query = query.replace("@size", "1m")
    running.write(tmp_path / "in", "1.jsonl", [*first])
    running.run(one_spark, tmp_path, query.replace("@calls", "SUM(v) AS total"))
    running.write(tmp_path / "in", "2.jsonl", [*second])
    running.run(one_spark, tmp_path, query.replace("@calls", "MAX(v * 2) AS top, SUM(v) AS total"))
    last = running.rows(tmp_path)[-1]
    assert (last["top"], last["total"]) == (14, 12)
    running.write(tmp_path / "in", "3.jsonl", [*second])
    with pytest.raises(VeloError) as refusal:
        running.run(one_spark, tmp_path, query.replace("1m", "2m").replace("@calls", "SUM(v) AS total"))
    assert "its window was 'TUMBLING(size 1m)' and is 'TUMBLING(size 2m)' now" in str(refusal.value)
