"""Objects that a queue tells of: in order of arrival, each once, whatever is repeated and whenever the job dies."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxFiles
from tests.postgres.apps import runner_of
from tests.s3.queue import TestQueue
from tests.s3.server import ObjectStore
from tests.sources.test_files import reader

from velostream import stores
from velostream.config.connections.s3 import QueueUrl
from velostream.errors import InvalidProperty, VeloError
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.queue import Queue
from velostream.sources.streams.told import Receiver, Told, reports
from velostream.sources.streams.told_objects import ToldReader
from velostream.stores import Store

LIMIT = ReadMaxFiles(1_000_000)


@pytest.fixture
def place(s3: ObjectStore, request: pytest.FixtureRequest) -> tuple[str, TestQueue]:
    name = request.node.name.replace("_", "-")[:40].strip("-")
    s3.bucket(name)
    stores.use(f"s3://{name}", Store(s3.url, access_key="k", secret_key="s"))
    return f"s3://{name}", TestQueue(s3, name)


def receiver(home: Path, queue: TestQueue, url: str = "") -> Receiver:
    one = Queue("s", url or queue.url, queue.store)
    return Receiver(one, Told(home / "told.jsonl"), Calls("s"), home / "sources" / "s.jsonl")


def told_reader(home: Path, path: str, queue: TestQueue, **more: Any) -> ToldReader:
    plain = reader(home, path=path, store=queue.store, told=str(home / "told.jsonl"), **more)
    return ToldReader(replace(plain.options, manifest=str(home / "sources" / "s.jsonl")), plain.columns)


def taken(one: ToldReader) -> list[str]:
    return [each.path.rpartition("/")[2] for each in one.manifest.taken]


def test_objects_are_taken_in_the_order_in_which_they_are_told(tmp_path: Path, place: tuple[str, TestQueue]) -> None:
    bucket, queue = place
    for name in ("b", "c", "a", "z é+"):
        stores.put(f"{bucket}/in/{name}.jsonl", b"{}\n")
    stores.put(f"{bucket}/in/x.csv", b"k\n")
    queue.send({"Service": "Amazon S3", "Event": "s3:TestEvent"})
    queue.tell(f"{bucket}/in/z é+.jsonl", f"{bucket}/in/x.csv", f"{bucket}/in/lost.jsonl")
    queue.tell(f"{bucket}/in/a.jsonl")
    queue.tell(f"{bucket}/in/a.jsonl", event="ObjectRemoved:Delete")
    queue.tell(f"{bucket}/in/a.jsonl", f"{bucket}/in/b.jsonl")
    receiver(tmp_path, queue).drain()
    assert queue.left == 0
    one = told_reader(tmp_path, f"{bucket}/in/*.jsonl", queue, existing=False)
    assert one.latestOffset(one.initialOffset(), LIMIT)["files"] == 3
    assert taken(one) == ["z é+.jsonl", "a.jsonl", "b.jsonl"]
    assert reports(tmp_path)["s"] == {"taken": 3, "repeated": 1, "elsewhere": 1, "gone": 1}
    queue.tell(f"{bucket}/in/c.jsonl", f"{bucket}/in/b.jsonl")
    receiver(tmp_path, queue).drain()
    again = told_reader(tmp_path, f"{bucket}/in/*.jsonl", queue, existing=False)
    assert again.latestOffset(again.initialOffset(), LIMIT)["files"] == 4
    assert taken(again)[3:] == ["c.jsonl"]


def test_a_process_that_dies_anywhere_loses_no_object_and_takes_none_twice(
    tmp_path: Path, place: tuple[str, TestQueue], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket, queue = place
    stores.put(f"{bucket}/in/0.jsonl", b"{}\n")
    for name in ("2", "1"):
        stores.put(f"{bucket}/in/{name}.jsonl", b"{}\n")
        queue.tell(f"{bucket}/in/{name}.jsonl")

    class Died(BaseException):
        pass

    def dies(*_: object) -> None:
        raise Died

    path = f"{bucket}/in/[12].jsonl"
    for where in ("velostream.sources.streams.told.Told.add", "velostream.sources.streams.queue.Queue.delete"):
        with monkeypatch.context() as patch:
            patch.setattr(where, dies)
            with pytest.raises(Died):
                receiver(tmp_path, queue).look(1)
        assert queue.left == 2, "nothing is deleted before it is written down"
        time.sleep(1.1)
    with (tmp_path / "told.jsonl").open("ab") as file:
        file.write(b'"s3://torn')
    receiver(tmp_path, queue).drain()
    assert queue.left == 0
    one = told_reader(tmp_path, path, queue, existing=False)
    with monkeypatch.context() as patch:
        patch.setattr("velostream.sources.streams.told.Heard.save", dies)
        with pytest.raises(Died):
            one.latestOffset(one.initialOffset(), LIMIT)
    again = told_reader(tmp_path, path, queue, existing=False)
    assert again.latestOffset(again.initialOffset(), LIMIT)["files"] == 2
    assert sorted(taken(again)) == ["1.jsonl", "2.jsonl"]


def test_an_object_that_changes_after_it_was_read_is_an_error_also_after_a_restart(
    tmp_path: Path, place: tuple[str, TestQueue]
) -> None:
    bucket, queue = place
    stores.put(f"{bucket}/in/a.jsonl", b"{}\n")
    path = f"{bucket}/in/*"
    one = told_reader(tmp_path, path, queue)
    first = one.latestOffset(one.initialOffset(), LIMIT)
    assert first["files"] == 1, "what is there at the first start is read"
    stores.put(f"{bucket}/in/a.jsonl", b"{}\n{}\n")
    queue.tell(f"{bucket}/in/a.jsonl")
    receiver(tmp_path, queue).drain()
    for _ in range(2):
        one = told_reader(tmp_path, path, queue)
        with pytest.raises(VeloError, match="has changed after it was read"):
            one.latestOffset(first, LIMIT)


def test_a_message_of_somebody_else_stays_in_the_queue_and_ends_the_job(
    tmp_path: Path, place: tuple[str, TestQueue]
) -> None:
    bucket, queue = place
    queue.send("pay 5 to bob")
    queue.tell(f"{bucket}/in/a.jsonl")
    with pytest.raises(VeloError, match="no notification of S3") as caught:
        receiver(tmp_path, queue).drain()
    assert "pay 5 to bob" in caught.value.hint
    assert queue.left == 1
    assert Told(tmp_path / "told.jsonl").since(0)[0] == [f"{bucket}/in/a.jsonl"]


def test_a_queue_that_is_not_there_is_an_error_that_names_those_that_are(
    s3: ObjectStore, tmp_path: Path, place: tuple[str, TestQueue]
) -> None:
    _, queue = place
    with pytest.raises(VeloError, match="there is no queue") as caught:
        Queue("s", f"{queue.url}s", queue.store).check()
    assert queue.url in caught.value.hint
    with pytest.raises(VeloError, match="cannot be reached") as caught:
        Queue("s", "http://127.0.0.1:1/0/q", queue.store).check()
    assert (caught.value.error_code, caught.value.exit_code) == ("store-unreachable", 3)
    with pytest.raises(InvalidProperty) as refusal:
        QueueUrl().parse("arn:aws:sqs:eu-west-1:123:trades")
    assert "https://sqs.eu-west-1.amazonaws.com/123/trades" in str(refusal.value.hint)


def test_two_statements_read_one_queue_and_go_on_after_a_stop(
    one_spark: Any, tmp_path: Path, s3: ObjectStore, place: tuple[str, TestQueue]
) -> None:
    bucket, queue = place
    text = f"""CREATE STREAM s (k STRING, v INT) WITH ('type' = 's3_source', 'path' = '{bucket}/in/*.jsonl',
        'format' = 'jsonl', 's3.notifications' = '{queue.url}', {s3.settings("s")});
        CREATE STREAM copied AS SELECT k, v FROM s INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'copied');
        CREATE STREAM counted AS SELECT k, COUNT(*) AS n FROM s GROUP BY k INTO counts
        WITH ('counts.type' = 'file_sink', 'counts.path' = 'counted');"""

    def put(name: str) -> None:
        stores.put(f"{bucket}/in/{name}.jsonl", json.dumps({"k": name, "v": 1}).encode())

    def read() -> dict[str, int]:
        runner = runner_of(one_spark, tmp_path, text)
        runner.run_until_done()
        assert all(job.accounts.adds_up for job in runner.jobs)
        return {job["name"]: job["records"]["read"] for job in runner.report()["jobs"]}

    put("b")
    assert read() == {"copied": 1, "counted": 1}, "what is there at the first start is read"
    put("unheard")
    put("a")
    for _ in range(2):
        queue.tell(f"{bucket}/in/a.jsonl", f"{bucket}/in/b.jsonl")
    assert read() == {"copied": 2, "counted": 2}
    assert queue.left == 0
    lines = [line for file in (tmp_path / "copied").glob("part-*") for line in file.read_text().splitlines()]
    assert sorted(json.loads(line)["k"] for line in lines) == ["a", "b"]


def test_a_job_without_an_end_reads_what_is_told_while_it_runs(
    one_spark: Any, tmp_path: Path, s3: ObjectStore, place: tuple[str, TestQueue]
) -> None:
    bucket, queue = place
    text = f"""CREATE STREAM s (k STRING) WITH ('type' = 's3_source', 'path' = '{bucket}/in/*.jsonl',
        'format' = 'jsonl', 's3.notifications' = '{queue.url}', {s3.settings("s")});
        CREATE STREAM copied AS SELECT k FROM s INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'copied');"""
    runner = runner_of(one_spark, tmp_path, text)
    stores.put(f"{bucket}/in/a.jsonl", b'{"k": "a"}\n')
    queue.tell(f"{bucket}/in/a.jsonl")
    until = time.monotonic() + 30

    def tick() -> None:
        if time.monotonic() > until or runner.jobs[0].accounts.read:
            runner.stopping.set()

    runner.run(None, tick)
    [report] = runner.report()["jobs"]
    assert report["records"]["read"] == 1
    assert report["notifications"]["s"]["taken"] + report["notifications"]["s"]["repeated"] == 1
    assert queue.left == 0
