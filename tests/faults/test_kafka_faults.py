"""kill -9 of the driver, and brokers that stop, die and come back, also in the middle of a transaction: whoever reads
what is committed sees every result once.

VELO_KILLS sets how often each of them happens, VELO_SEED when and in which order.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from confluent_kafka import KafkaException
from tests.conftest import connector_jars
from tests.kafka.apps import START, sink, source
from tests.kafka.cluster import Cluster, broker_or_skip

from velostream.errors import VeloError
from velostream.sinks.writers.kafka_producing import DRIVER, Producing, Writer
from velostream.testing.components.broker import Broker

TIMES = int(os.environ.get("VELO_KILLS", "1"))
BATCH, PARTITIONS = 1_000, 2
VELO = Path(sys.executable).with_name("velo")


def application(home: Path, cluster: Cluster, orders: str, copies: str, bars: str, plain: str) -> None:
    """Records and windows exactly once, and records at least once."""
    text = source(cluster.address, orders, max_records_per_batch=str(BATCH), watermark_max_out_of_orderness="5s")
    text += f"""
        -- @job_mode: transactional
        CREATE STREAM copied AS SELECT k PRIMARY KEY, v, _partition AS p, _offset AS o FROM s
            INTO once WITH ({sink(cluster.address, copies, "once")});
        -- @job_mode: transactional
        CREATE STREAM counted AS SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m)
            INTO bars WITH ({sink(cluster.address, bars, "bars")}, 'allowed.lateness' = '1h');
        """
    if TIMES > 1:
        written = sink(cluster.address, plain, "plain")
        text += f"CREATE STREAM passed AS SELECT k PRIMARY KEY, v FROM s INTO plain WITH ({written});"
    (home / "app.sql").write_text(text)


def records(count: int) -> list[dict[str, Any]]:
    chance = random.Random(7)
    made = []
    for number in range(count):
        at = START + number * 50 - (chance.choice([10_000, 90_000]) if chance.random() < 0.02 else 0)
        value = {"k": chance.choice("abcdef"), "v": number, "at": at}
        made.append({"value": json.dumps(value), "key": value["k"], "partition": number % PARTITIONS})
    return made


def start(home: Path) -> subprocess.Popen[bytes]:
    words = [str(VELO), "run", str(home / "app.sql"), "--until-done", "--master", "local[2]"]
    words += ["--checkpoint", str(home / "checkpoint"), "--report", str(home / "report.json")]
    with (home / "log").open("ab") as log:
        return subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)


def batches(home: Path) -> int:
    """How many micro-batches all jobs have finished."""
    files = (home / "checkpoint").glob("*/accounts.json")
    return sum(json.loads(file.read_text())["batch"] + 1 for file in files)


def open_transaction(cluster: Cluster, topic: str) -> bool:
    """True while messages of a topic are written and not yet committed, as far as the broker can tell now."""
    try:
        return cluster.has_open(topic)
    except KafkaException:  # it has just come back, and leads anew
        return False


class Faults:
    """What happens to a run, one thing after another, each when the run has come a little further."""

    def __init__(self, home: Path, broker: Broker, cluster: Cluster, topic: str) -> None:
        self.home, self.broker, self.cluster, self.topic = home, broker, cluster, topic
        self.chance = random.Random(os.environ.get("VELO_SEED", str(TIMES)))
        self.left: list[Callable[[subprocess.Popen[bytes]], None]] = []
        for _ in range(TIMES):
            some = [self.kill_driver, self.stop_broker, self.kill_broker_in_transaction]
            self.chance.shuffle(some)
            self.left += some

    def kill_driver(self, process: subprocess.Popen[bytes]) -> None:
        time.sleep(self.chance.uniform(0, 1.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop_broker(self, process: subprocess.Popen[bytes]) -> None:
        time.sleep(self.chance.uniform(0, 0.5))
        self.broker.stop()
        time.sleep(self.chance.uniform(0, 2))
        self.broker.start()

    def kill_broker_in_transaction(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < until and not open_transaction(self.cluster, self.topic):
            time.sleep(0.005)
        self.broker.kill()
        self.broker.start()

    def run(self) -> int:
        """Runs the application until it is done; answers how often it was started."""
        starts = 0
        while True:
            starts += 1
            assert starts < 8 * TIMES + 4, (self.home / "log").read_text()[-3000:]
            process, begun = start(self.home), time.monotonic()
            seen = batches(self.home)
            try:
                while process.poll() is None:
                    if self.left and batches(self.home) > seen:
                        self.left.pop(0)(process)
                        seen = batches(self.home) + 1
                    assert time.monotonic() - begun < 300 * TIMES, (self.home / "log").read_text()[-3000:]
                    time.sleep(0.02)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            if process.returncode == 0:
                return starts
            assert process.returncode in (3, -signal.SIGKILL), (self.home / "log").read_text()[-3000:]


@pytest.mark.slow
@pytest.mark.skipif("VELO_KILLS" not in os.environ, reason="minutes: make faults")
def test_what_is_committed_is_there_once_whatever_is_killed_when(tmp_path: Path) -> None:
    if not connector_jars():
        pytest.skip("the jars of Spark's Kafka connector cannot be had")
    count = BATCH * (12 * TIMES + 2)  # enough for each fault to find a run that still goes on
    broker = broker_or_skip(tmp_path / "broker").start()
    try:
        cluster = Cluster(broker.address)
        orders = cluster.topic("orders", PARTITIONS)
        copies, bars, plain = (cluster.topic(name, PARTITIONS) for name in ("copies", "bars", "plain"))
        cluster.send(orders, records(count))
        application(tmp_path, cluster, orders, copies, bars, plain)
        faults = Faults(tmp_path, broker, cluster, copies)
        faults.run()
        assert not faults.left
        report = {job["name"]: job for job in json.loads((tmp_path / "report.json").read_text())["jobs"]}
        for job in report.values():
            assert job["records"]["read"] == count
            assert job["records"]["in_results"] == count
        seen = Counter(json.loads(one.value or "")["v"] for one in cluster.read(copies))
        assert seen == Counter(range(count))
        windows: dict[tuple[str | None, int], dict[str, Any]] = {}
        revisions: Counter[Any] = Counter()
        for one in cluster.read(bars):
            row = json.loads(one.value or "")
            revisions[one.key, one.time, row["_revision"]] += 1
            known = windows.get((one.key, one.time))
            if known is None or row["_revision"] > known["_revision"]:
                windows[one.key, one.time] = row
        assert max(revisions.values()) == 1
        assert sum(row["n"] for row in windows.values()) == count
        assert sum(row["total"] for row in windows.values()) == sum(range(count))
        if TIMES > 1:
            assert {json.loads(one.value or "")["v"] for one in cluster.read(plain)} == set(range(count))
    finally:
        broker.stop()


@pytest.mark.slow
@pytest.mark.skipif("VELO_KILLS" not in os.environ, reason="minutes: make faults")
def test_writers_go_on_when_their_broker_comes_back(tmp_path: Path) -> None:
    """librdkafka may forget a call of a transaction whose broker went away; whoever called must not wait for it."""
    broker = broker_or_skip(tmp_path / "broker").start()
    chance = random.Random(os.environ.get("VELO_SEED", str(TIMES)))
    client = (("bootstrap.servers", broker.address),)
    try:
        cluster = Cluster(broker.address)
        writers = [Writer("out", f"q{n}", DRIVER, cluster.topic(f"out{n}", 1), client, True) for n in range(3)]
        written, ending, failures = [0] * len(writers), Event(), list[BaseException]()

        def write(number: int) -> None:
            producing: Producing | None = None
            while not ending.is_set():
                try:
                    producing = producing or Producing(writers[number])
                    producing.write([(None, str(written[number]).encode(), None, 0)], written[number])
                    written[number] += 1
                except VeloError as error:
                    if error.error_code != "broker-unreachable":
                        failures.append(error)
                        return
                    if producing is not None:
                        producing.close()
                    producing = None
                except BaseException as failure:
                    failures.append(failure)
                    return

        threads = [Thread(target=write, args=(number,), daemon=True) for number in range(len(writers))]
        for thread in threads:
            thread.start()
        for _ in range(3 * TIMES):
            time.sleep(chance.uniform(0.5, 2))
            chance.choice([broker.stop, broker.kill])()
            broker.start()
            before, until = list(written), time.monotonic() + 120
            while any(now <= then for now, then in zip(written, before, strict=True)) and not failures:
                assert time.monotonic() < until, "a writer waits for ever"
                time.sleep(0.1)
        ending.set()
        for thread in threads:
            thread.join(120)
        assert not failures
        for number, writer in enumerate(writers):
            seen = [int(one.value or "") for one in cluster.read(writer.topic)]
            assert seen in ([*range(written[number])], [*range(written[number] + 1)])
    finally:
        broker.stop()
